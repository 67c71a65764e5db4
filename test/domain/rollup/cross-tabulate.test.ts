import { beforeAll, describe, expect, test } from '@jest/globals'
import { fakeResponses } from '../../../src/domain/response/fake-responses.ts'
import { type Filter, parseFilters } from '../../../src/domain/response/filter/filter.ts'
import {
  countPredicates,
  predicateName,
  predicatesOf,
  reportPredicates,
} from '../../../src/domain/response/filter/predicate.ts'
import { countAllFromRollup } from '../../../src/domain/rollup/counts.ts'
import {
  countPairsFromBitmaps,
  countPairsInResponses,
  type PairCount,
  weighPairs,
} from '../../../src/domain/rollup/pairs.ts'
import { refreshRollups } from '../../../src/domain/rollup/refresh.ts'
import { crossTabulate } from '../../../src/domain/rollup/segments.ts'
import { SEGMENT_RESPONSES } from '../../../src/domain/rollup/state.ts'
import { type Tally, weighFromBitmaps, weighInResponses } from '../../../src/domain/rollup/weighted.ts'
import { getSnapshot, type SurveySnapshot } from '../../../src/domain/survey/snapshot.ts'
import type { Weighting } from '../../../src/domain/survey/weighting.ts'
import type { Tables } from '../../../src/domain/tables.ts'
import fc from '../../support/fast-check.ts'
import { EVERY_SHAPE, makeSurvey } from '../../support/responses.ts'
import { eraseSurvey } from '../../support/surveys.ts'
import { type Person, useWorld } from '../../support/world.ts'

const SEGMENTS = 3

const world = useWorld()
let ann: Person
let id: number
let root: string
let snapshot: SurveySnapshot

const db = () => world.em().getKysely<Tables>()
const fill = (count: number) => fakeResponses(world.context(), snapshot, count, Math.random)
const idsOf = async () => {
  const rows = await db().selectFrom('response').select('id').where('survey_id', '=', id).orderBy('id').execute()
  return rows.map((row) => row.id)
}
const segments = () =>
  db()
    .selectFrom('response_segment')
    .select(['number', 'indexed_predicates'])
    .where('survey_id', '=', id)
    .orderBy('number')
    .execute()
const edit = async (response: number, json: object) =>
  expect((await ann.put(`${root}responses/${response}/`, { json })).status).toBe(202)
const remove = async (response: number) => expect((await ann.delete(`${root}responses/${response}/`)).status).toBe(200)

beforeAll(async () => {
  ann = await world.person()
  id = await makeSurvey(ann, EVERY_SHAPE)
  root = `${world.base}/api/v3/surveys/${id}/`
  snapshot = (await getSnapshot(world.em(), id))!
  await fill(SEGMENTS * SEGMENT_RESPONSES + 300)
  // Two responses in the first segment have answers whose type does not match their question.
  const [first, second] = await idsOf()
  for (const [response, answers] of [
    [first, { q1: '1', q4: 'true', q2: ['Green', 1] }],
    [second, { q1: [1], q2: 1, rank: 0 }],
  ] as const)
    await db()
      .updateTable('response')
      .set({ answers: JSON.stringify(answers) as never })
      .where('survey_id', '=', id)
      .where('id', '=', response!)
      .execute()
  await refreshRollups(world.context())
}, 60_000)

const CONDITIONS = [
  ...['q1=0', 'q1=No', 'q1=7', 'q2=1', 'q2%5C1=1', 'q2%5C1=0', 'q4=1', 'q4=No', 'nps=10', 'rank=0', 'grid_0=Good'],
  ...[
    '_completed=1',
    '_completed>0',
    '_completed<=1',
    '_completed=',
    '_created_at>2026-01-01',
    '_updated_at<=2026-01-15',
  ],
]
/** Conditions of which one must be met. */
const any = (...conditions: string[]) => `_any=${encodeURIComponent(conditions.join('&'))}`
CONDITIONS.push(
  any('q1=0', 'q1=1'),
  any('q2=0', 'q4=1', 'nps=10'),
  any('q2%5C1=0', '_completed=0'),
  any('q2=0', 'q2=1'),
)
const query = fc.uniqueArray(fc.constantFrom(...CONDITIONS), { minLength: 1, maxLength: 4 }).map((all) => all.join('&'))

