import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import pg from 'pg'
import { type RunningServer, startServer } from '../support/running-server.ts'
import { waitUntil } from '../support/wait-until.ts'

/** The number of restarts for each signal. `RESTARTS=50` finds rare errors. */
const ROUNDS = Number(process.env.RESTARTS ?? 3)
/** The number of concurrent clients. */
const CLIENTS = 12

describe('a restart of PostgreSQL under load', () => {
  let server: RunningServer
  let survey: string

  beforeAll(async () => {
    server = await startServer()
    const { body } = await server.client.post('/api/v3/surveys/', { json: { name: 'Lunch' } })
    survey = `/api/v3/surveys/${body.id}/`
    const questions = [{ idname: 'text-response', id: 'what', title: 'What?', children: [{ type: 'string' }] }]
    await server.client.put(`${survey}structure/`, { json: { title: 'Lunch', form: [{ children: questions }] } })
  }, 120_000)
  afterAll(() => server.stop())

  const restarts: Record<string, () => Promise<void>> = {
    fast: async () => void process.kill(server.postmaster(), 'SIGINT'),
    immediate: async () => void process.kill(server.postmaster(), 'SIGQUIT'),
    'by SIGKILL': async () => void process.kill(server.postmaster(), 'SIGKILL'),
    'by pg_terminate_backend': async () => {
      const client = new pg.Client({ connectionString: server.databaseUrl() })
      client.on('error', () => undefined)
      await client.connect()
      await client.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
      )
      await client.end()
    },
  }

  for (const [name, restart] of Object.entries(restarts))
    test(`(${name}) stores each acknowledged response once, and leaves all pooled connections usable`, async () => {
      const recoveries: number[] = []
      const load = startLoad()
      await load.acknowledged(1)
      for (let round = 0; round < ROUNDS; round += 1) {
        const start = performance.now()
        const before = server.postmaster()
        await restart()
        if (!name.startsWith('by pg_')) await waitUntil(() => ![before, undefined].includes(postmaster()), 60_000)
        await load.acknowledged(1)
        recoveries.push(Math.round(performance.now() - start))
        await load.acknowledged(CLIENTS)
      }
      await load.stop()
      console.info(`${name}: writes again after ${recoveries.join(', ')} ms`)
      expect(Math.max(...recoveries)).toBeLessThan(10_000)
      expect(load.unexpected).toEqual([])
      await expectStoredOnce(load.markers)
      await expectIdlePools()
    }, 600_000)

  /** Returns the process ID of PostgreSQL; undefined while PostgreSQL restarts. */
  function postmaster(): number | undefined {
    try {
      return server.postmaster()
    } catch {
      return undefined
    }
  }

  /** Starts clients that continuously submit responses and rename the survey. */
  function startLoad() {
    const markers = new Set<string>()
    const unexpected: number[] = []
    let running = true
    let count = 0
    let failure: unknown
    const runClient = async (id: number) => {
      for (let round = 0; running; round += 1) {
        const marker = `${id} ${round} ${Math.random()}`
        const [submitted, renamed] = await Promise.all([
          server.client.post(`${survey}responses/`, { json: { what: marker } }),
          server.client.put(survey, { json: { name: `Lunch ${round}` } }),
        ])
        if (submitted.status === 201) {
          markers.add(marker)
          count += 1
        }
        for (const { status, headers } of [submitted, renamed])
          if (status === 503 ? !headers.has('retry-after') : status >= 500) unexpected.push(status)
        if (submitted.status === 503) await pause(20)
      }
    }
    const clients = Array.from({ length: CLIENTS }, (_, id) =>
      runClient(id).catch((error) => {
        failure ??= error
      }),
    )
    return {
      markers,
      unexpected,
      async acknowledged(more: number) {
        const goal = count + more
        for (const deadline = Date.now() + 60_000; count < goal; await pause(5))
          if (failure || Date.now() > deadline)
            throw new Error(`nothing is stored: ${server.output().slice(-4000)}`, { cause: failure })
      },
      async stop() {
        running = false
        await Promise.all(clients)
        if (failure) throw failure
      },
    }
  }

  async function expectStoredOnce(markers: ReadonlySet<string>): Promise<void> {
    const { text } = await server.client.get(`${survey}csv/?include=what`)
    const stored = text
      .trim()
      .split('\r\n')
      .map((row) => row.split(',').at(-1)!)
    expect([...markers].filter((marker) => !stored.includes(marker))).toEqual([])
    expect(new Set(stored).size).toBe(stored.length)
  }

  async function expectIdlePools(): Promise<void> {
    for (const pool of ['entities', 'hot']) {
      const value = (state: string) => server.metric(`database_connections{pool="${pool}",state="${state}"}`)
      for (const deadline = Date.now() + 10_000; (await value('idle')) !== (await value('total')); await pause(50))
        if (Date.now() > deadline)
          throw new Error(`${pool}: ${await value('idle')} of ${await value('total')} are idle`)
      expect(await value('waiting')).toBe(0)
    }
  }
})
