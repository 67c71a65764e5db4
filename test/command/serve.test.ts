import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { createTestDatabase } from '../support/database.ts'
import { startProgram } from '../support/process.ts'

const root = path.resolve(import.meta.dirname, '../..')
const busyServer = createServer((line) => line.destroy())
let empty: Awaited<ReturnType<typeof createTestDatabase>>
let taken: number
beforeAll(async () => {
  empty = await createTestDatabase()
  await once(busyServer.listen(0, '127.0.0.1'), 'listening')
  taken = (busyServer.address() as AddressInfo).port
})
afterAll(async () => {
  busyServer.close()
  await empty.drop()
})

interface Ended {
  code: unknown
  printed: string
}

/** Runs `serve` with settings that prevent its start. */
const refused = (settings: Record<string, string>): Promise<Ended> =>
  new Promise((resolve) => {
    const env = { PATH: process.env.PATH, SECRET_KEY: 'a key for tests, long enough to be one', ...settings }
    execFile(process.execPath, ['src/main.ts', 'serve'], { cwd: root, env }, (error, stdout, stderr) =>
      resolve({ code: error?.code, printed: stdout + stderr }),
    )
  })

/** Runs `serve` until it is ready, and stops it. @returns its output */
async function printedAtStart(settings: Record<string, string>): Promise<string> {
  const server = startProgram(
    { PORT: '0', LOG_LEVEL: 'silent', STOP_DELAY_SECONDS: '0', ...settings },
    'src/main.ts',
    'serve',
  )
  await server.waitForOutput('Canvass is running at').finally(() => server.kill('SIGTERM'))
  return server.output()
}

describe('serve', () => {
  test('restricts access to a new data folder and warns on a public server that it sends no e-mail', async () => {
    const parent = mkdtempSync(path.join(tmpdir(), 'canvass-start-'))
    const folder = path.join(parent, 'new', 'data')
    const settings = { DATABASE_URL: empty.url, DATA_DIR: folder }
    try {
      const open = await printedAtStart({ ...settings, BASE_URL: 'https://surveys.example.org' })
      expect(open).toContain('Warning: SMTP_URL is not set. No email is delivered')
      expect(statSync(folder).mode & 0o777).toBe(0o700)
      expect(statSync(path.dirname(folder)).mode & 0o055).not.toBe(0)
      expect(await printedAtStart(settings)).not.toContain('Warning')
    } finally {
      rmSync(parent, { recursive: true })
    }
  }, 60_000)

  test('reports a port that is in use and prints no secrets', async () => {
    const { code, printed } = await refused({ PORT: String(taken), DATABASE_URL: empty.url })
    expect(code).toBe(1)
    expect(printed).toContain(`Port ${taken} is already in use`)
    expect(printed).not.toContain('password')
  }, 30_000)

  test('prints one line that names a missing database', async () => {
    const { code, printed } = await refused({ PORT: '0', DATABASE_URL: `postgres://ann@127.0.0.1:${taken}/canvass` })
    expect(code).toBe(1)
    expect(printed.trim()).toMatch(new RegExp(`^DATABASE_URL: .* 127\\.0\\.0\\.1:${taken}: .+$`))
  }, 30_000)
})
