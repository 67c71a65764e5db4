import { beforeAll, describe, expect, test } from '@jest/globals'
import { Kysely, PostgresDialect } from 'kysely'
import { fakeResponses } from '../../../src/domain/response/fake-responses.ts'
import { type Filter, parseFilters } from '../../../src/domain/response/filter/filter.ts'
import type { StoredResponse } from '../../../src/domain/response/filter/where.ts'
import { browseResponses, type ListWindow } from '../../../src/domain/response/list/browse.ts'
import { countFiltered, pageOfResponses } from '../../../src/domain/response/list/page.ts'
import { pageFromRollup } from '../../../src/domain/rollup/list.ts'
import type { ListedSurvey } from '../../../src/domain/rollup/list-counts.ts'
import { refreshRollups } from '../../../src/domain/rollup/refresh.ts'
import { SEGMENT_RESPONSES } from '../../../src/domain/rollup/state.ts'
import { getSnapshot, type SurveySnapshot } from '../../../src/domain/survey/snapshot.ts'
import type { Tables } from '../../../src/domain/tables.ts'
import type { Slice } from '../../../src/lib/paging.ts'
import fc from '../../support/fast-check.ts'
import { matches } from '../../support/matches.ts'
import { EVERY_SHAPE, makeSurvey } from '../../support/responses.ts'
import { type Person, useWorld } from '../../support/world.ts'

const SEGMENTS = 3
const TAIL = 300
const PAGE: Slice = { offset: 2_000, limit: 50 }

const world = useWorld()
let ann: Person
let id: number
let root: string
let snapshot: SurveySnapshot
/** The planner remembers counts by this object. */
let listed: ListedSurvey

const db = () => world.em().getKysely<Tables>()
const fill = (count: number) => fakeResponses(world.context(), snapshot, count, Math.random)
const all = (): Promise<StoredResponse[]> =>
  db().selectFrom('response').selectAll().where('survey_id', '=', id).orderBy('id').execute()
/** Refreshes the rollup as the worker does, even if no refresh is due. */
async function refresh() {
  await db().updateTable('response_rollup').set({ revision: null }).where('survey_id', '=', id).execute()
  expect(await refreshRollups(world.context())).toBe(1)
}
const idsIn = (rows: readonly { id: number }[]) => rows.map((row) => row.id)
const filtersOf = (query: string) => parseFilters(query, snapshot.questionnaire, 'strict', new Set())

const edit = async (response: number, json: object) =>
  expect((await ann.put(`${root}responses/${response}/`, { json })).status).toBe(202)
const remove = async (response: number) => expect((await ann.delete(`${root}responses/${response}/`)).status).toBe(200)

/** Answers that were stored when their questions had another type. */
const MISMATCHED = [
  { q1: '1', q4: 'true', nps: '10' },
  { q1: 'No', q4: 1, nps: [10] },
  { q1: [1], q2: 1, rank: 0 },
  { q1: true, q2: ['Green', 1], rank: ['A', 0] },
  { q1: null, q2: 'Green', grid_0: '0' },
]

beforeAll(async () => {
  ann = await world.person()
  id = await makeSurvey(ann, EVERY_SHAPE)
  root = `${world.base}/api/v3/surveys/${id}/`
  snapshot = (await getSnapshot(world.em(), id))!
  listed = snapshot
  await fill(SEGMENTS * SEGMENT_RESPONSES + TAIL)
  const ids = idsIn(await all())
  for (const [at, answers] of MISMATCHED.entries())
    await db()
      .updateTable('response')
      .set({ answers: JSON.stringify(answers) as never, completed: at % 3 })
      .where('survey_id', '=', id)
      .where('id', 'in', [ids[at * 2]!, ids[at * 2 + 1]!, ids.at(-1 - at)!])
      .execute()
  // All responses of the third segment have these answers and no others.
  const third = idsIn((await all()).slice(2 * SEGMENT_RESPONSES, 3 * SEGMENT_RESPONSES))
  await db()
    .updateTable('response')
    .set({ answers: JSON.stringify({ q1: 0, q2: [2] }) as never })
    .where('survey_id', '=', id)
    .where('id', 'in', third)
    .execute()
  await refreshRollups(world.context())
})