/** Compares the counts that are read from bitmaps with the counts that are computed from the responses. */
async function check(text: string): Promise<boolean> {
  const { questionnaire } = (await getSnapshot(world.em(), id))!
  const filters = parseFilters(text, questionnaire, 'strict', new Set())
  const predicates = reportPredicates(questionnaire)
  const byBitmaps = await crossTabulate(db(), id, filters, predicates)
  const counted = await countPredicates(db(), id, filters, predicates)
  if (byBitmaps)
    expect(predicates.map((predicate) => [predicateName(predicate), byBitmaps(predicate)])).toEqual(
      predicates.map((predicate) => [predicateName(predicate), counted(predicate)]),
    )
  await checkPairs(filters)
  return byBitmaps !== undefined
}

/** Compares the pairs of answers to two questions that are read from bitmaps with those in the responses. */
async function checkPairs(filters: readonly Filter[], isWeighted = false): Promise<boolean> {
  const { questionnaire } = (await getSnapshot(world.em(), id))!
  const classesOf = (key: string) => {
    const field = questionnaire.byKey.get(key)!
    return { predicates: predicatesOf(field), exclusive: field.type !== 'multi' }
  }
  let isStored = true
  for (const [rowKey, columnKey] of [
    ['q1', 'q4'],
    ['q2', 'nps'],
    ['grid_0', 'q2'],
    ['q2', 'q2'],
  ] as const) {
    const [rows, columns] = [classesOf(rowKey), classesOf(columnKey)]
    const stored = await countPairsFromBitmaps(db(), id, filters, rows, columns)
    const counted = await countPairsInResponses(db(), id, filters, { rows, columns })
    const sorted = (pairs: readonly PairCount[]) =>
      pairs.map(({ row, column, count }) => [row, column, count]).sort((a, b) => a[0]! - b[0]! || a[1]! - b[1]!)
    if (stored) expect(sorted(stored)).toEqual(sorted(counted))
    else isStored = false
    if (!isWeighted) continue
    const weighted = await countPairsFromBitmaps(db(), id, filters, rows, columns, WEIGHTING)
    if (!weighted) {
      isStored = false
      continue
    }
    const expected = await weighPairs(db(), id, filters, { rows, columns, weighting: WEIGHTING })
    const weights = (pairs: readonly PairCount[]) =>
      new Map(pairs.map(({ row, column, ...pair }) => [`${row} ${column}`, pair]))
    const own = weights(weighted)
    expect([...own.keys()].sort()).toEqual([...weights(expected).keys()].sort())
    for (const [pair, { count, weight, squares }] of weights(expected))
      expect(own.get(pair)).toEqual({
        ...{ count, weight: expect.closeTo(weight!, 6), squares: expect.closeTo(squares!, 6) },
      })
  }
  return isStored
}

test('countPairs reads bitmaps without filters, and with filters that bitmaps know', async () => {
  const { questionnaire } = snapshot
  for (const text of ['', '_completed=1', 'q1=0&_completed=1', 'q2=1&_created_at>2026-01-01', any('q1=0', 'q2=1')])
    expect(await checkPairs(parseFilters(text, questionnaire, 'strict', new Set()), true)).toBe(true)
  for (const text of ['q3~e', any('q1=0', 'q3~e')])
    expect(await checkPairs(parseFilters(text, questionnaire, 'strict', new Set()))).toBe(false)
}, 60_000)

/** Weights that follow from the answers to a rating, a yes-no question and a grid. */
const WEIGHTING: Weighting = {
  questions: [
    ['q1', ['0', '1']],
    ['q4', ['true', 'false']],
    ['grid_0', ['0']],
  ].map(([key, values], question) => ({
    key: key as string,
    classes: (values as string[]).map((value, uid) => ({
      ...{ uid, value, target: 0, share: 0, weightedShare: 0 },
      factor: 0.3 + 0.7 * question + 0.9 * uid,
    })),
  })),
  ...{ scale: 1.1, min: 0.5, max: 2.5 },
  basis: {} as Weighting['basis'],
}

