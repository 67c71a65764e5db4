import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, test } from '@jest/globals'
import pg from 'pg'
import { Admission } from '../../src/domain/admission.ts'
import { makeSurvey } from '../support/responses.ts'
import { waitUntil } from '../support/wait-until.ts'
import { useWorld } from '../support/world.ts'

describe('an overloaded server', () => {
  // Requests of normal priority may use an eighth of this limit, so two of them run at the same time.
  const world = useWorld({ settings: { CONCURRENT_REQUESTS: '16' } })

  /** Runs work while a lock on the table `response` delays every statement on this table. */
  async function whileResponsesAreLocked(work: () => Promise<void>): Promise<void> {
    const client = new pg.Client({ connectionString: world.databaseUrl })
    await client.connect()
    try {
      await client.query('begin; lock table response in access exclusive mode')
      await work()
    } finally {
      await client.end()
    }
  }

  const processing = () => world.application.services.admission.processing

  test('rejects lists first, then submissions, with 503 and Retry-After', async () => {
    const ann = await world.person()
    const survey = await makeSurvey(ann)
    const path = (version: string) => `/api/${version}/surveys/${survey}/responses/`
    const page = new URL((await ann.get(`/api/v3/surveys/${survey}/`)).body.deploy_url).pathname
    const submit = () => ann.post(path('v3'), { json: { q1: 0 } })
    const list = (version = 'v3') => ann.get(path(version))
    let accepted: Promise<{ status: number }[]> = Promise.resolve([])

    await whileResponsesAreLocked(async () => {
      const lists = [list(), list()]
      await waitUntil(() => processing().normal === 2, 10_000)
      for (const version of ['v2', 'v3']) {
        const { status, headers, body } = await list(version)
        expect([status, body.code]).toEqual([503, 'unavailable'])
        expect(headers.get('retry-after')).toMatch(/^[1-4]$/)
      }
      expect((await ann.get('/accounts/login/')).status).toBe(503)

      const submissions = Array.from({ length: 14 }, submit)
      await waitUntil(() => processing().high === 14, 10_000)
      const [{ status, headers, body }, shown] = [await submit(), await world.anonymous.get(page)]
      expect([status, body.code, shown.status]).toEqual([503, 'unavailable', 503])
      expect([headers.get('retry-after'), shown.headers.get('retry-after')]).toEqual([
        expect.stringMatching(/^[1-4]$/),
        expect.stringMatching(/^[1-4]$/),
      ])
      expect((await world.anonymous.get('/healthz')).status).toBe(200)
      accepted = Promise.all([...lists, ...submissions])
    })

    expect((await accepted).map(({ status }) => status)).toEqual([200, 200, ...Array(14).fill(201)])
    expect((await list()).body.count).toBe(14)
    expect(processing()).toEqual({ high: 0, normal: 0 })
    const { text } = await world.anonymous.get('/metrics')
    expect(text).toContain('http_requests_rejected_total{priority="high"} 2')
    expect(text).toContain('http_requests_rejected_total{priority="normal"} 3')
  }, 60_000)

  test('accepts submissions while slow clients send forms', async () => {
    const ann = await world.person()
    const survey = await makeSurvey(ann)
    const page = new URL((await ann.get(`/api/v3/surveys/${survey}/`)).body.deploy_url).pathname
    const stop = new AbortController()
    const slow: Promise<unknown>[] = []
    for (let client = 0; client < 20; client += 1) {
      slow.push(
        fetch(world.base + page, {
          method: 'POST',
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
          body: new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode('_page=1')) }),
          duplex: 'half',
          signal: stop.signal,
        } as RequestInit).catch(() => undefined),
      )
      await pause(50)
    }
    await waitUntil(() => processing().high === 0, 10_000)
    for (let turn = 0; turn < 20; turn += 1)
      expect((await ann.post(`/api/v3/surveys/${survey}/responses/`, { json: { q1: 0 } })).status).toBe(201)
    stop.abort()
    await Promise.all(slow)
    await waitUntil(() => processing().high === 0, 10_000)
  }, 60_000)
})

describe('the limit of lists, exports and reports', () => {
  test('is halved while submissions are stored slowly, and restored when no submissions have been stored for a while', async () => {
    const admission = new Admission(160)
    const { promise: finished, resolve: finish } = Promise.withResolvers<void>()
    const fill = () => {
      let count = 0
      const running: Promise<void>[] = []
      for (; count < 100; count += 1)
        try {
          admission.assertFree('normal')
          running.push(admission.run('normal', () => finished))
        } catch {
          break
        }
      return { count, running }
    }
    const first = fill()
    expect(first.count).toBe(20)
    admission.recordBatch(1_000)
    finish()
    await Promise.all(first.running)
    const second = fill()
    expect(second.count).toBe(10)
    await Promise.all(second.running)
    await waitUntil(() => fill().count === 20, 10_000)
  }, 20_000)
})
