import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import pg from 'pg'
import { type RunningServer, startServer } from '../support/served.ts'

/** How often each fault is made; `RESTARTS=50` looks for what only many restarts show. */
const ROUNDS = Number(process.env.RESTARTS ?? 3)
/** Requests under way at the same time. */
const CLIENTS = 12

describe('a restart of PostgreSQL under load', () => {
  let served: RunningServer
  let survey: string

  beforeAll(async () => {
    served = await startServer()
    const { body } = await served.client.post('/api/v3/surveys/', { json: { name: 'Lunch' } })
    survey = `/api/v3/surveys/${body.id}/`
    const questions = [{ idname: 'text-response', id: 'what', title: 'What?', children: [{ type: 'string' }] }]
    await served.client.put(`${survey}structure/`, { json: { title: 'Lunch', form: [{ children: questions }] } })
  }, 120_000)
  afterAll(() => served.stop())

  const errors: Record<string, () => Promise<void>> = {
    fast: async () => void process.kill(served.postmaster(), 'SIGINT'),
    immediate: async () => void process.kill(served.postmaster(), 'SIGQUIT'),
    'by SIGKILL': async () => void process.kill(served.postmaster(), 'SIGKILL'),
    'by pg_terminate_backend': async () => {
      const client = new pg.Client({ connectionString: served.databaseUrl() })
      client.on('error', () => undefined)
      await client.connect()
      await client.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
      )
      await client.end()
    },
  }

  for (const [name, fieldError] of Object.entries(errors))
    test(`(${name}) loses nothing, doubles nothing, and leaves every connection of the pools usable`, async () => {
      const recoveries: number[] = []
      const audit = load()
      await audit.acknowledged(1)
      for (let round = 0; round < ROUNDS; round += 1) {
        const index = performance.now()
        const before = served.postmaster()
        await fieldError()
        while (!name.startsWith('by pg_') && [before, undefined].includes(postmaster())) await pause(5)
        await audit.acknowledged(1)
        recoveries.push(Math.round(performance.now() - index))
        await audit.acknowledged(CLIENTS)
      }
      await audit.stop()
      console.info(`${name}: writes again after ${recoveries.join(', ')} ms`)
      expect(Math.max(...recoveries)).toBeLessThan(10_000)
      expect(audit.unexpected).toEqual([])
      await expectStoredOnce(audit.markers)
      await expectPoolsWhole()
    }, 600_000)

  /** Undefined while there is none. */
  function postmaster(): number | undefined {
    try {
      return served.postmaster()
    } catch {
      return undefined
    }
  }

  /** Clients that write without a pause, by the batches and by the entity manager. */
  function load() {
    const markers = new Set<string>()
    const unexpected: number[] = []
    let going = true
    let count = 0
    const one = async (id: number) => {
      for (let turn = 0; going; turn += 1) {
        const marker = `${id} ${turn} ${Math.random()}`
        const [submitted, renamed] = await Promise.all([
          served.client.post(`${survey}responses/`, { json: { what: marker } }),
          served.client.put(survey, { json: { name: `Lunch ${turn}` } }),
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
    const clients = Array.from({ length: CLIENTS }, (_, id) => one(id))
    return {
      markers,
      unexpected,
      async acknowledged(more: number) {
        const goal = count + more
        for (const deadline = Date.now() + 60_000; count < goal; await pause(5))
          if (Date.now() > deadline) throw new Error('nothing was stored for a minute')
      },
      async stop() {
        going = false
        await Promise.all(clients)
      },
    }
  }

  async function expectStoredOnce(markers: ReadonlySet<string>): Promise<void> {
    const { text } = await served.client.get(`${survey}csv/?include=what`)
    const stored = text
      .trim()
      .split('\r\n')
      .map((row) => row.split(',').at(-1)!)
    expect([...markers].filter((marker) => !stored.includes(marker))).toEqual([])
    expect(new Set(stored).size).toBe(stored.length)
  }

  async function expectPoolsWhole(): Promise<void> {
    for (const pool of ['entities', 'hot']) {
      const value = (state: string) => served.metric(`database_connections{pool="${pool}",state="${state}"}`)
      for (const deadline = Date.now() + 10_000; (await value('idle')) !== (await value('total')); await pause(50))
        if (Date.now() > deadline)
          throw new Error(`${pool}: ${await value('idle')} of ${await value('total')} are idle`)
      expect(await value('waiting')).toBe(0)
    }
  }
})
