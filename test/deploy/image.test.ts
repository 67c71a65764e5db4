import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, test } from '@jest/globals'
import { check } from './deploy-tools.ts'

const INSTALL_LIMIT_MS = 240_000
const dockerfile = readFileSync('Dockerfile', 'utf8')
const [build, , server] = dockerfile.split(/^FROM /m).slice(1) as [string, string, string]

const folder = mkdtempSync(path.join(tmpdir(), 'canvass-image-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Copies the files that a stage of the Dockerfile copies from the project. @returns the folder with the copies */
function copyStage(stage: string): string {
  const target = mkdtempSync(path.join(folder, 'stage-'))
  for (const [, sources] of stage.matchAll(/^COPY (?!--from)(.*) \S+$/gm))
    for (const source of sources!.split(' ')) cpSync(source, path.join(target, source), { recursive: true })
  symlinkSync(path.resolve('node_modules'), path.join(target, 'node_modules'))
  return target
}

const run = (cwd: string, code: string) =>
  execFileSync(process.execPath, ['--input-type=module', '-e', code], { cwd, encoding: 'utf8' })

describe('the Dockerfile', () => {
  test(
    'passes hadolint',
    async () => {
      expect(await check('hadolint', ['Dockerfile'])).toBe('')
    },
    INSTALL_LIMIT_MS,
  )

  test('copies the files from which the reference and the browser scripts are built', () => {
    const cwd = copyStage(build)
    const code = `const { withSamples } = await import('./scripts/samples.ts')
      await import('./scripts/docs.ts')
      const { paths } = await withSamples('v3')
      console.log(paths['/surveys/'].get['x-codeSamples'].length)`
    expect(run(cwd, code)).toBe('3\n')
    for (const script of ['assets', 'server']) execFileSync(process.execPath, [`scripts/${script}.ts`], { cwd })
  })

  test('copies the files that the server reads', () => {
    const code = `await import('./src/app.ts')
      const { createGuides } = await import('./src/web/guides.ts')
      console.log(typeof createGuides(['v3']))`
    expect(run(copyStage(server), code)).toBe('function\n')
  })

  test('runs as a numeric user without root, and starts programs without a shell', () => {
    expect(server).toMatch(/^USER [1-9]\d*:[1-9]\d*$/m)
    // The exec form: a shell would receive the stop signals instead of the program.
    expect(server).toMatch(
      /^ENTRYPOINT \["node", "--max-semi-space-size=\d+", "build\/server\/main\.mjs"\]\nCMD \["serve"\]$/m,
    )
    // Node.js keeps compiled modules apart by options of V8, so others would compile for nothing.
    const option = /setFlagsFromString\('(.+)'\)/.exec(readFileSync('src/main.mjs', 'utf8'))![1]
    expect(server).toContain(`NODE_COMPILE_CACHE=build/compile-cache node ${option} `)
    expect(server).toMatch(/^HEALTHCHECK .*\\\n +CMD \["node", /m)
  })

  test('contains nothing that is specific to one processor architecture', () => {
    expect(dockerfile).not.toMatch(/amd64|arm64|x86_64|aarch64|linux-x64|--platform/)
    expect(readFileSync('.github/workflows/image.yml', 'utf8')).toContain('platforms: linux/amd64,linux/arm64')
  })
})

describe('compose.yaml', () => {
  test(
    'matches the schema of Compose',
    async () => {
      expect(await check('check-jsonschema', ['--builtin-schema', 'vendor.compose-spec', 'compose.yaml'])).toContain(
        'ok',
      )
    },
    INSTALL_LIMIT_MS,
  )

  test('runs the server and the worker on a read-only root file system without capabilities, and waits until they have stopped', () => {
    const text = readFileSync('compose.yaml', 'utf8')
    for (const line of [
      'read_only: true',
      'cap_drop: [ALL]',
      'security_opt: [no-new-privileges:true]',
      'stop_grace_period: 60s',
    ])
      expect(text).toContain(`  ${line}\n`)
  })

  test('limits the memory of /tmp, hardens every service, and has no password of its own', () => {
    const text = readFileSync('compose.yaml', 'utf8')
    const services = text.slice(text.indexOf('\nservices:')).match(/^ {2}\w+:\n(?: {4}.*\n|\n)+/gm)!
    expect(services).toHaveLength(4)
    for (const service of services) expect(service).toMatch(/<<: \*(?:hardened|canvass)\n/)
    expect(text.match(/x-canvass:[\s\S]*?\n\n/)![0]).toContain('<<: *hardened')
    const mounts = [...text.matchAll(/tmpfs: \[(.*)\]/g)].flatMap(([, list]) => list!.split(', '))
    expect(mounts.length).toBeGreaterThan(2)
    for (const mount of mounts) expect(mount).toMatch(/:size=\d+m'$/)
    for (const [use] of text.matchAll(/\$\{POSTGRES_PASSWORD[^}]*\}/g))
      expect(use).toMatch(/^\$\{POSTGRES_PASSWORD:\?./)
    expect(text).toContain('TMPDIR: /spool\n')
  })
})

describe('the workflows', () => {
  test(
    'match the schema of GitHub',
    async () => {
      const files = ['check', 'image', 'release'].map((name) => `.github/workflows/${name}.yml`)
      expect(await check('check-jsonschema', ['--builtin-schema', 'vendor.github-workflows', ...files])).toContain('ok')
    },
    INSTALL_LIMIT_MS,
  )
})
