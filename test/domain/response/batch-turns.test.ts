import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { Pool } from 'pg'
import { createBatchTurns } from '../../../src/db/processes/batch-turns.ts'
import { importedResponse } from '../../../src/domain/response/submit/imported.ts'
import { findSnapshot } from '../../../src/domain/survey/queries.ts'
import type { SurveySnapshot } from '../../../src/domain/survey/snapshot.ts'
import { counts, makeSurvey, TWO_PAGES } from '../../support/responses.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { useWorld } from '../../support/world.ts'

const world = useWorld({ settings: { PROCESSES: '2' } })
let pool: Pool
/**
 * The batch turns of a second process on the same database. While a process has the turn for a survey, other processes
 * collect responses to this survey and wait before they store them.
 */
let others: ReturnType<typeof createBatchTurns>
let snapshot: SurveySnapshot

/** Submits a number of responses concurrently. */
const submit = (count: number) =>
  Promise.all(
    Array.from({ length: count }, () => {
      const meta = { key: randomBytes(20), completed: 0, createdAt: world.now } as const
      return world.application.services.submissionBatcher.submit(importedResponse(snapshot, {}, meta))
    }),
  )

const isWaiting = async () => {
  const { rows } = await pool.query(`select from pg_locks where locktype = 'advisory' and not granted
    and database = (select oid from pg_database where datname = current_database())`)
  return rows.length > 0
}

describe('SubmissionBatcher.submit with several processes', () => {
  beforeAll(async () => {
    pool = new Pool({ connectionString: world.databaseUrl })
    others = createBatchTurns({ connectionString: world.databaseUrl })
    const person = await world.person()
    const survey = await makeSurvey(person, TWO_PAGES)
    snapshot = await person.act((context) => findSnapshot(context, survey, 'Analyze'))
  })
  afterAll(async () => {
    await others.close()
    await pool.end()
  })

  test('uses one transaction for all responses that arrive while another process has the turn', async () => {
    await submit(2)
    const endTurn = await others.take([snapshot.id])
    const first = submit(1)
    await waitUntil(isWaiting, 20_000)
    const rest = submit(9)
    expect((await counts(world, snapshot.id)).rows).toBe(2)
    endTurn()
    const ids = [...(await first), ...(await rest)]
    expect(new Set(ids).size).toBe(10)
    const { rows } = await pool.query(
      'select count(*)::integer as responses from response where survey_id = $1 group by xmin order by min(id)',
      [snapshot.id],
    )
    expect(rows.map(({ responses }) => responses)).toEqual([2, 10])
  })

  test('stores responses after the database has closed the session of the process that has the turn', async () => {
    const endTurn = await others.take([snapshot.id])
    const first = submit(1)
    await waitUntil(isWaiting, 20_000)
    await pool.query(`select pg_terminate_backend(pid) from pg_locks join pg_stat_activity using (pid)
      where locktype = 'advisory' and granted and datname = current_database() and application_name = 'canvass-turns'`)
    expect(await first).toHaveLength(1)
    endTurn()
    const endNext = await others.take([snapshot.id])
    endNext()
    expect(await submit(2)).toHaveLength(2)
  })

  test('does not wait while another process has the turn for another survey', async () => {
    const endTurn = await others.take([snapshot.id + 1])
    expect(await submit(3)).toHaveLength(3)
    endTurn()
  })

  test('stores responses even if another process never ends its turn', async () => {
    const endTurn = await others.take([snapshot.id])
    const { rows } = await counts(world, snapshot.id)
    await submit(3)
    await submit(3)
    expect(await counts(world, snapshot.id)).toEqual({ rows: rows + 6, feed: rows + 6, collectors: rows + 6 })
    endTurn()
  })
})
