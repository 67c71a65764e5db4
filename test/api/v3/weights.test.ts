import { beforeAll, describe, expect, test } from '@jest/globals'
import { importResponses } from '../../../src/domain/response/import/import.ts'
import { csvRows } from '../../../src/lib/csv.ts'
import { respond } from '../../support/respondents.ts'
import { EVERY_SHAPE, makeSurvey } from '../../support/responses.ts'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
let ann: Person
let survey: number
let root: string

/** Complete responses by the answers to q1 (rows) and q4 (columns: yes, no, none). */
const COUNTS = [
  [40, 10, 5],
  [10, 20, 5],
  [5, 5, 0],
]
const target = (choice: number | string, percentage: number) => ({ choice, percentage })
const DRAFT = {
  questions: [
    { question: 'q1', targets: [target(0, 40), target('No', 40), target(2, 20)] },
    { question: 'q4', targets: [target(0, 50), target(1, 50)] },
  ],
}

beforeAll(async () => {
  ann = await world.person()
  survey = await makeSurvey(ann, EVERY_SHAPE)
  root = `/api/v3/surveys/${survey}/`
  for (const [q1, row] of COUNTS.entries())
    for (const [column, count] of row.entries())
      for (let index = 0; index < count; index += 1)
        await respond(world, survey, { answers: { q1, ...(column < 2 && { q4: column === 0 }) } })
  await respond(world, survey, { answers: { q1: 0, q4: true }, completed: 0 })
})

/** Returns the rows of a file for statistics programs as objects. */
async function exported(query = ''): Promise<Record<string, string>[]> {
  const headers = { authorization: ann.authorization! }
  const reply = await fetch(`${world.base}${root}csv/?for_statistics${query}`, { headers })
  const rows: string[][] = []
  for await (const row of csvRows(await reply.text())) rows.push(row)
  const [head, ...lines] = rows
  return lines.map((line) => Object.fromEntries(head!.map((name, at) => [name, line[at]!])))
}

