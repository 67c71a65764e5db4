import { beforeAll, describe, expect, test } from '@jest/globals'
import { parse } from 'csv-parse/sync'
import { DEFAULT_EXPORT_OPTIONS } from '../../../src/domain/response/export/columns.ts'
import { exportResponses } from '../../../src/domain/response/export/export.ts'
import type { SurveySnapshot } from '../../../src/domain/survey/snapshot.ts'
import { contextOf, storeResponses, surveyWithQuestions } from '../../support/exports.ts'
import { expectSameAsCodebook, type HardSurvey, hardSurvey } from '../../support/hard-survey.ts'
import { readSav, type SavContent } from '../../support/read-sav.ts'
import { useWorld } from '../../support/world.ts'

const world = useWorld()
let hard: HardSurvey
let content: SavContent

async function get(survey: number, query = '', headers: Record<string, string> = {}) {
  const reply = await fetch(`${world.base}/api/v3/surveys/${survey}/sav/${query}`, {
    headers: { authorization: hard.ann.authorization!, ...headers },
  })
  return { status: reply.status, headers: reply.headers, bytes: Buffer.from(await reply.arrayBuffer()) }
}

beforeAll(async () => {
  hard = await hardSurvey(world)
  const { status, headers, bytes } = await get(hard.survey)
  expect([status, headers.get('content-type'), headers.get('content-disposition')]).toEqual([
    200,
    'application/octet-stream',
    'attachment; filename="every-type.sav"',
  ])
  content = readSav(bytes)
})

