import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { runSql } from '../support/replicated-postgres.ts'
import { runCanvass } from '../support/run-canvass.ts'
import { startServer } from '../support/running-server.ts'
import { CLIENT_PASSPHRASE, startTlsPostgres, type TlsPostgres } from '../support/tls-postgres.ts'

const LIMIT_MS = 180_000
const SECRET_KEY = 'a key for tests, long enough to be one'
const ANY_HOST = ['host all all all scram-sha-256']

/** Maximum number of times that many responses are sent at once. */
const MAX_ROUNDS = 40
/** The names of all connections of servers, workers, and the commands in {@link useEverything}. */
const NAMES = [
  'canvass',
  'canvass-backup',
  'canvass-doctor',
  'canvass-hot',
  'canvass-jobs',
  'canvass-migrate',
  'canvass-probe',
  'canvass-queue',
  'canvass-replica',
  'canvass-start',
  'canvass-turns',
  'canvass-worker',
]

let postgres: TlsPostgres

beforeAll(async () => {
  postgres = await startTlsPostgres()
}, LIMIT_MS)
afterAll(() => postgres?.stop(), LIMIT_MS)

/** Runs a server with several processes, and the commands, until each kind of connection has been opened. */
async function useEverything(url: string): Promise<Map<string, boolean[]>> {
  const sessions = new Map<string, boolean[]>()
  const settings = { DATABASE_URL: url, SECRET_KEY, RATE_LIMIT: 'off' }
  const server = await startServer({ ...settings, DATABASE_REPLICA_URL: url, PROCESSES: '2' })
  try {
    const { client } = server
    const { body: survey } = await client.post('/api/v3/surveys/', { json: { name: 'Drinks' } })
    const question = { idname: 'text-response', id: 'drink', title: 'Drink', children: [{ type: 'string' }] }
    const structure = { title: 'Drinks', form: [{ type: 'page', children: [question] }] }
    await client.put(`/api/v3/surveys/${survey.id}/structure/`, { json: structure })
    const submit = () => client.post(`/api/v3/surveys/${survey.id}/responses/`, { json: { drink: 'tea' } })
    // A process takes turns only if several responses wait. How many wait depends on the speed of the machine.
    const hasTurns = async () => {
      const named = `select from pg_stat_activity where datname = 'canvass' and application_name like 'canvass-turns%'`
      return (await runSql(postgres.database.url(), named)).length > 0
    }
    for (let round = 0; round < MAX_ROUNDS && !(await hasTurns()); round += 1) {
      const replies = await Promise.all(Array.from({ length: 24 }, submit))
      expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([201]))
    }
    // Each of the two processes answers some of the requests.
    for (let round = 0; round < 6; round += 1) {
      expect((await client.get(`/api/v3/surveys/${survey.id}/responses/`)).status).toBe(200)
      expect((await fetch(`${server.base}/readyz`)).status).toBe(200)
    }
    const rows = await runSql<{ name: string; ssl: boolean }>(
      postgres.database.url(),
      `select regexp_replace(application_name, ' [0-9a-f]{16}$', '') as name, ssl
         from pg_stat_ssl join pg_stat_activity using (pid) where datname = 'canvass'`,
    )
    for (const { name, ssl } of rows) sessions.set(name, [...(sessions.get(name) ?? []), ssl])
    const backup = await runCanvass({ ...settings, DATA_DIR: server.dataDir }, 'backup', `${server.dataDir}/a.backup`)
    expect(backup).toEqual({ code: 0, output: expect.stringContaining('(verified)') })
    await runCanvass({ ...settings, DATA_DIR: server.dataDir, DATABASE_REPLICA_URL: url }, 'doctor')
  } finally {
    await server.stop()
  }
  return sessions
}

