import { beforeAll, describe, expect, test } from '@jest/globals'
import { fakeResponses } from '../../../src/domain/response/fake-responses.ts'
import { refreshRollups } from '../../../src/domain/rollup/refresh.ts'
import { SEGMENT_RESPONSES } from '../../../src/domain/rollup/state.ts'
import { getSnapshot } from '../../../src/domain/survey/snapshot.ts'
import { seededRandom } from '../../../src/lib/random.ts'
import { respond } from '../../support/respondents.ts'
import { EVERY_SHAPE, makeSurvey } from '../../support/responses.ts'
import { storedResponses } from '../../support/surveys.ts'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
let ann: Person
let id: number
let uri: string

const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))

const NUMBER = { idname: 'number', id: 'age', title: 'Age', children: [{ min: 0, max: 100 }] }
const [page] = EVERY_SHAPE.form
const STRUCTURE = { ...EVERY_SHAPE, form: [{ ...page, children: [...page!.children, NUMBER] }] }
const uriOf = (survey: number) => `${world.base}/api/v3/surveys/${survey}/cross-table/`

beforeAll(async () => {
  ann = await world.person()
  id = await makeSurvey(ann, STRUCTURE)
  uri = uriOf(id)
})

describe('getCrossTable [spec 10.4]', () => {
  test('counts responses by two questions, with bases, means and the test of independence', async () => {
    const answers = [
      ...Array(30).fill({ q1: 0, q4: true }),
      ...Array(10).fill({ q1: 1, q4: true }),
      ...Array(10).fill({ q1: 0, q4: false }),
      ...Array(30).fill({ q1: 1, q4: false }),
      { q1: 0 },
      { q4: true },
    ]
    for (const one of answers) await respond(world, id, { answers: one })
    await respond(world, id, { answers: { q1: 0, q4: true }, completed: 0 })
    const { status, body } = await ann.get(`${uri}?rows=q1&columns=q4&language=en`)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      n: 80,
      row_question: {
        id: 'q1',
        key: 'q1',
        identifier: null,
        type: 'single-choice',
        title: 'Content?',
        multiple: false,
      },
      column_question: { id: 'q4', title: 'Again?', multiple: false },
      columns: [
        { letter: 'A', index: 0, n: 40, mean: 8.75, standard_deviation: 2.1926 },
        { letter: 'B', index: 1, n: 40, mean: 6.25 },
      ],
      rows: [
        {
          index: 0,
          label: 'Yes',
          n: 40,
          cells: [
            { count: 30, row_percentage: 75, column_percentage: 75, higher_than: ['B'] },
            { count: 10, row_percentage: 25, column_percentage: 25, higher_than: [] },
          ],
        },
        { index: 1, label: 'No', n: 40, cells: [{ higher_than: [] }, { higher_than: ['A'] }] },
        { index: 2, label: 'Other', n: 0, cells: [{ count: 0, column_percentage: 0 }, { count: 0 }] },
      ],
      mean: 7.5,
      // scipy.stats.chi2_contingency([[30, 10], [10, 30]], correction=False), SciPy 1.17.1
      chi_square: { statistic: 20, degrees_of_freedom: 1, p: 7.744e-6, cramers_v: 0.5, low_expected_percentage: 0 },
    })
    expect((await ann.get(`${uri}?rows=q1&columns=q4&_completed>=0`)).body.n).toBe(81)
    expect((await ann.get(`${uri}?rows=q1&columns=q4&q4=0`)).body.columns.map(({ n }: { n: number }) => n)).toEqual([
      0, 40,
    ])
  })

  test('says that a question accepts several choices, uses responses as its base, and tests nothing that overlaps', async () => {
    const survey = await makeSurvey(ann, STRUCTURE)
    for (const one of [{ q2: [0, 1], q1: 0 }, { q2: [0], q1: 0 }, { q2: [], q1: 0 }, { q2: [2], q1: 1 }, { q1: 1 }])
      await respond(world, survey, { answers: one })
    const { body } = await ann.get(`${uriOf(survey)}?rows=q2&columns=q1`)
    expect(body).toMatchObject({
      n: 4,
      row_question: { multiple: true },
      column_question: { multiple: false },
      columns: [{ n: 3 }, { n: 1 }, { n: 0 }],
      rows: [
        { n: 2, cells: [{ count: 2, row_percentage: 100, column_percentage: 66.7 }, { count: 0 }, { count: 0 }] },
        { n: 1, cells: [{ count: 1, column_percentage: 33.3 }, { count: 0 }, { count: 0 }] },
        { n: 1, cells: [{ count: 0 }, { count: 1, row_percentage: 100, column_percentage: 100 }, { count: 0 }] },
      ],
      chi_square: null,
    })
    expect(body).not.toHaveProperty('mean')
    const turned = (await ann.get(`${uriOf(survey)}?rows=q1&columns=q2`)).body
    expect(turned).toMatchObject({ n: 4, columns: [{ n: 2 }, { n: 1 }, { n: 1 }], chi_square: null })
  })

  test('counts numbers in intervals, and returns their mean for each column', async () => {
    const survey = await makeSurvey(ann, STRUCTURE)
    for (const [age, q4] of [
      [20, true],
      [22.5, true],
      [40, false],
      [44, false],
      [48, false],
      ['x', true],
    ] as const)
      await respond(world, survey, { answers: { age, q4 } })
    const { body } = await ann.get(`${uriOf(survey)}?rows=age&columns=q4`)
    expect(body).toMatchObject({
      n: 5,
      columns: [
        { n: 2, mean: 21.25, standard_deviation: 1.7678 },
        { n: 3, mean: 44, standard_deviation: 4 },
      ],
      mean: 34.9,
    })
    expect(body.rows[0]).toMatchObject({ from: 20, below: 25, n: 2, cells: [{ count: 2 }, { count: 0 }] })
    expect((await ann.get(`${uriOf(survey)}?rows=q4&columns=age`)).body.columns[0]).toMatchObject({ from: 20, n: 2 })
  })

  test('is empty without responses', async () => {
    const survey = await makeSurvey(ann, STRUCTURE)
    const empty = { n: 0, chi_square: null, mean: null, standard_deviation: null, interval: null }
    expect((await ann.get(`${uriOf(survey)}?rows=q1&columns=q4`)).body).toMatchObject(empty)
    expect((await ann.get(`${uriOf(survey)}?rows=age&columns=age`)).body).toMatchObject({ n: 0, rows: [], columns: [] })
  })

  test.each([
    ['rows=nothing&columns=q4', { field: 'rows', code: 'unknown_question', params: { value: 'nothing' } }],
    ['rows=q1&columns=q2%5C0', { field: 'columns', code: 'unknown_question' }],
    ['rows=q3&columns=q4', { field: 'rows', code: 'not_countable' }],
    ['rows=q1&columns=grid', { field: 'columns', code: 'not_countable' }],
    ['rows=rank&columns=q4', { field: 'rows', code: 'not_countable' }],
    ['rows=q1', { field: 'columns', code: 'required' }],
    ['rows=q1&columns=q4&q9=1', { field: 'q9', code: 'unknown_parameter' }],
  ])('returns 400 for %s', async (query, error) => {
    expect(await ann.get(`${uri}?${query}`)).toMatchObject({ status: 400, body: { errors: [error] } })
  })

  test('names the question with too many choices and the limit', async () => {
    const choices = Array.from({ length: 60 }, (_, index) => ({ label: `C${index}` }))
    const children = ['a', 'b'].map((name) => ({
      idname: 'single-choice',
      id: name,
      title: name,
      children: [{ choices }],
    }))
    const yes = { idname: 'boolean-choice', id: 'yes', title: 'Yes', children: [{}] }
    const survey = await makeSurvey(ann, { title: 'Long', form: [{ type: 'page', children: [...children, yes] }] })
    const errorOf = async (query: string) => (await ann.get(`${uriOf(survey)}?${query}`)).body.errors?.[0]
    const tooMany = { code: 'limit_reached', params: { max: 50 } }
    expect(await errorOf('rows=a&columns=b')).toMatchObject({ field: 'columns', ...tooMany })
    expect(await errorOf('rows=a&columns=yes')).toBeUndefined()
  })

  test(`agrees with a count of the responses, before and after the rollup is built, seed ${SEED}`, async () => {
    const survey = await makeSurvey(ann, STRUCTURE)
    const snapshot = (await getSnapshot(world.em(), survey))!
    await fakeResponses(world.context(), snapshot, SEGMENT_RESPONSES + 200, seededRandom(SEED))
    const all = await storedResponses(world, survey)
    const complete = all
      .filter(({ completed }) => completed === 1)
      .map(({ answers }) => answers as Record<string, unknown>)
    const choices: Record<string, unknown[]> = {
      ...{ q1: [0, 1, 2], q2: [0, 1, 2], q4: [true, false], grid_0: [0, 1] },
      nps: Array.from({ length: 11 }, (_, index) => index),
    }
    const has = (answer: unknown, value: unknown) => (Array.isArray(answer) ? answer.includes(value) : answer === value)
    const expected = (rows: string, columns: string) =>
      choices[rows]!.map((row) =>
        choices[columns]!.map((column) => complete.filter((a) => has(a[rows], row) && has(a[columns], column)).length),
      )
    const check = async () => {
      for (const rows of Object.keys(choices))
        for (const columns of Object.keys(choices)) {
          const { body } = await ann.get(`${uriOf(survey)}?rows=${rows}&columns=${columns}`)
          const counts = body.rows.map(({ cells }: { cells: { count: number }[] }) => cells.map(({ count }) => count))
          expect([rows, columns, counts]).toEqual([rows, columns, expected(rows, columns)])
          const both = complete.filter((answers) => answers[rows] !== undefined && answers[columns] !== undefined)
          expect([rows, columns, body.n]).toEqual([rows, columns, both.length])
        }
    }
    await check()
    await refreshRollups(world.context())
    await check()
  }, 60_000)

  test('has the collectors of the responses as rows or columns', async () => {
    const survey = await makeSurvey(ann, STRUCTURE)
    const { collectors } = (await getSnapshot(world.em(), survey))!
    const [first] = [...collectors.values()]
    const root = `/api/v3/surveys/${survey}/`
    const second = (await ann.post(`${root}collectors/`, { json: { name: 'Second' } })).body.id
    const add = async (q1: number | undefined, collectorId: number, completed: 0 | 1 = 1) =>
      respond(world, survey, { answers: q1 === undefined ? { q4: true } : { q1 }, collectorId, completed })
    for (const [q1, count] of [30, 10, 0].entries())
      for (let index = 0; index < count; index += 1) await add(q1, first!.id)
    for (const [q1, count] of [10, 30, 5].entries())
      for (let index = 0; index < count; index += 1) await add(q1, second)
    await add(undefined, second)
    await add(0, second, 0)
    const { body } = await ann.get(`${uriOf(survey)}?rows=q1&columns=_collector&language=en`)
    expect(body).toMatchObject({
      n: 85,
      column_question: { id: '_collector', key: '_collector', type: 'collector', title: 'Collector', multiple: false },
      columns: [
        { letter: 'A', collector_id: first!.id, label: first!.name, n: 40, mean: 8.75 },
        { letter: 'B', collector_id: second, label: 'Second', n: 45 },
      ],
      rows: [
        { index: 0, cells: [{ count: 30, column_percentage: 75, higher_than: ['B'] }, { count: 10 }] },
        { index: 1, cells: [{ count: 10 }, { count: 30, column_percentage: 66.7, higher_than: ['A'] }] },
        { index: 2, cells: [{ count: 0 }, { count: 5 }] },
      ],
      chi_square: { degrees_of_freedom: 2 },
    })
    const swapped = (await ann.get(`${uriOf(survey)}?rows=_collector&columns=q1`)).body
    expect(swapped.rows.map(({ cells }: { cells: { count: number }[] }) => cells.map(({ count }) => count))).toEqual([
      [30, 10, 0],
      [10, 30, 5],
    ])
    expect(swapped).not.toHaveProperty('mean')
    expect(swapped.rows[1]).toMatchObject({ collector_id: second, label: { en: 'Second' } })
    // A filter and weights apply as to any table.
    const one = (await ann.get(`${uriOf(survey)}?rows=q1&columns=_collector&_collector=${second}`)).body
    expect(one.columns.map(({ n }: { n: number }) => n)).toEqual([0, 45])
    const targets = [0, 1].map((choice) => ({ choice, percentage: 50 }))
    await ann.put(`${root}weighting/`, { json: { questions: [{ question: 'q1', targets }] } })
    const weighted = (await ann.get(`${uriOf(survey)}?rows=q1&columns=_collector&weighted`)).body
    expect(weighted.columns[1].weighted_n).toBeCloseTo(45, 0)
  })

  test('returns 304 for the current ETag, and 404 for the survey of another account', async () => {
    const { headers } = await ann.get(`${uri}?rows=q1&columns=q4`)
    const again = { headers: { 'If-None-Match': headers.get('etag')! } }
    expect((await ann.get(`${uri}?rows=q1&columns=q4`, again)).status).toBe(304)
    expect((await (await world.person()).get(`${uri}?rows=q1&columns=q4`)).status).toBe(404)
  })
})
