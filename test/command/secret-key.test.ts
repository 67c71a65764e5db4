import { readdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { migrationNames } from '../../src/db/migrate.ts'
import { query } from '../support/backups.ts'
import { createTestDatabase } from '../support/database.ts'
import { freePort, startProgram } from '../support/process.ts'
import { runCanvass } from '../support/run-canvass.ts'
import { temporaryFolder } from '../support/temp-postgres.ts'

const key = 'the secret key of this database, long enough'
const otherKey = 'another secret key of more than 32 characters'
const apiKey = 'a key for this test that is long enough'
const REFUSAL =
  'The secret key is not the one with which this database was used. Set SECRET_KEY, or restore DATA_DIR/secret-key.\n'
const TIMEOUT_MS = 180_000

let folder: string
let database: Awaited<ReturnType<typeof createTestDatabase>>
beforeAll(async () => {
  folder = temporaryFolder()
  database = await createTestDatabase()
})
afterAll(async () => {
  await database.drop()
  rmSync(folder, { recursive: true })
})

const settingsWith = (secretKey: string) => ({
  DATABASE_URL: database.url,
  DATA_DIR: path.join(folder, 'data'),
  SECRET_KEY: secretKey,
  ADMIN_USERNAME: 'ann',
  ADMIN_EMAIL: 'ann@example.org',
  ADMIN_PASSWORD: 'a password for tests',
  ADMIN_API_KEY: apiKey,
  LOG_LEVEL: 'silent',
  STOP_DELAY_SECONDS: '0',
  WORKER: 'off',
})
const run = (secretKey: string, ...args: string[]) => runCanvass(settingsWith(secretKey), ...args)

/** Starts `serve` with the key of the database. @returns the status of a request with the API key of the settings */
async function serveOnce(): Promise<number> {
  const port = await freePort()
  const server = startProgram({ ...settingsWith(key), PORT: String(port) }, 'src/main.mjs', 'serve')
  await server.waitForOutput('Canvass is running')
  const authorization = `Basic ${btoa(`${apiKey}:a password for tests`)}`
  const { status } = await fetch(`http://127.0.0.1:${port}/api/v3/surveys/`, { headers: { authorization } })
  expect(await server.kill('SIGTERM')).toBe(0)
  return status
}

const chainFinding = async (secretKey: string) => {
  const { output } = await run(secretKey, 'doctor', '--json')
  const { findings } = JSON.parse(output) as { findings: { check: string; status: string; message: string }[] }
  return findings.find(({ check }) => check === 'security log.chain')
}

test(
  'commands refuse another secret key before they write, so that the API key of the administrator stays valid',
  async () => {
    expect(await serveOnce()).toBe(200)
    const backup = path.join(folder, 'a.backup')
    const commands = [['serve'], ['work'], ['migrate'], ['verify-log'], ['user', 'bob', 'bob@example.org']]
    for (const args of [...commands, ['backup', backup, '--include-secret-key']])
      expect([args, await run(otherKey, ...args)]).toEqual([args, { code: 1, output: REFUSAL }])
    // A data folder without a key: the command generates one.
    const fresh = { ...settingsWith(''), SECRET_KEY: '', DATA_DIR: path.join(folder, 'fresh') }
    expect(await runCanvass(fresh, 'serve')).toEqual({ code: 1, output: REFUSAL })
    expect(readdirSync(folder)).not.toContain('a.backup')
    expect(await query(database.url, 'select count(*)::integer from account')).toEqual([{ count: 1 }])
    expect(await serveOnce()).toBe(200)
  },
  TIMEOUT_MS,
)

test(
  'a database of an earlier version shows its key by the only chain of the security log, or accepts the first key',
  async () => {
    const undo = () => run(key, 'migrate', '--undo-after', migrationNames[migrationNames.indexOf(NAME) - 1]!)
    expect((await undo()).code).toBe(0)
    expect((await run(key, 'password', 'ann')).code).toBe(0)
    expect(await query(database.url, 'select count(*)::integer from security_chain')).toEqual([{ count: 1 }])
    expect((await undo()).code).toBe(0)
    expect(await run(otherKey, 'serve')).toEqual({ code: 1, output: REFUSAL })
    expect(await query(database.url, `select to_regclass('secret_key') as name`)).toEqual([{ name: null }])
    expect((await run(key, 'migrate')).code).toBe(0)
    expect(await run(otherKey, 'migrate')).toEqual({ code: 1, output: REFUSAL })
  },
  TIMEOUT_MS,
)
const NAME = 'Migration20261128151500_secret_key'

test(
  'doctor says that the key is another one, and verify-log that a chain begins with another key, not that entries were removed',
  async () => {
    expect(await chainFinding(key)).toMatchObject({ status: 'ok' })
    expect(await chainFinding(otherKey)).toMatchObject({
      status: 'error',
      message: 'The secret key is not the one with which this database was used.',
    })
    // A deliberate change of the key.
    expect((await run(otherKey, 'migrate', '--accept-secret-key')).code).toBe(0)
    expect(await run(key, 'migrate')).toEqual({ code: 1, output: REFUSAL })
    const { code, output } = await run(otherKey, 'verify-log')
    expect(code).toBe(1)
    expect(output).toMatch(/^account \d+: the chain begins with another secret key, or its start was changed$/m)
    expect(output).not.toContain('removed')
  },
  TIMEOUT_MS,
)