const CONDITIONS = [
  ...[
    'q1=0',
    'q1=1',
    'q1=No',
    'q1=Other',
    'q1=7',
    'q2=1',
    'q2=Green',
    'q2%5C1=1',
    'q2%5C1=0',
    'q4=1',
    'q4=No',
    'q4=true',
  ],
  ...['nps=10', 'nps=0', 'nps>8', 'rank=0', 'rank=A', 'grid=0', 'grid_0=Good', 'grid_1=1', 'q3=warm', 'q3~arm', 'q1='],
  ...['_completed=1', '_completed=0', '_completed>0', '_completed<=1', '_completed=', '_id>0', '_language='],
  ...['_created_at>2026-01-01', '_created_at<2025-12-20', '_created_at=2026-01-03', '_created_at>=2026-01-10T12:00'],
  ...['_created_at<=2025-12-25', '_created_at<2020-01-01', '_updated_at>2026-01-05', '_updated_at<=2026-01-15'],
]
const query = fc.uniqueArray(fc.constantFrom(...CONDITIONS), { maxLength: 3 }).map((parts) => parts.join('&'))
const page = fc.record({
  offset: fc.oneof(fc.nat({ max: SEGMENTS * SEGMENT_RESPONSES + TAIL }), fc.nat({ max: 200 })),
  limit: fc.integer({ min: 1, max: 200 }),
})

/**
 * Reads a page and the total of a list, with remembered counts, with the rollup and without both, and compares the
 * results with the responses that pass the filters in memory.
 * @returns whether the rollup could be used
 */
async function check(rows: readonly StoredResponse[], filters: readonly Filter[], slice: Slice) {
  const matching = idsIn(rows.filter((row) => matches(filters, row)))
  const expected = { total: matching.length, ids: matching.slice(slice.offset, slice.offset + slice.limit) }
  // The second time, counts are remembered, and so they can be after later changes.
  for (const survey of [listed, listed, { id }]) {
    const found = await pageOfResponses(db(), survey, filters, slice)
    expect({ total: found.total, ids: idsIn(found.rows) }).toEqual(expected)
  }
  expect(await countFiltered(db(), listed, filters)).toBe(expected.total)
  const from = rows[slice.offset]?.id
  for (const bounds of [{}, { below: from }, { above: from }])
    for (const newestFirst of [true, false]) await checkWindow(matching, { filters, newestFirst, limit: 3, ...bounds })
  const planned = await pageFromRollup(db(), { id }, filters, slice)
  if (planned) expect({ total: planned.total, ids: idsIn(planned.rows) }).toEqual(expected)
  return planned !== undefined
}

async function checkWindow(matching: readonly number[], window: ListWindow) {
  const { below = Infinity, above = -Infinity, newestFirst, limit } = window
  const beyond = matching.filter((one) => one < below && one > above)
  const fromStart = window.above !== undefined || (window.below === undefined && !newestFirst)
  const expected = fromStart ? beyond.slice(0, limit) : beyond.slice(-limit)
  const { rows, newer, older } = await browseResponses({ em: world.em() }, snapshot, window)
  expect(idsIn(rows)).toEqual(newestFirst ? expected.toReversed() : expected)
  expect(fromStart ? newer : older).toBe(beyond.length > limit)
}

