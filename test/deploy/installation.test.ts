import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { buildServer } from '../../scripts/server.ts'
import { removeEmbedded } from '../../src/db/embedded/embedded.ts'
import { freePort, type RunningProgram, startProgram } from '../support/process.ts'

const MAX_PACKAGES_MB = 350
const FILES = [
  'package.json',
  'package-lock.json',
  '.npmrc',
  'CHANGELOG.md',
  'src',
  'generated',
  'docs',
  'scripts/slim.ts',
  'build/server',
]
const INSTALL_LIMIT_MS = 240_000

const folder = mkdtempSync(path.join(tmpdir(), 'canvass-installation-'))
const dataDir = path.join(folder, 'data')
let server: RunningProgram | undefined
let sizes = ''

beforeAll(async () => {
  await buildServer()
  // The embedded PostgreSQL runs as a user of its own if the tests run as root.
  chmodSync(folder, 0o755)
  for (const file of FILES) cpSync(file, path.join(folder, file), { recursive: true })
  execFileSync('npm', ['ci', '--omit=dev', '--loglevel=error'], { cwd: folder })
  sizes = execFileSync(process.execPath, ['scripts/slim.ts'], { cwd: folder, encoding: 'utf8' })
}, INSTALL_LIMIT_MS)
afterAll(async () => {
  await server?.kill('SIGTERM')
  await removeEmbedded(path.join(dataDir, 'postgres'))
  rmSync(folder, { recursive: true })
})

test('an installation without what builds and tests need is small', () => {
  const [, megabytes] = /^node_modules +(\d+) MB/m.exec(sizes)!
  expect(Number(megabytes)).toBeGreaterThan(100)
  expect(Number(megabytes)).toBeLessThanOrEqual(MAX_PACKAGES_MB)
})

test(
  'it serves pages and the API, with its own PostgreSQL',
  async () => {
    const port = await freePort()
    const settings = { PORT: String(port), DATA_DIR: dataDir, STOP_DELAY_SECONDS: '0' }
    server = startProgram(settings, path.join(folder, 'build/server/main.mjs'), 'serve')
    await server.waitForOutput('Canvass is running')
    for (const address of ['readyz', 'accounts/login/', 'docs/guides/start/', 'openapi/v3.json'])
      expect((await fetch(`http://127.0.0.1:${port}/${address}`)).status).toBe(200)
  },
  INSTALL_LIMIT_MS,
)
