import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { root } from '../versions.ts'
import { chroot } from './chroot.ts'
import { execForm, type Instruction, type Stage } from './dockerfile.ts'

/** The base image of the Dockerfile, and the Debian release that it contains. */
const BASE_IMAGE = /^node:24-slim$/
const DEBIAN = 'bookworm'

/** The state of a stage after its instructions. */
export interface Image {
  /** The folder of its files. */
  folder: string
  env: Record<string, string>
  cwd: string
  user: string
  command: string[]
  healthcheck: string[]
  volumes: string[]
}

type Report = (text: string) => void

/**
 * Builds all stages in chroots.
 * @returns the image of the last stage
 */
export function buildStages(stages: readonly Stage[], work: string, report: Report): Image {
  const base = makeBase(work, report)
  const images = new Map<string, Image>()
  for (const stage of stages) {
    const from = images.get(stage.base)
    if (!from && !BASE_IMAGE.test(stage.base))
      throw new Error(`No base for ${stage.base}. Change scripts/image/build.ts.`)
    const folder = path.join(work, 'stages', stage.name)
    mkdirSync(path.dirname(folder), { recursive: true })
    execFileSync('cp', ['-a', '--reflink=auto', from?.folder ?? base, folder])
    const image: Image = from
      ? structuredClone({ ...from, folder })
      : { folder, env: {}, cwd: '/', user: '0', command: [], healthcheck: [], volumes: [] }
    for (const instruction of stage.instructions) {
      execute(instruction, image, images)
      report(`${stage.name}: ${instruction.name} ${instruction.rest}`.slice(0, 120))
    }
    images.set(stage.name, image)
  }
  return [...images.values()].at(-1)!
}

function execute({ name, flags, rest }: Instruction, image: Image, images: ReadonlyMap<string, Image>): void {
  switch (name) {
    case 'ENV':
      for (const [, key, value] of rest.matchAll(/(\w+)=(\S+)/g)) image.env[key!] = value!
      return
    case 'WORKDIR':
      image.cwd = path.posix.resolve(image.cwd, rest)
      mkdirSync(path.join(image.folder, image.cwd), { recursive: true })
      return
    case 'RUN':
      chroot(image, ['/bin/sh', '-c', rest])
      return
    case 'COPY':
      copy(rest.split(/\s+/), flags.from === undefined ? undefined : images.get(flags.from)!.folder, image)
      return
    case 'USER':
      image.user = rest
      return
    case 'VOLUME':
      image.volumes.push(...rest.split(/\s+/))
      return
    case 'HEALTHCHECK':
      image.healthcheck = execForm(/\bCMD (.*)$/.exec(rest)![1]!)
      return
    case 'ENTRYPOINT':
      image.command = execForm(rest)
      return
    case 'CMD':
      image.command = [...image.command, ...execForm(rest)]
      return
    case 'EXPOSE':
      return
    default:
      throw new Error(`Unknown instruction ${name}. Add it in scripts/image/build.ts.`)
  }
}

/**
 * Copies files as the instruction COPY does: the content of a folder, or a file into a folder whose name ends with a
 * slash.
 */
function copy(names: string[], from: string | undefined, image: Image): void {
  const target = names.pop()!
  const ignored = readFileSync(path.join(root, '.dockerignore'), 'utf8').trim().split('\n')
  for (const name of names) {
    if (!from && ignored.includes(name.split('/')[0]!)) throw new Error(`.dockerignore excludes ${name}.`)
    const source = path.join(from ?? root, name)
    const intoFolder = target.endsWith('/') && !statSync(source).isDirectory()
    const file = path.join(image.folder, path.posix.resolve(image.cwd, target), intoFolder ? path.basename(name) : '')
    mkdirSync(path.dirname(file), { recursive: true })
    cpSync(source, file, { recursive: true, verbatimSymlinks: true })
    execFileSync('chown', ['--recursive', '--no-dereference', '0:0', file])
  }
}

/**
 * Creates a replacement for the base image, unless it exists: Debian, Node.js and npm of this machine, and the user
 * `node`.
 */
function makeBase(work: string, report: Report): string {
  const base = path.join(work, `base-${DEBIAN}`)
  if (existsSync(base)) return base
  report(`debootstrap ${DEBIAN}`)
  const draft = `${base}.new`
  rmSync(draft, { recursive: true, force: true })
  mkdirSync(work, { recursive: true })
  execFileSync('debootstrap', ['--variant=minbase', '--include=ca-certificates', DEBIAN, draft], { stdio: 'pipe' })
  cpSync(process.execPath, path.join(draft, 'usr/local/bin/node'))
  // bin/npm is a link to npm/bin/npm-cli.js, so the package npm is the folder above the folder of the link target.
  const npm = execFileSync('sh', ['-c', 'dirname "$(dirname "$(readlink -f "$(command -v npm)")")"'], {
    encoding: 'utf8',
  })
  cpSync(npm.trim(), path.join(draft, 'usr/local/lib/node_modules/npm'), { recursive: true, dereference: true })
  // The image gets the npm settings and the certificates of this machine, so that npm can connect to its registry.
  for (const file of [
    'usr/local/etc/npmrc',
    'etc/npmrc',
    'etc/ssl/certs/ca-certificates.crt',
    'etc/resolv.conf',
    'etc/hosts',
  ])
    if (existsSync(`/${file}`)) cpSync(`/${file}`, path.join(draft, file), { dereference: true })
  const link = 'ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm'
  execFileSync('chroot', [
    draft,
    '/bin/sh',
    '-c',
    `groupadd --gid 1000 node && useradd --uid 1000 --gid node --create-home node && ${link}`,
  ])
  writeFileSync(path.join(draft, 'etc/hostname'), 'image\n')
  renameSync(draft, base)
  return base
}