describe('sslmode in DATABASE_URL', () => {
  const verified = () => `&sslrootcert=${postgres.file('ca.crt')}`
  test.each([
    ['', true],
    ['?sslmode=disable', false],
    ['?sslmode=allow', false],
    ['?sslmode=prefer', true],
    ['?sslmode=require', true],
    ['?sslmode=no-verify', true],
    ['?sslmode=verify-ca', true],
    ['?sslmode=verify-full', true],
  ])(
    'applies to every connection of the program: %j',
    async (mode, encrypted) => {
      await postgres.allow(...ANY_HOST)
      const url = postgres.url('localhost', mode.startsWith('?sslmode=verify') ? mode + verified() : mode)
      let sessions = new Map<string, boolean[]>()
      const logged = await postgres.connectionsDuring(async () => {
        sessions = await useEverything(url)
      })
      expect([...new Set(logged.map(({ name }) => name))].sort()).toEqual(NAMES)
      expect(logged.filter((connection) => connection.encrypted !== encrypted)).toEqual([])
      expect(new Set([...sessions.values()].flat())).toEqual(new Set([encrypted]))
      expect([...sessions.keys()]).toEqual(expect.arrayContaining(['canvass', 'canvass-hot', 'canvass-queue']))
    },
    LIMIT_MS,
  )

  /** Runs `migrate`, which opens the database as all commands do. */
  const migrate = (url: string) => runCanvass({ DATABASE_URL: url, SECRET_KEY }, 'migrate')

  test.each(['require', 'verify-ca', 'verify-full'])(
    'refuses a server with a certificate of another authority: %s',
    async (mode) => {
      const url = postgres.url('localhost', `?sslmode=${mode}&sslrootcert=${postgres.file('wrong.crt')}`)
      const logged = await postgres.connectionsDuring(async () => {
        expect(await migrate(url)).toEqual({
          code: 1,
          output: expect.stringMatching(
            /^DATABASE_URL: cannot connect to the database at localhost:\d+: .*certificate.*\. Add sslrootcert=FILE .*\n$/,
          ),
        })
      })
      expect(logged).toEqual([])
    },
    LIMIT_MS,
  )

  test(
    'refuses a certificate for another host with verify-full, and accepts it with verify-ca',
    async () => {
      const { code, output } = await migrate(postgres.url('127.0.0.1', `?sslmode=verify-full${verified()}`))
      expect([code, output]).toEqual([1, expect.stringMatching(/127\.0\.0\.1.*(altnames|cert)/i)])
      expect(await migrate(postgres.url('127.0.0.1', `?sslmode=verify-ca${verified()}`))).toEqual({
        code: 0,
        output: expect.stringContaining('The database is up to date.'),
      })
    },
    LIMIT_MS,
  )

  test(
    'refuses a server without TLS in every mode that asks for it',
    async () => {
      await postgres.setTls('off')
      for (const mode of ['require', 'no-verify', `verify-ca${verified()}`, `verify-full${verified()}`])
        expect([mode, await migrate(postgres.url('localhost', `?sslmode=${mode}`))]).toEqual([
          mode,
          { code: 1, output: expect.stringMatching(/^DATABASE_URL: cannot connect .*does not support SSL.*\n$/) },
        ])
      expect((await migrate(postgres.url('localhost', '?sslmode=prefer'))).code).toBe(0)
      // That the server has no TLS is not why the second attempt failed.
      const wrong = Object.assign(new URL(postgres.url('localhost', '?sslmode=prefer')), { password: 'wrong' })
      const refused = await migrate(wrong.href)
      expect(refused.output).toMatch(/^DATABASE_URL: cannot connect .*: password authentication failed/)
      expect(refused.output).not.toContain('SSL')
      await postgres.setTls('on')
    },
    LIMIT_MS,
  )

  test(
    'uses the other way with allow and prefer if pg_hba.conf refuses the first one',
    async () => {
      for (const [rule, mode, encrypted] of [
        ['hostssl all all all scram-sha-256', 'allow', true],
        ['hostnossl all all all scram-sha-256', 'prefer', false],
      ] as const) {
        await postgres.allow(rule)
        const logged = await postgres.connectionsDuring(async () => {
          expect((await migrate(postgres.url('localhost', `?sslmode=${mode}`))).code).toBe(0)
        })
        expect(logged.length).toBeGreaterThan(0)
        expect(logged.filter((connection) => connection.encrypted !== encrypted)).toEqual([])
      }
      await postgres.allow('hostssl all all all scram-sha-256')
      expect(await migrate(postgres.url('localhost', '?sslmode=disable'))).toEqual({
        code: 1,
        output: expect.stringMatching(/no pg_hba\.conf entry .*Check the rules in pg_hba\.conf/),
      })
      await postgres.allow(...ANY_HOST)
    },
    LIMIT_MS,
  )

  test(
    'presents a client certificate with a passphrase, and binds the authentication to the TLS connection',
    async () => {
      await postgres.allow('hostssl all all all scram-sha-256 clientcert=verify-full')
      const client = `&sslcert=${postgres.file('client.crt')}&sslkey=${postgres.file('client.key')}`
      const secret = `&sslpassword=${encodeURIComponent(CLIENT_PASSPHRASE)}`
      const base = postgres.url('localhost', `?sslmode=verify-full${verified()}`)
      expect((await migrate(base)).code).toBe(1)
      expect((await migrate(base + client + secret)).code).toBe(0)
      expect((await migrate(`${base}${client}${secret}&channel_binding=require`)).code).toBe(0)
      await postgres.allow('hostssl all all all trust')
      expect(await migrate(`${base}&channel_binding=require`)).toEqual({
        code: 1,
        output: expect.stringContaining('SCRAM-SHA-256-PLUS'),
      })
      await postgres.allow(...ANY_HOST)
    },
    LIMIT_MS,
  )

  test(
    'is an error with one sentence at the start if it cannot be honoured',
    async () => {
      for (const [query, reason] of [
        ['?sslmode=verify-ca', /^DATABASE_URL has sslmode=verify-ca, which needs sslrootcert=FILE/],
        [
          '?sslmode=verify-full&sslrootcert=/none',
          /^DATABASE_URL has sslrootcert, but \/none cannot be read \(ENOENT\)/,
        ],
        ['?sslmode=secure', /^DATABASE_URL has sslmode, which must be one of disable, allow, /],
        ['?gssencmode=require', /^DATABASE_URL has gssencmode with a value that is not supported/],
        ['?channel_binding=require', /^DATABASE_URL has channel_binding=require, which needs sslmode=require/],
        ['?schema=app', /^DATABASE_URL has the parameter schema, which is not supported/],
      ] as const) {
        const { code, output } = await migrate(postgres.url('localhost', query))
        expect([code, output]).toEqual([1, expect.stringMatching(reason)])
        expect(output.trim().split('\n')).toHaveLength(1)
      }
    },
    LIMIT_MS,
  )

  test(
    'is shown by doctor, as PostgreSQL sees the connection',
    async () => {
      const doctor = (url: string) =>
        runCanvass({ DATABASE_URL: url, SECRET_KEY, DATA_DIR: '/tmp' }, 'doctor').then(({ output }) => output)
      expect(await doctor(postgres.url('localhost', `?sslmode=verify-full${verified()}`))).toMatch(
        /ok +database\.encryption: connections are encrypted \(sslmode=verify-full, TLSv1\.\d, \S+\), and its certificate is/,
      )
      expect(await doctor(postgres.url('localhost', '?sslmode=disable'))).toMatch(
        /ok +database\.encryption: connections stay on this machine and are not encrypted/,
      )
    },
    LIMIT_MS,
  )
})
