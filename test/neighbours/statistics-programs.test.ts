import { beforeAll, describe, expect, test } from '@jest/globals'
import { parse } from 'csv-parse/sync'
import { seededRandom } from '../../src/lib/random.ts'
import { EVERY_ANSWER, EVERY_TYPE } from '../support/every-type.ts'
import { makeSurvey } from '../support/responses.ts'
import { type ReadFile, readWithPspp, readWithR } from '../support/statistics-programs.ts'
import { type Person, useWorld } from '../support/world.ts'

const world = useWorld()
const RESPONSES = 60
let ann: Person
let survey: number
/** The file and its syntax files by name. */
let files: Record<string, string>
let rows: Record<string, string>[]
/** The codebook: the rows of each variable. */
let codebook: Record<string, Record<string, string>[]>
// biome-ignore lint/suspicious/noExplicitAny: a test reads members of any reply
let report: any

beforeAll(async () => {
  const seed = Math.floor(Math.random() * 2 ** 32)
  console.info(`seed ${seed}`)
  const random = seededRandom(seed)
  ann = await world.person({ username: 'ann' })
  survey = await makeSurvey(ann, EVERY_TYPE)
  const api = `/api/v3/surveys/${survey}/`
  for (let index = 0; index < RESPONSES; index += 1) {
    const source = EVERY_ANSWER[index % EVERY_ANSWER.length]!
    const left = Object.keys(source).filter((key) => key !== 'colour' && random() < 0.2)
    const answers = Object.fromEntries(Object.entries(source).filter(([key]) => !left.includes(key.split('\\')[0]!)))
    const more = {
      nps: Math.floor(random() * 11),
      price: Number((random() * 100).toFixed(6)),
      slide: Math.floor(random() * 101),
    }
    const json = {
      ...answers,
      ...(random() < 0.7 ? more : {}),
      remark: `№${index} “ä”, 'x'\n"y" ${'z'.repeat(index * 5)}`,
      _completed: 1,
    }
    const { status, body } = await ann.post(`${api}responses/`, { json })
    expect([status, body.errors]).toEqual([201, undefined])
  }
  const text = async (path: string) => (await ann.get(api + path)).text
  files = {
    'every-type.csv': await text('csv/?for_statistics=1'),
    'every-type.sps': await text('codebook/?format=spss'),
    'every-type.R': await text('codebook/?format=r'),
  }
  rows = parse(files['every-type.csv']!, { columns: true })
  const described: Record<string, string>[] = parse(await text('codebook/'), { columns: true })
  codebook = Object.groupBy(described, ({ variable }) => variable!) as typeof codebook
  const { body } = await ann.post(`${api}reports/`, { json: { title: 'All', query: '' } })
  report = (await ann.get(body.report_uri)).body
})

const numbers = () => Object.entries(codebook).flatMap(([name, [first]]) => (first!.type === 'number' ? [name] : []))

/** Compares what a program read with the file, the codebook and the report. */
function expectSame({ cases, variables }: ReadFile) {
  expect(cases).toBe(RESPONSES)
  expect(variables.map(({ name }) => name)).toEqual(Object.keys(rows[0]!))
  for (const { name, label, valid, mean, values } of variables) {
    const [first, ...others] = codebook[name]!
    expect([name, label]).toEqual([name, first!.label])
    const expected = first!.value === '' ? [] : [first!, ...others].map((row) => [row.value, row.value_label])
    expect([name, values]).toEqual([name, Object.fromEntries(expected)])
    const cells = rows.map((row) => row[name]!).filter(Boolean)
    if (!Number.isNaN(valid)) expect([name, valid]).toEqual([name, cells.length])
    if (first!.type !== 'number' || cells.length === 0) continue
    expect([name, mean]).toEqual([
      name,
      expect.closeTo(cells.reduce((sum, cell) => sum + Number(cell), 0) / cells.length, 9),
    ])
  }
  const byName = new Map(variables.map((variable) => [variable.name, variable]))
  for (const question of report.questions) {
    for (const { key, answered, mean, choices } of question.rows ?? [{ ...question, key: question.id }]) {
      const name = key.replace(/_(\d)$/, (_: string, row: string) => `_${Number(row) + 1}`)
      const variable = byName.get(name)
      const isAnswer = variable && codebook[name]![0]!.missing === 'no answer'
      if (variable && !isAnswer) expect([name, Math.round(variable.mean! * variable.valid)]).toEqual([name, answered])
      // The scores of the report are positions, and these choices have other codes.
      if (isAnswer && mean !== undefined && codebook[name]![0]!.type === 'number' && !/^(often|when)/.test(name)) {
        expect([name, variable.valid]).toEqual([name, answered])
        // A report rounds to four decimal places.
        if (mean !== null) expect([name, variable.mean]).toEqual([name, expect.closeTo(mean, 3)])
      }
      for (const { index, count } of variable ? [] : (choices ?? [])) {
        const tick = byName.get(`${name}_${index + 1}`)
        if (tick && codebook[tick.name]![0]!.missing === 'not asked')
          expect([tick.name, Math.round(tick.mean! * tick.valid)]).toEqual([tick.name, count])
      }
    }
  }
}

describe('the file for statistics programs', () => {
  test('is read by PSPP with its syntax file: cases, names, labels, missing values, means and texts', () => {
    const read = readWithPspp(files, 'every-type.sps', numbers())
    expectSame(read)
    for (const [name, [first]] of Object.entries(codebook)) {
      // SPSS fills texts up with spaces.
      const shown = (cell: string) => (first!.type === 'text' ? cell.trimEnd() : cell !== '' && cell !== '.')
      expect([name, read.rows.map((row) => shown(row[name]!.trimEnd()))]).toEqual([
        name,
        rows.map((row) => shown(row[name]!)),
      ])
    }
  })

  test('is read by R with its script: cases, names, labels, missing values and means', () => {
    expectSame(readWithR(files, 'every-type.R'))
  })
})
