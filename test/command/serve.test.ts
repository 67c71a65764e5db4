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
const busyServer = createServer((socket) => socket.destroy())
let empty: Awaited<ReturnType<typeof createTestDatabase>>
let busyPort: number
beforeAll(async () => {
  empty = await createTestDatabase()
  await once(busyServer.listen(0, '127.0.0.1'), 'listening')
  busyPort = (busyServer.address() as AddressInfo).port
})
afterAll(async () => {
  busyServer.close()
  await empty.drop()
})

interface Exit {
  code: unknown
  output: string
}

/** Runs `serve` with settings that prevent its start. */
const failedStart = (settings: Record<string, string>): Promise<Exit> =>
  new Promise((resolve) => {
    const env = { PATH: process.env.PATH, SECRET_KEY: 'a key for tests, long enough to be one', ...settings }
    execFile(process.execPath, ['src/main.mjs', 'serve'], { cwd: root, env }, (error, stdout, stderr) =>
      resolve({ code: error?.code, output: stdout + stderr }),
    )
  })

/** Runs `serve` until it is ready, and stops it. @returns its output */
async function outputAtStart(settings: Record<string, string>): Promise<string> {
  const server = startProgram(
    { PORT: '0', LOG_LEVEL: 'silent', STOP_DELAY_SECONDS: '0', ...settings },
    'src/main.mjs',
    'serve',
  )
  await server.waitForOutput('Canvass is running at').finally(() => server.kill('SIGTERM'))
  return server.output()
}

describe('serve', () => {
  test('restricts access to a new data folder, and on a public server warns that email is not sent', async () => {
    const parent = mkdtempSync(path.join(tmpdir(), 'canvass-start-'))
    const folder = path.join(parent, 'new', 'data')
    const settings = { DATABASE_URL: empty.url, DATA_DIR: folder }
    try {
      const output = await outputAtStart({ ...settings, BASE_URL: 'https://surveys.example.org' })
      expect(output).toContain('Warning: SMTP_URL is not set. No email is delivered')
      expect(statSync(folder).mode & 0o777).toBe(0o700)
      expect(statSync(path.dirname(folder)).mode & 0o055).not.toBe(0)
      expect(await outputAtStart(settings)).not.toContain('Warning')
    } finally {
      rmSync(parent, { recursive: true })
    }
  }, 60_000)

  test('reports a port that is in use and prints no secrets', async () => {
    // The other database belongs to a generated secret key.
    const own = await createTestDatabase()
    const { code, output } = await failedStart({ PORT: String(busyPort), DATABASE_URL: own.url })
    await own.drop()
    expect(code).toBe(1)
    expect(output).toContain(`Port ${busyPort} is already in use`)
    expect(output).not.toContain('password')
  }, 30_000)

  test('prints one line with the address of a database that cannot be reached', async () => {
    const { code, output } = await failedStart({
      PORT: '0',
      DATABASE_URL: `postgres://ann@127.0.0.1:${busyPort}/canvass`,
    })
    expect(code).toBe(1)
    expect(output.trim()).toMatch(new RegExp(`^DATABASE_URL: .* 127\\.0\\.0\\.1:${busyPort}: .+$`))
  }, 30_000)
})