describe('pageFromRollup', () => {
  test('finds the same responses with and without the rollup after any sequence of changes', async () => {
    const change = fc.tuple(fc.constantFrom('edit', 'delete', 'add', 'refresh'), fc.nat())
    const searched = fc.array(fc.tuple(query, page), { minLength: 8, maxLength: 8 })
    let answered = 0
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 4 }), searched, async (changes, searches) => {
        for (const [what, pick] of changes) {
          const ids = idsIn(await all())
          const one = ids[pick % ids.length]!
          if (what === 'edit') await edit(one, { q1: pick % 3, q2: [pick % 2], q3: `No ${pick}`, _completed: 1 })
          else if (what === 'delete') await remove(one)
          else if (what === 'add') await fill(3)
          else await refresh()
        }
        const rows = await all()
        for (const [text, slice] of searches) answered += Number(await check(rows, filtersOf(text), slice))
      }),
      { numRuns: 10 },
    )
    // How many lists are read from the rollup depends on the generated changes: changes in every segment make it
    // unusable.
    expect(answered).toBeGreaterThan(0)
  }, 120_000)

  test('returns the correct first and later page for every condition, alone and combined with _completed=1', async () => {
    const rows = await all()
    for (const text of CONDITIONS)
      for (const query of [text, `${text}&_completed=1`])
        for (const offset of [0, 5_000]) await check(rows, filtersOf(query), { offset, limit: 50 })
  }, 120_000)

  test('returns consistent pages and totals during concurrent writes', async () => {
    await refresh()
    const ids = idsIn(await all())
    let isOver = false
    const offset = ids.length - 60
    const first = filtersOf('_completed>=0')
    expect(await pageFromRollup(db(), { id }, first, { offset, limit: 200 })).toBeDefined()
    const writers = [
      fill(600),
      ...ids.slice(10, 40).map((one) => edit(one, { q1: 2 })),
      ...[...ids.slice(50, 60), ...ids.slice(-20)].map(remove),
    ]
    const readers = [1, 2].map(async () => {
      const filters = filtersOf('_completed>=0')
      while (!isOver) {
        const found = await pageFromRollup(db(), listed, filters, { offset, limit: 200 })
        // One statement reads the total and the page, so they agree.
        if (found) expect(found.rows.length).toBe(Math.min(200, Math.max(0, found.total - offset)))
      }
    })
    const refreshAgain = async () => {
      while (!isOver) await refresh()
    }
    const refreshing = refreshAgain()
    await Promise.all(writers)
    isOver = true
    await Promise.all([...readers, refreshing])
    await check(await all(), filtersOf('_completed>=0'), { offset: 6_000, limit: 50 })
    await refresh()
    expect(await check(await all(), filtersOf('_completed>=0'), { offset: 6_000, limit: 50 })).toBe(true)
  }, 60_000)

  test('reads few responses for a page and the total of a list, and fewer if the counts are remembered', async () => {
    await refresh()
    const { pool } = world.application.services
    await pool.query('vacuum analyze')
    const statements: { sql: string; parameters: readonly unknown[] }[] = []
    const logged = new Kysely<Tables>({
      dialect: new PostgresDialect({ pool }),
      log: ({ query }) => {
        statements.push(query)
      },
    })
    const late = (await all())[2 * SEGMENT_RESPONSES + 100]!.created_at.slice(0, 10)
    const two = ['q1=No&q4=0', 'q1=No&q2%5C1=0&_completed=1', `_created_at>=${late}&q1=No&q4=0`]
    const one = ['q4=0', 'q1=No', 'q2%5C1=0&_completed=1', '_completed=1', `_created_at>=${late}&_completed=1`]
    for (const text of [...one, ...two]) {
      const filters = filtersOf(text)
      const plans: Plan[] = []
      const survey = { id }
      for (const slice of [PAGE, PAGE]) {
        expect(await pageFromRollup(logged, survey, filters, slice)).toBeDefined()
        const { sql, parameters } = statements.at(-1)!
        const { rows } = await pool.query(`explain (analyze, format json) ${sql}`, [...parameters])
        plans.push(rows[0]['QUERY PLAN'][0].Plan)
      }
      const [first, later] = plans.map((plan) => readIn(plan, 'response'))
      expect(first).toBeLessThan(2.5 * SEGMENT_RESPONSES)
      expect(later).toBeLessThanOrEqual(first!)
      expect(plans.map((plan) => readIn(plan, 'response_segment') > 0)).toEqual([true, false])
    }
  })
})

interface Plan {
  'Relation Name'?: string
  'Actual Rows': number
  'Rows Removed by Filter'?: number
  'Actual Loops': number
  Plans?: Plan[]
}

/** Returns the number of rows of a table that the execution of a plan read. */
function readIn(plan: Plan, table: 'response' | 'response_segment'): number {
  const own = (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops']
  const below = (plan.Plans ?? []).reduce((sum, part) => sum + readIn(part, table), 0)
  return below + (plan['Relation Name'] === table ? own : 0)
}