describe('crossTabulate', () => {
  test('returns the same counts as a query that reads the responses, for pairs of conditions', async () => {
    const unanswered: string[] = []
    for (const [at, one] of CONDITIONS.entries())
      for (const other of [CONDITIONS[(at + 1) % CONDITIONS.length]!, CONDITIONS[(at * 5 + 3) % CONDITIONS.length]!])
        if (!(await check(`${one}&${other}`))) unanswered.push(`${one}&${other}`)
    // Question q1 has no choice 7, so there is no bitmap for the condition q1=7.
    expect(unanswered.filter((text) => !text.includes('q1=7'))).toEqual([])
  }, 60_000)

  test('returns the counts of the current responses after any sequence of changes', async () => {
    const change = fc.tuple(fc.constantFrom('edit', 'delete', 'add', 'count', 'refresh'), fc.nat())
    const searched = fc.array(query, { minLength: 5, maxLength: 5 })
    expect(await check('q1=0&_completed=1')).toBe(true)
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 5 }), searched, async (changes, queries) => {
        for (const [what, pick] of changes) {
          const ids = await idsOf()
          const one = ids[pick % ids.length]!
          if (what === 'edit') await edit(one, { q1: pick % 3, q2: [pick % 2], q3: `No ${pick}`, _completed: 1 })
          else if (what === 'delete') await remove(one)
          else if (what === 'add') await fill(3)
          // A report counts the responses of changed segments again and deletes the bitmaps of these segments.
          else if (what === 'count')
            await countAllFromRollup(world.context(), id, reportPredicates(snapshot.questionnaire))
          else await refreshRollups(world.context())
        }
        for (const text of queries) await check(text)
      }),
      { numRuns: 12 },
    )
  }, 120_000)

  test('returns the counts of the current responses after concurrent writes', async () => {
    const ids = await idsOf()
    let isOver = false
    const refreshing = (async () => {
      while (!isOver) {
        await countAllFromRollup(world.context(), id, reportPredicates(snapshot.questionnaire))
        await refreshRollups(world.context())
      }
    })()
    await Promise.all([
      fill(SEGMENT_RESPONSES),
      ...ids.slice(10, 40).map((one) => edit(one, { q1: 2 })),
      ...[...ids.slice(50, 60), ...ids.slice(-20)].map(remove),
    ])
    isOver = true
    await refreshing
    for (const text of ['q1=2&q4=0', 'q1=0', '_completed=1&q2=1']) await check(text)
    await refreshRollups(world.context())
    await countAllFromRollup(world.context(), id, reportPredicates(snapshot.questionnaire))
    await refreshRollups(world.context())
    for (const text of ['q1=2&q4=0', 'q1=0', '_completed=1&q2=1']) expect(await check(text)).toBe(true)
  }, 60_000)

  test('weighFromBitmaps and weighInResponses return the same tallies, also of changed responses and of the last ones', async () => {
    await refreshRollups(world.context())
    const { questionnaire } = snapshot
    const predicates = reportPredicates(questionnaire)
    const [first] = await idsOf()
    for (let round = 0; round < 2; round += 1) {
      for (const text of [
        '',
        '_completed=1',
        'q1=0&_completed=1',
        'q2=1&_created_at>2026-01-01',
        any('q1=0', 'q2=1'),
      ]) {
        const filters = parseFilters(text, questionnaire, 'strict', new Set())
        const stored = await weighFromBitmaps(db(), id, filters, predicates, WEIGHTING)
        const counted = await weighInResponses(db(), id, filters, predicates, WEIGHTING)
        expect(counted.some(({ count, weight }) => count > 100 && Math.abs(weight - count) > 1)).toBe(true)
        const near = ({ count, weight, squares }: Tally) => ({
          count,
          weight: expect.closeTo(weight, 6),
          squares: expect.closeTo(squares, 6),
        })
        // Among the responses of the last days, too many must be read after changes.
        if (stored || !text.includes('_created_at')) expect(stored).toEqual(counted.map(near))
      }
      await edit(first! + 10, { q1: 1, q4: false })
      await fill(20)
    }
    const byText = parseFilters('q3~e', questionnaire, 'strict', new Set())
    expect(await weighFromBitmaps(db(), id, byText, predicates, WEIGHTING)).toBeUndefined()
  }, 60_000)

  test('adds bitmaps for a new question', async () => {
    const { body } = await ann.get(`${root}structure/`)
    const structure = structuredClone(body)
    const choices = [{ label: 'Yes' }, { label: 'No' }]
    structure.form[0].children.push({
      ...{ idname: 'single-choice', id: 'late', title: 'Late?' },
      children: [{ type: 'single', choices }],
    })
    const before = (await segments())[0]!.indexed_predicates
    expect((await ann.put(`${root}structure/`, { json: structure })).status).toBeLessThan(300)
    const [first] = await idsOf()
    await edit(first!, { late: 1, q1: 0 })
    await check('late=1&q1=0')
    await refreshRollups(world.context())
    await countAllFromRollup(world.context(), id, reportPredicates((await getSnapshot(world.em(), id))!.questionnaire))
    await refreshRollups(world.context())
    expect((await segments()).every((segment) => segment.indexed_predicates > before)).toBe(true)
    expect(await check('late=1&q1=0')).toBe(true)
  }, 60_000)

  test('erases the bitmaps with the survey', async () => {
    await eraseSurvey(ann, id)
    const left = await db()
      .selectFrom('response_bitmap')
      .select('predicate_number')
      .where('survey_id', '=', id)
      .execute()
    expect(left).toEqual([])
  })
})