describe('setWeighting, getWeighting and deleteWeighting [spec 10.10]', () => {
  test('without weights, files have no variable, and there is nothing to read or delete', async () => {
    expect((await exported())[0]).not.toHaveProperty('response_weight')
    const table = `${root}cross-table/?rows=q1&columns=q4&weighted`
    const report = (await ann.post(`${root}reports/`, { json: {} })).body.id
    for (const reply of [
      await ann.get(`${root}reports/${report}/?weighted`),
      await ann.get(`${root}comparison/?weighted`),
      await ann.get(`${root}weighting/`),
      await ann.delete(`${root}weighting/`),
      await ann.get(table),
    ])
      expect(reply).toMatchObject({ status: 404, body: { code: 'weighting_not_found' } })
  })

  test('brings the answers to their targets, and stores the weights as a variable of all files', async () => {
    const reply = await ann.put(`${root}weighting/?language=en`, { json: DRAFT })
    expect(reply).toMatchObject({
      status: 200,
      body: {
        ...{ n: 100, responses: 100, up_to_date: true, converged: true, min_weight: 0.2, max_weight: 5, trimmed: 0 },
        questions: [
          {
            question: 'q1',
            title: 'Content?',
            targets: [
              { choice: 0, label: 'Yes', percentage: 40, unweighted_percentage: 55, weighted_percentage: 40 },
              { choice: 1, percentage: 40, unweighted_percentage: 35, weighted_percentage: 40 },
              { choice: 2, percentage: 20, unweighted_percentage: 10, weighted_percentage: 20 },
            ],
          },
          {
            question: 'q4',
            targets: [
              { percentage: 50, unweighted_percentage: 61.11, weighted_percentage: 50 },
              { percentage: 50, unweighted_percentage: 38.89, weighted_percentage: 50 },
            ],
          },
        ],
      },
    })
    expect((await ann.get(`${root}weighting/?language=en`)).body).toEqual(reply.body)
    const rows = await exported('&_completed=1')
    const weights = rows.map((row) => ({ q1: row.q1, q4: row.q4, weight: Number(row.response_weight) }))
    const sum = (isIn: (row: (typeof weights)[number]) => boolean, power = 1) =>
      weights.filter(isIn).reduce((total, { weight }) => total + weight ** power, 0)
    const all = sum(() => true)
    expect(all).toBeCloseTo(100, 3)
    const codes = [...new Set(weights.map(({ q1 }) => q1))].sort()
    expect(codes.map((code) => sum(({ q1 }) => q1 === code) / all)).toEqual(
      [0.4, 0.4, 0.2].map((share) => expect.closeTo(share, 5)),
    )
    const answered = sum(({ q4 }) => q4 !== '')
    const [no = ''] = [...new Set(weights.map(({ q4 }) => q4))].filter(Boolean).sort()
    expect(sum(({ q4 }) => q4 === no) / answered).toBeCloseTo(0.5, 5)
    expect(reply.body.effective_n).toBeCloseTo(all ** 2 / sum(() => true, 2), 1)
    expect(reply.body.smallest).toBeCloseTo(Math.min(...weights.map(({ weight }) => weight)), 3)
    const codebook = await fetch(`${world.base}${root}codebook/`, { headers: { authorization: ann.authorization! } })
    expect(await codebook.text()).toContain('response_weight,Weight,number,scale,no answer,,,,_weight')
    for (const file of ['sav', 'dta', 'parquet']) {
      const data = await fetch(`${world.base}${root}${file}/`, { headers: { authorization: ann.authorization! } })
      expect(Buffer.from(await data.arrayBuffer()).toString('latin1')).toContain('response_weight')
    }
  })

  test('weights responses that arrive later, and says that the weights are not up to date', async () => {
    const before = await exported('&_completed=0')
    expect(Number(before[0]!.response_weight)).toBeGreaterThan(0)
    await respond(world, survey, { answers: { q1: 1 } })
    expect((await ann.get(`${root}weighting/`)).body).toMatchObject({ n: 100, responses: 101, up_to_date: false })
    const rows = await exported('&_completed=1')
    const [last] = rows.slice(-1)
    const twin = rows.find(({ q1, q4 }) => q1 === last!.q1 && q4 === '')!
    expect(last!.response_weight).toBe(twin.response_weight)
    expect((await ann.put(`${root}weighting/`, { json: DRAFT })).body).toMatchObject({ n: 101, up_to_date: true })
  })

  test('weights cross-tables: shares, effective numbers, means and tests', async () => {
    await ann.put(`${root}weighting/`, { json: DRAFT })
    const query = 'rows=q1&columns=q4'
    const plain = (await ann.get(`${root}cross-table/?${query}`)).body
    const { body } = await ann.get(`${root}cross-table/?${query}&weighted`)
    const rows = (await exported('&_completed=1')).map(({ q1, q4, response_weight: weight }) => ({
      ...{ q1, q4, weight: Number(weight) },
    }))
    const answered = rows.filter(({ q4 }) => q4 !== '')
    const codes = { q1: [...new Set(rows.map(({ q1 }) => q1))].sort(), q4: ['1', '2'].map(String) }
    codes.q4 = [...new Set(answered.map(({ q4 }) => q4!))].sort()
    const sum = (isIn: (row: (typeof rows)[number]) => boolean, power = 1) =>
      answered.filter(isIn).reduce((total, { weight }) => total + weight ** power, 0)
    expect(body.n).toBe(plain.n)
    expect(body.weighted_n).toBeCloseTo(
      sum(() => true),
      3,
    )
    expect(body.effective_n).toBeCloseTo(sum(() => true) ** 2 / sum(() => true, 2), 3)
    // The codes of a yes-no question are 1 for yes and 0 for no; the columns begin with yes.
    const columnCodes = COUNTS.length > 0 && Number(codes.q4[0]) === 0 ? codes.q4.toReversed() : codes.q4
    for (const [column, code] of columnCodes.entries()) {
      const base = sum(({ q4 }) => q4 === code)
      expect(body.columns[column].n).toBe(plain.columns[column].n)
      expect(body.columns[column].effective_n).toBeCloseTo(base ** 2 / sum(({ q4 }) => q4 === code, 2), 3)
      for (const [row, own] of codes.q1.entries()) {
        const cell = body.rows[row].cells[column]
        const weight = sum(({ q1, q4 }) => q1 === own && q4 === code)
        expect(cell.count).toBe(plain.rows[row].cells[column].count)
        expect(cell.weighted_count).toBeCloseTo(weight, 3)
        expect(cell.column_percentage).toBeCloseTo((100 * weight) / base, 0)
        expect(cell.row_percentage).toBeCloseTo((100 * weight) / sum(({ q1 }) => q1 === own), 0)
      }
      const scores = [10, 5, 3]
      const mean = codes.q1.reduce(
        (total, own, row) => total + scores[row]! * sum(({ q1, q4 }) => q1 === own && q4 === code),
        0,
      )
      expect(body.columns[column].mean).toBeCloseTo(mean / base, 3)
    }
    // Pearson's statistic of the weighted shares, times the effective number of responses.
    const total = sum(() => true)
    const statistic = codes.q1.flatMap((own) =>
      columnCodes.map((code) => {
        const expected = (sum(({ q1 }) => q1 === own) * sum(({ q4 }) => q4 === code)) / total
        return (sum(({ q1, q4 }) => q1 === own && q4 === code) - expected) ** 2 / expected
      }),
    )
    const effective = (total ** 2 / sum(() => true, 2)) * (statistic.reduce((all, one) => all + one, 0) / total)
    expect(body.chi_square.statistic).toBeCloseTo(effective, 2)
    expect(await ann.get(`${root}cross-table/?${query}`)).toMatchObject({ body: plain })
  })

  test('weights reports and comparisons of groups: shares, means and their bases are those of the exported weights', async () => {
    await ann.put(`${root}weighting/`, { json: DRAFT })
    const report = (await ann.post(`${root}reports/`, { json: { title: 'Weighted' } })).body.id
    const plain = (await ann.get(`${root}reports/${report}/`)).body
    const { body } = await ann.get(`${root}reports/${report}/?weighted`)
    const rows = (await exported('&_completed=1')).map(({ q1, q4, response_weight: weight }) => ({
      ...{ q1, q4, weight: Number(weight) },
    }))
    const weigh = (isIn: (row: (typeof rows)[number]) => boolean) => {
      const weights = rows.filter(isIn).map(({ weight }) => weight)
      const n = weights.reduce((sum, weight) => sum + weight, 0)
      return { n, effective: n ** 2 / weights.reduce((sum, weight) => sum + weight ** 2, 0) }
    }
    const all = weigh(() => true)
    const base = (one: { n: number; effective: number }) => ({
      weighted_n: expect.closeTo(one.n, 3),
      effective_n: expect.closeTo(one.effective, 3),
    })
    expect(body).toMatchObject({ responses: plain.responses, ...base(all) })
    const codes = [...new Set(rows.map(({ q1 }) => q1))].sort()
    const expected = codes.map((code, index) => ({
      count: plain.questions[0].choices[index].count,
      weighted_count: expect.closeTo(weigh(({ q1 }) => q1 === code).n, 3),
      percentage: [40, 40, 20][index],
    }))
    expect(body.questions[0]).toMatchObject({
      id: 'q1',
      answered: plain.questions[0].answered,
      ...base(all),
      choices: expected,
    })
    const mean = 0.4 * 10 + 0.4 * 5 + 0.2 * 3
    expect(body.questions[0].mean).toBeCloseTo(mean, 3)
    // Hmisc::wtd.quantile and a t interval of the effective number of responses.
    expect(body.questions[0]).toMatchObject({
      median: 5,
      spread: { n: rows.length, lower_quartile: 5, upper_quartile: 10 },
    })
    const deviation = Math.sqrt(
      ((0.4 * (10 - mean) ** 2 + 0.4 * (5 - mean) ** 2 + 0.2 * (3 - mean) ** 2) * all.effective) / (all.effective - 1),
    )
    expect(body.questions[0].spread.standard_deviation).toBeCloseTo(deviation, 3)
    expect((await ann.get(`${root}reports/${report}/`)).body).toEqual(plain)

    const groups = 'group=q4%3Dtrue&group=q4%3Dfalse'
    const compared = (await ann.get(`${root}comparison/?${groups}&weighted`)).body
    const unweighted = (await ann.get(`${root}comparison/?${groups}`)).body
    const table = (await ann.get(`${root}cross-table/?rows=q1&columns=q4&weighted`)).body
    const [field] = compared.questions[0].fields
    for (const [group, column] of table.columns.entries()) {
      const { n, weighted_n, effective_n } = column
      expect(compared.groups[group]).toMatchObject({ n, weighted_n, effective_n })
      expect(field.weighted[group]).toEqual({ weighted_n, effective_n })
      expect(field.answered[group]).toBe(unweighted.questions[0].fields[0].answered[group])
      for (const [row, { cells }] of table.rows.entries()) {
        const { count, weighted_count, column_percentage: percentage, higher_than } = cells[group]
        expect(field.choices[row].cells[group]).toEqual({ count, weighted_count, percentage, higher_than })
      }
      const { mean, standard_deviation, interval } = column
      expect(field.means[group]).toMatchObject({ mean, standard_deviation, interval })
    }
  })

  test('trims weights, and says that the targets are not reached', async () => {
    const questions = [{ question: 'q1', targets: [target(0, 5), target(1, 5), target(2, 90)] }]
    const { body } = await ann.put(`${root}weighting/`, { json: { questions, max_weight: 3 } })
    expect(body).toMatchObject({ converged: false, largest: 3, max_weight: 3 })
    expect(body.largest_difference).toBeGreaterThan(10)
    expect(body.trimmed).toBeGreaterThan(0)
    const weights = (await exported()).map((row) => Number(row.response_weight))
    expect(Math.max(...weights)).toBe(3)
    expect(Math.min(...weights)).toBeGreaterThanOrEqual(0.2)
  })

  test('a file with weights is imported without them, also after they are deleted', async () => {
    const headers = { authorization: ann.authorization! }
    const file = await (await fetch(`${world.base}${root}csv/?for_statistics`, { headers })).text()
    expect((await ann.delete(`${root}weighting/`)).status).toBe(200)
    expect((await exported())[0]).not.toHaveProperty('response_weight')
    const other = await makeSurvey(ann, EVERY_SHAPE)
    const imported = await ann.act((context) => importResponses(context, other, file))
    expect(imported).toMatchObject({ imported: 102 })
  })

  test.each([
    [[{ question: 'q2', targets: [target(0, 50), target(1, 50)] }], 'questions', 'not_weightable'],
    [[{ question: 'q3', targets: [target(0, 50), target(1, 50)] }], 'questions', 'not_countable'],
    [[{ question: 'nothing', targets: [target(0, 50), target(1, 50)] }], 'questions', 'unknown_question'],
    [[{ question: 'q1', targets: [target(0, 50), target(7, 50)] }], 'questions', 'not_a_choice'],
    [[{ question: 'q1', targets: [target(0, 50), target('Yes', 50)] }], 'questions', 'duplicate'],
    [[{ question: 'q1', targets: [target(0, 50), target(1, 40)] }], 'questions', 'wrong_total'],
    [[{ question: 'nps', targets: [target(0, 50), target(10, 50)] }], 'questions', 'no_responses'],
    [[DRAFT.questions[0], DRAFT.questions[0]], 'questions', 'duplicate'],
  ])('rejects %j', async (questions, field, code) => {
    const reply = await ann.put(`${root}weighting/`, { json: { questions } })
    expect(reply).toMatchObject({ status: 400, body: { errors: [{ field, code }] } })
  })
})
