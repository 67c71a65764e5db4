import { mkdirSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { migrationNames } from '../../src/db/migrate.ts'
import { freePort } from '../support/process.ts'
import { type ReplicatedPostgres, runSql, startReplicatedPostgres } from '../support/replicated-postgres.ts'
import { runCanvass } from '../support/run-canvass.ts'
import { type RunningServer, startServer } from '../support/running-server.ts'
import { temporaryFolder } from '../support/temp-postgres.ts'
import { waitUntil } from '../support/wait-until.ts'

const LIMIT_MS = 120_000
const SECRET_KEY = 'a key for tests, long enough to be one'

let postgres: ReplicatedPostgres
/** User name and password. */
let credentials: string

beforeAll(async () => {
  postgres = await startReplicatedPostgres()
  credentials = new URL(postgres.primary.url()).href.replace(/@.*/, '')
  await runSql(postgres.primary.url(), 'create database canvass')
}, LIMIT_MS)
afterAll(() => postgres?.stop(), LIMIT_MS)

const run = (url: string, ...args: string[]) => runCanvass({ DATABASE_URL: url, SECRET_KEY, DATA_DIR: '/tmp' }, ...args)
const done = { code: 0, output: expect.stringContaining('The database is up to date.') }

async function createSurvey({ client }: RunningServer): Promise<number> {
  return (await client.post('/api/v3/surveys/', { json: { name: 'Drinks' } })).status
}

describe('DATABASE_URL with several hosts', () => {
  test(
    'serves from the first host that accepts writes, and from the standby after it is promoted',
    async () => {
      const hosts = `127.0.0.1:${postgres.replica.port},127.0.0.1:${await freePort()},127.0.0.1:${postgres.primary.port}`
      const url = `${credentials}@${hosts}/canvass`
      const server = await startServer({ DATABASE_URL: url, SECRET_KEY, RATE_LIMIT: 'off' })
      try {
        expect(await createSurvey(server)).toBe(201)
        const surveys = () => runSql(postgres.replica.url('canvass'), 'select from survey')
        await waitUntil(async () => (await surveys().catch(() => [])).length === 1, LIMIT_MS)
        process.kill(postgres.primary.pid, 'SIGQUIT')
        await runSql(postgres.replica.url(), 'select pg_promote()')
        await waitUntil(async () => (await createSurvey(server)) === 201, LIMIT_MS)
        expect((await surveys()).length).toBeGreaterThanOrEqual(2)
      } finally {
        await server.stop()
      }
    },
    LIMIT_MS,
  )

  test(
    'names every host and its reason if none can be used',
    async () => {
      const [one, two] = [await freePort(), await freePort()]
      const { code, output } = await run(`postgres://u:secret@127.0.0.1:${one},127.0.0.1:${two}/canvass`, 'migrate')
      expect([code, output.trim().split('\n').length]).toEqual([1, 1])
      for (const port of [one, two]) expect(output).toContain(`127.0.0.1:${port} with TLS: connect ECONNREFUSED`)
      expect(output).not.toContain('secret')
    },
    LIMIT_MS,
  )
})

describe('DATABASE_URL with a socket', () => {
  test(
    'serves every kind of connection through the socket, in each form of the URL',
    async () => {
      const folder = temporaryFolder()
      const sockets = path.join(folder, 'sockets')
      mkdirSync(sockets)
      const port = postgres.replica.port
      let connections = 0
      const proxy = createServer((inner) => {
        connections += 1
        const outer = connect(port, '127.0.0.1')
        inner.pipe(outer).pipe(inner)
        for (const socket of [inner, outer]) socket.on('error', () => socket.destroy())
      }).listen(path.join(sockets, '.s.PGSQL.5432'))
      const [, user, password] = /^postgres:\/\/([^:]*):(.*)$/.exec(credentials)!
      const encoded = encodeURIComponent(sockets)
      const urls = [
        `${credentials}@${encoded}/canvass`,
        `${credentials}@/canvass?host=${sockets}`,
        `${credentials}@localhost:1/canvass?host=${sockets}&port=5432`,
        `postgres:///canvass?host=${sockets}&user=${user}&password=${password}&sslmode=require`,
      ]
      try {
        for (const url of urls) {
          const before = connections
          expect([url, await run(url, 'migrate')]).toEqual([url, done])
          expect(connections).toBeGreaterThan(before)
        }
        const server = await startServer({ DATABASE_URL: urls[1]!, SECRET_KEY, RATE_LIMIT: 'off' })
        expect(await createSurvey(server)).toBe(201)
        await server.stop()
      } finally {
        proxy.close()
        rmSync(folder, { recursive: true })
      }
    },
    LIMIT_MS,
  )
})

test(
  'migrate creates the database and all tables, whatever the working directory is',
  async () => {
    const url = postgres.replica.url('from_another_folder')
    expect(await run(url, 'migrate')).toEqual(done)
    expect(await runSql(url, 'select name from migration order by name')).toEqual(
      migrationNames.map((name) => ({ name })),
    )
  },
  LIMIT_MS,
)

describe('the parameters of DATABASE_URL', () => {
  test(
    'set the database, the name and the settings of each session, and do not replace those of the program',
    async () => {
      const address = `127.0.0.1:${postgres.replica.port}`
      // Without a database name, the database has the name of the user.
      expect(await run(`${credentials}@${address}?connect_timeout=5`, 'migrate')).toEqual(done)
      const options = encodeURIComponent('-c work_mem=7MB -c jit=on')
      const url = `${credentials}@${address}/canvass?application_name=surveys&options=${options}`
      const server = await startServer({ DATABASE_URL: url, SECRET_KEY, RATE_LIMIT: 'off' })
      await createSurvey(server)
      const names = await runSql<{ name: string }>(
        postgres.replica.url(),
        `select distinct regexp_replace(application_name, ' [0-9a-f]{16}$', '') as name from pg_stat_activity
           where datname = 'canvass' and application_name like 'canvass%' order by 1`,
      )
      expect(names.map(({ name }) => name)).toEqual(expect.arrayContaining(['canvass surveys', 'canvass-hot surveys']))
      expect(names.filter(({ name }) => !name.endsWith(' surveys'))).toEqual([])
      await server.stop()
    },
    LIMIT_MS,
  )
})
