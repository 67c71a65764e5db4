import { randomBytes } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { citusNodes } from '../support/citus.ts'
import { localNode } from '../support/citus-node.ts'
import { counts, makeSurvey } from '../support/responses.ts'
import { type Person, useWorld } from '../support/world.ts'

const SURVEYS = 8
const SUBMISSIONS = 2_000
const CONCURRENCY = 32
const MAX_ATTEMPTS = 200

const world = useWorld({ realTime: true })

/** Kills a worker of the cluster and starts it again. */
async function restartWorker(): Promise<void> {
  const worker = (await citusNodes(world.databaseUrl)).find(({ isWorker }) => isWorker)!
  await (await localNode(worker.url)).kill()
}

/**
 * Submits a response, and repeats the request until it is acknowledged. All attempts have the same `_key`, so that only
 * one response is stored.
 */
async function submit(person: Person, survey: number): Promise<number> {
  const key = randomBytes(20).toString('hex')
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const reply = await person.post(`/api/v3/surveys/${survey}/responses/`, { json: { _key: key } })
    if (reply.status === 201) return reply.body.id
    expect([reply.status, reply.headers.has('retry-after'), reply.text]).toEqual([503, true, expect.anything()])
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error('the response was not accepted')
}

describe('submissions while a node restarts', () => {
  test('are stored exactly once if they were acknowledged', async () => {
    const person = await world.person()
    const surveys: number[] = []
    for (let count = 0; count < SURVEYS; count += 1) surveys.push(await makeSurvey(person))
    const acknowledged = new Map<number, Set<number>>(surveys.map((survey) => [survey, new Set()]))
    let started = 0
    let restart: Promise<void> | undefined
    async function client(): Promise<void> {
      while (started < SUBMISSIONS) {
        const survey = surveys[started++ % SURVEYS]!
        if (started === SUBMISSIONS / 2) restart = restartWorker()
        acknowledged.get(survey)!.add(await submit(person, survey))
      }
    }
    await Promise.all(Array.from({ length: CONCURRENCY }, client))
    await restart
    for (const [survey, ids] of acknowledged) {
      const { rows } = await world.application.services.pool.query<{ id: string }>(
        'select id from response where survey_id = $1',
        [survey],
      )
      expect(new Set(rows.map(({ id }) => Number(id)))).toEqual(ids)
      const total = SUBMISSIONS / SURVEYS
      expect(await counts(world, survey)).toEqual({ rows: total, feed: total, collectors: total })
    }
  }, 300_000)
})
