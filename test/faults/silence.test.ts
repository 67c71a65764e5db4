import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { pino } from 'pino'
import { operationsOf } from '../../src/api/engine/mount.ts'
import * as versions from '../../src/api/versions.ts'
import { makeSurvey } from '../support/responses.ts'
import { type SilentProxy, startSilentProxy } from '../support/silent-proxy.ts'
import { waitUntil } from '../support/wait-until.ts'
import { type Person, useWorld } from '../support/world.ts'

const ONE_QUESTION = {
  title: 'Lunch',
  form: [
    {
      type: 'page',
      children: [{ idname: 'text-response', id: 'what', title: 'What?', children: [{ type: 'string' }] }],
    },
  ],
}
/** The service should reply after at most two seconds, but a machine that also runs other tests may be slower. */
const MAX_REPLY_MS = 4_000

let proxy: SilentProxy
beforeAll(async () => {
  proxy = await startSilentProxy()
})
afterAll(() => proxy.stop())

describe('a database that refuses connections', () => {
  const lines: { level: number; msg: string }[] = []
  const log = pino({ level: 'info' }, { write: (line) => lines.push(JSON.parse(line)) })
  let stopped: SilentProxy
  beforeAll(async () => {
    stopped = await startSilentProxy()
  })
  afterAll(() => stopped.stop())
  const world = useWorld({ realTime: true, log, databaseProxy: (url) => stopped.through(url) })

  test('is logged once as an error, and logged again when it is reachable', async () => {
    const person = await world.person()
    await stopped.refuse()
    const status = async () => (await person.get('/api/v3/surveys/')).status
    await waitUntil(async () => (await status()) === 503, 10_000)
    await waitUntil(() => lines.some(({ msg }) => msg === 'database is unreachable'), 10_000)
    await stopped.accept()
    await waitUntil(async () => (await status()) === 200, 10_000)
    const said = lines.filter(({ msg }) => msg?.startsWith('database is')).map(({ level, msg }) => [level, msg])
    expect(said).toEqual([
      [50, 'database is unreachable'],
      [30, 'database is reachable again'],
    ])
  }, 60_000)
})

describe('a silent database', () => {
  const world = useWorld({ realTime: true, databaseProxy: (url) => proxy.through(url) })
  let person: Person
  let survey: string

  beforeAll(async () => {
    person = await world.person()
    survey = `/api/v3/surveys/${await makeSurvey(person, ONE_QUESTION)}/`
    expect((await submit('first')).status).toBe(201)
  })
  afterEach(async () => {
    proxy.resume()
    await untilStored()
  })

  const submit = (what: string, signal?: AbortSignal) =>
    fetch(`${world.base}${survey}responses/`, {
      method: 'POST',
      headers: { authorization: person.authorization!, 'content-type': 'application/json' },
      body: JSON.stringify({ what }),
      ...(signal && { signal }),
    })
  /** Waits until responses are stored again. @returns how long that took, in milliseconds */
  async function untilStored(): Promise<number> {
    const start = performance.now()
    while ((await submit('again')).status !== 201) await pause(50)
    return Math.round(performance.now() - start)
  }
  const timed = async <Result>(work: Promise<Result>): Promise<[Result, number]> => {
    const start = performance.now()
    return [await work, performance.now() - start]
  }

  test('makes every operation, a survey page and a token request return 503 with Retry-After within seconds', async () => {
    proxy.pause()
    const replies = await Promise.all([
      timed(submit('lost')),
      timed(person.get(survey)),
      timed(person.put(survey, { json: { name: 'Dinner' } })),
      timed(world.anonymous.get('/surveys/person1/lunch/')),
    ])
    for (const [{ status, headers }, ms] of replies) {
      expect([status, headers.get('retry-after')]).toEqual([503, '2'])
      expect(ms).toBeLessThan(MAX_REPLY_MS)
    }
    for (const { method, path } of Object.values(versions).flatMap(operationsOf)) {
      const [reply, ms] = await timed(person.send(method, path.replaceAll(/\{[^}]*\}/g, '1')))
      expect([method, path, reply.status, reply.headers.get('retry-after')]).toEqual([method, path, 503, '2'])
      if (method !== 'HEAD') expect(reply.body.code).toBe('unavailable')
      expect(ms).toBeLessThan(MAX_REPLY_MS)
    }
    const token = await world.anonymous.post('/accounts/oauth/token/', {
      form: { grant_type: 'refresh_token', refresh_token: 'unknown', client_id: 'unknown', client_secret: 'unknown' },
    })
    expect([token.status, token.headers.get('retry-after'), token.body.error]).toEqual([
      503,
      '2',
      'temporarily_unavailable',
    ])
    expect((await world.anonymous.get('/healthz')).status).toBe(200)
    const [ready, ms] = await timed(world.anonymous.get('/readyz'))
    expect(ready.status).toBe(503)
    expect(ms).toBeLessThan(MAX_REPLY_MS)
  }, 60_000)

  test('stores no response twice for clients that disconnect and retry', async () => {
    proxy.pause()
    const attempts: Promise<unknown>[] = []
    for (let turn = 0; turn < 4; turn += 1) {
      const sent = Array.from({ length: 5 }, (_, index) => submit(`retried ${index}`, AbortSignal.timeout(150)))
      attempts.push(...sent.map((reply) => reply.catch(() => undefined)))
      await Promise.all(attempts)
    }
    proxy.resume()
    await untilStored()
    const { body } = await person.get(`${survey}responses/?page_size=500`)
    const stored: string[] = body.results.map(({ what }: { what: string }) => what)
    for (let index = 0; index < 5; index += 1)
      expect(stored.filter((what) => what === `retried ${index}`).length).toBeLessThanOrEqual(1)
  }, 60_000)

  test('does not stop the service when only the existing connections fail', async () => {
    await Promise.all(
      Array.from({ length: 12 }, (_, index) => person.put(survey, { json: { name: `Lunch ${index}` } })),
    )
    proxy.loseConnections()
    const replies = await Promise.all(
      Array.from({ length: 12 }, (_, index) => timed(person.put(survey, { json: { name: `Dinner ${index}` } }))),
    )
    for (const [{ status }] of replies) expect([200, 503]).toContain(status)
    expect(await untilStored()).toBeLessThan(10_000)
    const [renamed, ms] = await timed(untilRenamed())
    expect(renamed).toBe(200)
    expect(ms).toBeLessThan(10_000)
  }, 60_000)

  async function untilRenamed(): Promise<number> {
    for (;;) {
      const { status } = await person.put(survey, { json: { name: 'Supper' } })
      if (status !== 503) return status
      await pause(50)
    }
  }

  test('is distinguished from a slow statement, which continues', async () => {
    const slow = world.em().execute('select pg_sleep(5)')
    for (let turn = 0; turn < 10; turn += 1) {
      expect((await submit(`concurrent ${turn}`)).status).toBe(201)
      await pause(400)
    }
    await expect(slow).resolves.toBeDefined()
  }, 60_000)
})
