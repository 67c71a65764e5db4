import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import { describe, expect, test } from '@jest/globals'
import pg from 'pg'
import { citusNodes } from '../support/citus.ts'
import { counts, makeSurvey } from '../support/responses.ts'
import { type Person, useWorld } from '../support/world.ts'

const SURVEYS = 8
const SUBMISSIONS = 2_000
const CONCURRENCY = 32
const MAX_ATTEMPTS = 200

const world = useWorld({ realTime: true })

/**
 * Kills a worker of the cluster and starts it again. CITUS_RESTART is a shell command that does so; without it, all sessions of
 * the worker are ended, as a crash of one of its processes does.
 */
async function restartWorker(): Promise<void> {
  const command = process.env.CITUS_RESTART
  if (command) {
    await promisify(execFile)('sh', ['-c', command])
    return
  }
  const worker = (await citusNodes(world.databaseUrl)).find(({ isWorker }) => isWorker)!
  const client = new pg.Client({ connectionString: worker.url })
  await client.connect()
  await client.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
  )
  await client.end()
}

/** Submits a response until it is acknowledged; its key makes each repetition the same response. */
async function submit(person: Person, survey: number): Promise<number> {
  const key = randomBytes(20).toString('hex')
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const reply = await person.post(`/api/v3/surveys/${survey}/responses/`, { json: { _key: key } })
    if (reply.status === 201) return reply.body.id
    expect(reply.status).toBeGreaterThanOrEqual(500)
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
