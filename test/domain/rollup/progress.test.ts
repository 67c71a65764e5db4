import { beforeAll, describe, expect, test } from '@jest/globals'
import { sql } from 'kysely'
import { fakeResponses } from '../../../src/domain/response/fake-responses.ts'
import { countProgress } from '../../../src/domain/rollup/progress.ts'
import { refreshRollups } from '../../../src/domain/rollup/refresh.ts'
import { SEGMENT_RESPONSES } from '../../../src/domain/rollup/state.ts'
import { getSnapshot } from '../../../src/domain/survey/snapshot.ts'
import type { Tables } from '../../../src/domain/tables.ts'
import { momentOf } from '../../../src/lib/time-zone.ts'
import { respond } from '../../support/respondents.ts'
import { makeSurvey, TWO_PAGES } from '../../support/responses.ts'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
let ann: Person
let id: number

const db = () => world.em().getKysely<Tables>()
const contextOf = () => ({ em: world.em(), now: world.now, services: world.application.services })
const storedSegments = async () =>
  (await db().selectFrom('response_progress').select('segment_number').where('survey_id', '=', id).execute()).length

/** Counts the responses without the rollup. */
async function expected() {
  const days = await sql`select to_char(created_at at time zone 'UTC', 'YYYY-MM-DD') as day, count(*) as started,
    count(*) filter (where completed = 1) as complete, count(*) filter (where completed = 2) as terminated
    from response where survey_id = ${id} group by 1 order by 1`.execute(db())
  const pages = await sql`select page::integer, count(*) as submitted,
    count(*) filter (where completed = 0 and pagepath like '%' || page) as stopped
    from response, lateral string_to_table(pagepath, ',') as page where survey_id = ${id} group by 1 order by 1`.execute(
    db(),
  )
  return { days: days.rows, pages: pages.rows }
}

beforeAll(async () => {
  ann = await world.person()
  id = await makeSurvey(ann, TWO_PAGES)
  await fakeResponses(contextOf(), (await getSnapshot(world.em(), id))!, SEGMENT_RESPONSES + 300, Math.random)
  await sql`update response set pagepath = (array['1', '1,2', '2,1', null])[1 + id % 4] where survey_id = ${id}`.execute(
    db(),
  )
})

/** Counts the responses by day of a time zone without the rollup. */
async function expectedIn({ timeZone, from }: { timeZone: string; from: Date }) {
  const { rows } = await sql`select to_char(created_at at time zone ${timeZone}::text, 'YYYY-MM-DD') as day,
    count(*) as started, count(*) filter (where completed = 1) as complete
    from response where survey_id = ${id} and created_at >= ${from} group by 1 order by 1`.execute(db())
  return rows
}

const windows = ['Asia/Kathmandu', 'America/St_Johns', 'Pacific/Kiritimati', 'Europe/Berlin'].map((timeZone) => ({
  timeZone,
  from: momentOf('2025-12-28', timeZone)!,
}))

describe('countProgress for a survey with more than one segment of responses', () => {
  test('returns the same counts before and after the job has stored counts', async () => {
    const counts = await expected()
    expect(counts.pages).toHaveLength(2)
    expect(await countProgress(contextOf(), id)).toEqual(counts)
    expect(await storedSegments()).toBe(0)
    await refreshRollups(contextOf())
    expect(await storedSegments()).toBe(1)
    expect(await countProgress(contextOf(), id)).toEqual(counts)
  })

  test('returns the days of any time zone before and after the job has stored counts, and for segments of an earlier version', async () => {
    const compare = async () => {
      for (const window of windows) {
        const expected = await expectedIn(window)
        expect(expected.length).toBeGreaterThan(5)
        expect((await countProgress(contextOf(), id, { window })).localDays).toEqual(expected)
      }
    }
    await compare()
    await db().deleteFrom('response_progress').where('survey_id', '=', id).execute()
    await compare()
    await refreshRollups(contextOf())
    await sql`update response_progress set slots = null, slot_started = null, slot_complete = null`.execute(db())
    await compare()
    await refreshRollups(contextOf())
    const { slots } = await db()
      .selectFrom('response_progress')
      .select('slots')
      .where('survey_id', '=', id)
      .executeTakeFirstOrThrow()
    expect(slots!.length).toBeGreaterThan(5)
    await compare()
  })

  test('returns the collectors before and after the job has stored counts, and for segments of an earlier version', async () => {
    const { body: poster } = await ann.post(`/api/v3/surveys/${id}/collectors/`, { json: { name: 'Poster' } })
    await sql`update response set collector_id = ${poster.id} where survey_id = ${id} and id % 3 = 0`.execute(db())
    const { rows } = await sql`select collector_id as collector, count(*) as started,
      count(*) filter (where completed = 1) as complete, count(*) filter (where completed = 2) as terminated
      from response where survey_id = ${id} group by 1 order by 1`.execute(db())
    expect(rows).toHaveLength(2)
    const counted = async () => (await countProgress(contextOf(), id, { byCollector: true })).collectors
    await db().deleteFrom('response_progress').where('survey_id', '=', id).execute()
    expect(await counted()).toEqual(rows)
    await refreshRollups(contextOf())
    expect(await counted()).toEqual(rows)
    await sql`update response_progress set collectors = null, collector_started = null, collector_complete = null,
      collector_terminated = null`.execute(db())
    expect(await counted()).toEqual(rows)
    await refreshRollups(contextOf())
    const stored = await db().selectFrom('response_progress').select('collectors').executeTakeFirstOrThrow()
    expect(stored.collectors).toEqual(rows.map((row) => String((row as { collector: number }).collector)))
    expect(await counted()).toEqual(rows)
  })

  test('returns the current counts after responses of a stored segment have changed', async () => {
    const { first, last } = await db()
      .selectFrom('response')
      .where('survey_id', '=', id)
      .select((eb) => [eb.fn.min('id').as('first'), eb.fn.max('id').as('last')])
      .executeTakeFirstOrThrow()
    const root = `${world.base}/api/v3/surveys/${id}/responses/`
    expect((await ann.delete(`${root}${first}/`)).status).toBe(200)
    expect((await ann.put(`${root}${last}/`, { json: { a: 'x', _completed: 0 } })).status).toBe(202)
    await respond(world, id, { pagepath: '1,2' })
    expect(await countProgress(contextOf(), id)).toEqual(await expected())
    for (const window of windows)
      expect((await countProgress(contextOf(), id, { window })).localDays).toEqual(await expectedIn(window))
  })

  test('replaces the stored counts of a segment whose responses have changed', async () => {
    await ann.get(
      `${(await ann.post(`${world.base}/api/v3/surveys/${id}/reports/`, { json: { query: '_completed>=0' } })).body.report_uri}`,
    )
    await refreshRollups(contextOf())
    expect(await storedSegments()).toBe(1)
    expect(await countProgress(contextOf(), id)).toEqual(await expected())
  })
})