describe('exportSav [spec 7.17]', () => {
  test('contains the variables, labels and values of the codebook and of the file for statistics programs', () => {
    const { product, title, cases, cases64, encoding, variables, rows } = content
    expect(product).toMatch(/^@\(#\) SPSS DATA FILE Canvass \d/)
    expect([title, encoding, cases, cases64, rows.length]).toEqual([
      'Every type',
      'UTF-8',
      ...Array(3).fill(hard.cases),
    ])
    const measures = ['', 'nominal', 'ordinal', 'scale']
    expectSameAsCodebook(hard, {
      variables: variables.map((one) => ({ ...one, measure: measures[one.measure]! })),
      rows,
    })
  })

  test('shows dates, times and decimals in their formats', () => {
    const formats = new Map(content.variables.map(({ name, format }) => [name, format]))
    const names = ['day', 'moment', 'clock', 'response_created_at', 'price', 'nps', 'mail']
    expect(names.map((name) => formats.get(name))).toEqual([
      [39, 10, 0],
      [22, 20, 0],
      [21, 8, 0],
      [22, 20, 0],
      [5, 21, 10],
      [5, 11, 0],
      [1, 15, 0],
    ])
  })

  test('makes a multiple response set of each multiple choice', () => {
    expect(content.sets).toEqual([
      { name: '$drinks', counted: '1', label: 'Drinks', variables: ['drinks_1', 'drinks_2', 'drinks_3'] },
      { name: '$coded', counted: '1', label: 'Coded', variables: ['coded_1', 'coded_2', 'coded_3'] },
      { name: '$cups', counted: '1', label: 'Cups', variables: ['cups_1', 'cups_2'] },
      { name: '$uses_1', counted: '1', label: 'Uses - Home', variables: ['uses_1_1', 'uses_1_2'] },
      { name: '$uses_2', counted: '1', label: 'Uses - Work', variables: ['uses_2_1', 'uses_2_2'] },
      { name: '$later', counted: '1', label: 'Später? 🙂', variables: ['later_1', 'later_2'] },
    ])
  })

  test('selects responses, questions and a language as the CSV export does', async () => {
    const { bytes } = await get(hard.survey, '?include=drinks,remark&include_key=1&nps>=5')
    const { variables, rows, cases } = readSav(bytes)
    const csv = await hard.ann.get(
      `/api/v3/surveys/${hard.survey}/csv/?for_statistics=1&include=drinks,remark&include_key=1&nps>=5`,
    )
    const records: Record<string, string>[] = parse(csv.text, { columns: true })
    expect(cases).toBe(records.length)
    expect(variables.map(({ name }) => name)).toEqual(Object.keys(records[0]!))
    expect(rows.map(({ response_key: key }) => key)).toEqual(records.map(({ response_key: key }) => key))
  })

  test('contains no case if no response matches, and texts of one byte', async () => {
    const { variables, rows, cases } = readSav((await get(hard.survey, '?ids=999999999')).bytes)
    expect([cases, rows]).toEqual([0, []])
    expect(variables.find(({ name }) => name === 'remark')!.width).toBe(1)
  })

  test('shows when the survey or a response was last changed, also without responses', async () => {
    const { id } = await surveyWithQuestions(world, hard.ann, 'New', [{ idname: 'text-response', id: 'a', title: 'A' }])
    const createdIn = async () => {
      const [, day, time] = /^(.{9})(.{8})$/.exec((await get(id)).bytes.toString('latin1', 92, 109))!
      return Date.parse(`${day!.replace(/(..)$/, '20$1')} ${time} UTC`)
    }
    const { updated_at: changed } = (await hard.ann.get(`/api/v3/surveys/${id}/`)).body
    expect(await createdIn()).toBe(Math.floor(Date.parse(changed) / 1000) * 1000)
    const responses = `/api/v3/surveys/${id}/responses/`
    const created = (await hard.ann.post(responses, { json: { a: 'b' } })).body
    const saved = (await hard.ann.get(`${responses}${created.id}/`)).body._updated_at
    expect(await createdIn()).toBe(Date.parse(`${saved}Z`))
  })

  test('leaves out what the type of a variable cannot express', async () => {
    const survey = await surveyWithQuestions(world, hard.ann, 'Types', [
      { idname: 'number', id: 'price', title: 'Price' },
      { idname: 'datetime', id: 'day', title: 'Day', format: 'date' },
      { idname: 'datetime', id: 'moment', title: 'Moment' },
      { idname: 'text-response', id: 'text', title: 'Text' },
    ])
    await storeResponses(world, survey, [
      { answers: { price: 'much', day: '1582-10-14', moment: '2026-03-01T09:30:00+02:00', text: [3, 4] } },
      { answers: { price: ' ', day: '1582-10-15', moment: '2026-03-01', text: true } },
      { answers: { price: 1e15, day: 'soon', moment: '09:30', text: 1e15 } },
      { answers: { price: -99, day: '9999-12-31', text: ' a ' } },
    ])
    const { rows } = readSav((await get(survey.id)).bytes)
    const seconds = (time: string) => Date.parse(`${time}Z`) / 1000 - Date.parse('1582-10-14T00:00:00Z') / 1000
    expect(rows.map(({ price, day, moment, text }) => [price, day, moment, text])).toEqual([
      [null, null, seconds('2026-03-01T09:30:00'), '[3,4]'],
      [null, 86_400, seconds('2026-03-01T00:00:00'), 'true'],
      [1e15, null, null, '1000000000000000'],
      [-99, seconds('9999-12-31T00:00:00'), null, ' a'],
    ])
  })

  test.each([1, 8, 9, 251, 252, 253, 254, 255, 256, 504, 505, 510, 511, 32_766, 32_767])(
    'keeps a text of %i bytes',
    async (length) => {
      const survey = await surveyWithQuestions(world, hard.ann, 'Length', [
        { idname: 'text-response', id: 'a', title: 'A' },
        { idname: 'text-response', id: 'b', title: 'B' },
      ])
      const text = Array.from({ length }, (_, i) => String.fromCharCode(0x61 + ((i * 7) % 26))).join('')
      await storeResponses(world, survey, [{ answers: { a: text, b: 'x' } }, { answers: { b: text.slice(1) } }])
      const { rows, variables } = readSav((await get(survey.id)).bytes)
      expect(variables.find(({ name }) => name === 'a')!.width).toBe(length)
      expect(rows.map(({ a, b }) => [a, b])).toEqual([
        [text, 'x'],
        ['', text.slice(1)],
      ])
    },
  )

  test('names the segments of a long text like no variable', async () => {
    const ids = ['text', 'text000', 'TEXT001', 'texts', 'texts0']
    const questions = ids.map((id) => ({ idname: 'text-response', id, title: id }))
    const survey = await surveyWithQuestions(world, hard.ann, 'Segments', questions)
    const answers = Object.fromEntries(ids.map((id) => [id, id.repeat(150)]))
    await storeResponses(world, survey, [{ answers }])
    const { variables, rows } = readSav((await get(survey.id)).bytes)
    const names = variables.slice(-ids.length).map(({ name }) => name)
    expect(names.map((name) => rows[0]![name])).toEqual(Object.values(answers))
  })

  describe('of a survey with many long texts', () => {
    let long: SurveySnapshot
    beforeAll(async () => {
      const ids = Array.from({ length: 125 }, (_, i) => `t${i}`)
      const questions = ids.map((id) => ({ idname: 'text-response', id, title: id }))
      long = await surveyWithQuestions(world, hard.ann, 'Many', questions)
      await storeResponses(world, long, [
        { answers: Object.fromEntries(ids.map((id) => [id, 'x'.repeat(32_767)])) },
        ...Array.from({ length: 300 }, () => ({ answers: {} })),
      ])
    })

    test('refuses more bytes of texts than a case may have', async () => {
      const { status, bytes } = await get(long.id)
      expect([status, JSON.parse(bytes.toString()).errors]).toEqual([
        400,
        [expect.objectContaining({ field: 'include', code: 'too_many', params: { max: 4_000_000 } })],
      ])
      const { rows } = readSav((await get(long.id, '?include=t0,t1')).bytes)
      expect(rows.map(({ t1 }) => String(t1).length)).toEqual([32_767, ...Array(300).fill(0)])
    })

    test('does not write all cases of a block of PostgreSQL at once', async () => {
      const include = Array.from({ length: 120 }, (_, i) => `t${i}`)
      const options = { ...DEFAULT_EXPORT_OPTIONS, format: 'sav', include } as const
      const search = { search: '', mode: 'strict', parameters: new Set<string>(), filter: undefined } as const
      const { stream } = await exportResponses(contextOf(world, hard.ann), long.id, search, options)
      const before = process.memoryUsage().arrayBuffers
      let [largest, length] = [0, 0]
      for await (const block of stream) {
        length += (block as Buffer).length
        largest = Math.max(largest, process.memoryUsage().arrayBuffers - before)
      }
      // All blank cases together have more than 140 MB.
      expect(length).toBeGreaterThan(140e6)
      expect(largest).toBeLessThan(100e6)
    })
  })
})
