import { connect, createServer, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { freePort, type RunningProgram, startProgram } from '../support/process.ts'
import { type ReplicatedPostgres, runSql, startReplicatedPostgres } from '../support/replicated-postgres.ts'
import { startServer } from '../support/running-server.ts'
import { waitUntil } from '../support/wait-until.ts'

const LIMIT_MS = 120_000
const API_KEY = 'a key of the administrator, 32 characters'
const PASSWORD = 'a password for tests'
const authorization = `Basic ${Buffer.from(`${API_KEY}:${PASSWORD}`).toString('base64')}`

let postgres: ReplicatedPostgres
let server: RunningProgram
let base: string
let survey: string

beforeAll(async () => {
  postgres = await startReplicatedPostgres()
  await runSql(postgres.primary.url(), 'create database canvass')
  const port = await freePort()
  base = `http://127.0.0.1:${port}`
  server = startProgram(
    {
      PORT: String(port),
      DATABASE_URL: postgres.primary.url('canvass'),
      DATABASE_REPLICA_URL: postgres.replica.url('canvass'),
      SECRET_KEY: 'a key for tests, long enough to be one',
      RATE_LIMIT: 'off',
      ADMIN_USERNAME: 'ann',
      ADMIN_EMAIL: 'ann@example.org',
      ADMIN_PASSWORD: PASSWORD,
      ADMIN_API_KEY: API_KEY,
    },
    'src/main.mjs',
    'serve',
  )
  await server.waitForOutput('Canvass is running')
  const { id } = await send('POST', '/api/v3/surveys/', { name: 'Drinks' })
  survey = `/api/v3/surveys/${id}/`
  const question = { idname: 'text-response', id: 'drink', title: 'Drink', children: [{ type: 'string' }] }
  await send('PUT', `${survey}structure/`, { title: 'Drinks', form: [{ type: 'page', children: [question] }] })
}, LIMIT_MS)

afterAll(async () => {
  await server?.kill('SIGKILL')
  await postgres?.stop()
}, LIMIT_MS)

async function fetchOk(path: string, init: RequestInit = {}): Promise<Response> {
  const reply = await fetch(base + path, { ...init, headers: { authorization, ...init.headers } })
  if (!reply.ok) throw new Error(`${reply.status} ${await reply.text()}`)
  return reply
}

async function send(method: string, path: string, body: object): Promise<{ id: number }> {
  const headers = { 'content-type': 'application/json' }
  const reply = await fetchOk(path, { method, headers, body: JSON.stringify(body) })
  return (await reply.json()) as { id: number }
}

const list = async () => (await (await fetchOk(`${survey}responses/`)).json()) as { count: number }
const submit = (drink: string) => send('POST', `${survey}responses/`, { drink })

/** Returns how many reads each database has answered, from the metrics. */
async function countReads(): Promise<Record<string, number>> {
  const text = await (await fetch(`${base}/metrics`)).text()
  const reads = [...text.matchAll(/^database_reads_total\{database="(\w+)"\} (\d+)$/gm)]
  return Object.fromEntries(reads.map(([, database, count]) => [database, Number(count)]))
}

/** Runs reads. @returns how many of these reads each database answered */
async function readsDuring(work: () => Promise<unknown>): Promise<Record<string, number>> {
  const before = await countReads()
  await work()
  const after = await countReads()
  return Object.fromEntries(Object.entries(after).map(([name, count]) => [name, count - (before[name] ?? 0)]))
}

describe('DATABASE_REPLICA_URL', () => {
  test(
    'reads lists, exports, the change feed and reports from the replica',
    async () => {
      await submit('tea')
      await waitUntil(async () => (await readsDuring(list)).replica === 1, LIMIT_MS)
      const report = await send('POST', `${survey}reports/`, { title: 'All' })
      const paths = ['responses/', 'csv/', 'responses/changes/', `reports/${report.id}/`]
      for (const path of paths)
        expect([path, await readsDuring(() => fetchOk(survey + path).then((reply) => reply.text()))]).toEqual([
          path,
          { replica: 1, primary: 0 },
        ])
      expect(await (await fetchOk(`${survey}csv/`)).text()).toContain('tea')
    },
    LIMIT_MS,
  )

  test(
    'lists every response that was stored before the request',
    async () => {
      const reads = await readsDuring(async () => {
        for (let index = 0; index < 40; index += 1) {
          const { count } = await list()
          await submit(`drink ${index}`)
          expect((await list()).count).toBe(count + 1)
        }
      })
      expect(reads.replica).toBeGreaterThan(0)
    },
    LIMIT_MS,
  )

  test(
    'reads from the primary server while the replica is behind, and from the replica again when it has caught up',
    async () => {
      const replicaUrl = postgres.replica.url('canvass')
      await runSql(replicaUrl, 'select pg_wal_replay_pause()')
      const { count } = await list()
      await submit('late')
      const reads = await readsDuring(async () => expect((await list()).count).toBe(count + 1))
      expect(reads).toEqual({ replica: 0, primary: 1 })
      await runSql(replicaUrl, 'select pg_wal_replay_resume()')
      await waitUntil(async () => (await readsDuring(list)).replica === 1, LIMIT_MS)
    },
    LIMIT_MS,
  )

  test(
    'reads from the primary server while the replica is stopped',
    async () => {
      const { count } = await list()
      await postgres.stopReplica()
      await submit('alone')
      const reads = await readsDuring(async () => expect((await list()).count).toBe(count + 1))
      expect(reads).toEqual({ replica: 0, primary: 1 })
      await postgres.startReplica()
    },
    LIMIT_MS,
  )
})

describe('a replica that does not run when the server starts', () => {
  test(
    'delays nothing, and answers reads as soon as it runs',
    async () => {
      const replicaPort = await freePort()
      // Each server replaces the key of the administrator.
      await runSql(postgres.primary.url(), 'create database other')
      const replicaUrl = new URL(postgres.replica.url('other'))
      const target = Number(replicaUrl.port)
      replicaUrl.port = String(replicaPort)
      const other = await startServer({
        DATABASE_URL: postgres.primary.url('other'),
        DATABASE_REPLICA_URL: replicaUrl.href,
        SECRET_KEY: 'a key for tests, long enough to be one',
        RATE_LIMIT: 'off',
      })
      const replicaReads = () => other.metric('database_reads_total{database="replica"}')
      const open = new Set<Socket>()
      const proxy = createServer((inner) => {
        const outer = connect(target, '127.0.0.1')
        inner.pipe(outer).pipe(inner)
        for (const socket of [inner, outer]) {
          open.add(socket)
          socket.on('error', () => socket.destroy())
        }
      })
      try {
        const { body } = await other.client.post('/api/v3/surveys/', { json: { name: 'Early' } })
        const read = async () => (await other.client.get(`/api/v3/surveys/${body.id}/responses/`)).status
        expect([await read(), await replicaReads()]).toEqual([200, 0])
        proxy.listen(replicaPort, '127.0.0.1')
        await waitUntil(async () => (await read()) === 200 && (await replicaReads()) > 0, LIMIT_MS)
        // The replica dies.
        proxy.close()
        for (const socket of open) socket.destroy()
        expect([await read(), await read()]).toEqual([200, 200])
      } finally {
        proxy.close()
        await other.stop()
      }
    },
    LIMIT_MS,
  )
})

test(
  'A replica that is promoted after the primary server crashed has every confirmed response',
  async () => {
    await runSql(postgres.primary.url(), `alter system set synchronous_standby_names = '*'`)
    await runSql(postgres.primary.url(), 'select pg_reload_conf()')
    await waitUntil(async () => {
      const [state] = await runSql<{ sync_state: string }>(
        postgres.primary.url(),
        'select sync_state from pg_stat_replication',
      )
      return state?.sync_state === 'sync'
    }, LIMIT_MS)
    const confirmed: string[] = []
    let isCrashed = false
    const clients = Array.from({ length: 8 }, async (_, client) => {
      for (let index = 0; !isCrashed; index += 1) {
        const drink = `confirmed ${client} ${index}`
        const isStored = await submit(drink).then(
          () => true,
          () => false,
        )
        if (isStored) confirmed.push(drink)
      }
    })
    await waitUntil(() => confirmed.length >= 100, LIMIT_MS)
    process.kill(postgres.primary.pid, 'SIGQUIT')
    isCrashed = true
    await server.kill('SIGKILL')
    await Promise.all(clients)
    const replicaUrl = postgres.replica.url('canvass')
    await runSql(replicaUrl, 'select pg_promote()')
    const rows = await runSql<{ drink: string }>(replicaUrl, `select answers->>'drink' as drink from response`)
    const stored = new Set(rows.map(({ drink }) => drink))
    expect(confirmed.filter((drink) => !stored.has(drink))).toEqual([])
  },
  LIMIT_MS,
)
