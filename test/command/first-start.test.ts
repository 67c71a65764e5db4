import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import pg from 'pg'
import { removeEmbedded } from '../../src/db/embedded/embedded.ts'
import { freePort, type RunningProgram, startProgram } from '../support/process.ts'
import { temporaryFolder } from '../support/temp-postgres.ts'

const admin = { ADMIN_USERNAME: 'ann', ADMIN_EMAIL: 'ann@example.org', ADMIN_PASSWORD: 'a password for tests' }
let folder: string
let servers: RunningProgram[]
beforeEach(() => {
  folder = temporaryFolder()
  servers = []
})
afterEach(async () => {
  await Promise.all(servers.map((server) => server.kill('SIGKILL')))
  await removeEmbedded(path.join(folder, 'data', 'postgres'))
  fs.rmSync(folder, { recursive: true })
})

/** Starts a server and waits until it is ready or exits. @returns its output */
async function serve(settings: Record<string, string>): Promise<string> {
  const env = {
    PORT: String(await freePort()),
    DATA_DIR: path.join(folder, 'data'),
    LOG_LEVEL: 'silent',
    STOP_DELAY_SECONDS: '0',
    ...settings,
  }
  const server = startProgram(env, 'src/main.mjs', 'serve')
  servers.push(server)
  await server.waitForOutput('Canvass is running').catch(() => undefined)
  return server.output()
}

const stopAll = () => Promise.all(servers.map((server) => server.kill('SIGTERM')))

describe('two servers that start for the first time at the same moment', () => {
  test('both serve requests when they share a data folder and an administrator', async () => {
    const outputs = await Promise.all([serve(admin), serve(admin)])
    for (const output of outputs) expect(output).toContain('Canvass is running')
    expect(await stopAll()).toEqual([0, 0])
    expect(fs.readdirSync(path.join(folder, 'data')).filter((name) => name.includes('new'))).toEqual([])
  }, 120_000)

  test('both serve requests when they share a PostgreSQL server that does not have the database yet', async () => {
    const name = `first_${randomBytes(6).toString('hex')}`
    const server = process.env.TEST_SERVER_URL!
    const DATABASE_URL = Object.assign(new URL(server), { pathname: `/${name}` }).href
    try {
      const settings = { ...admin, DATABASE_URL, SECRET_KEY: 'a key for tests, long enough to be one' }
      const outputs = await Promise.all([serve(settings), serve(settings)])
      for (const output of outputs) expect(output).toContain('Canvass is running')
      expect(await stopAll()).toEqual([0, 0])
    } finally {
      const client = new pg.Client({ connectionString: server })
      await client.connect()
      await client.query(`drop database if exists ${name} with (force)`)
      await client.end()
    }
  }, 120_000)
})

describe('a server that is killed during its first start, while it creates the cluster', () => {
  test('leaves no files behind after the next start', async () => {
    const data = path.join(folder, 'data')
    const drafts = () =>
      fs.existsSync(data) ? fs.readdirSync(data).filter((name) => name.startsWith('postgres.new-')) : []
    void serve(admin)
    for (const deadline = Date.now() + 30_000; drafts().length < 2 && Date.now() < deadline; await pause(5));
    const [killed] = servers
    await killed!.kill('SIGKILL')
    expect(drafts().length).toBeGreaterThan(0)
    // Earlier versions of Canvass gave such names to unfinished clusters.
    fs.mkdirSync(path.join(data, 'postgres.new-0a1b2c3d', 'base'), { recursive: true })
    expect(await serve(admin)).toContain('Canvass is running')
    expect(drafts()).toEqual([])
    servers.shift()
    expect(await stopAll()).toEqual([0])
  }, 120_000)
})
