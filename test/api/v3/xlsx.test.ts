import { beforeAll, describe, expect, test } from '@jest/globals'
import { parse } from 'csv-parse/sync'
import { readXlsx } from 'hucre/xlsx'
import { readWorkbook } from '../../../src/lib/xlsx/workbook.ts'
import { exportSample, type Sample } from '../../support/export-sample.ts'
import { storeResponses, surveyWithQuestions } from '../../support/exports.ts'
import { useWorld } from '../../support/world.ts'

const world = useWorld()
let sample: Sample
beforeAll(async () => {
  sample = await exportSample(world)
})

const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

async function get(query = '', survey = sample.survey.id): Promise<Response> {
  const headers = { authorization: sample.ann.authorization! }
  return fetch(`${world.base}/api/v3/surveys/${survey}/xlsx/${query}`, { headers })
}

async function download(query = '', survey = sample.survey.id): Promise<Buffer> {
  const reply = await get(query, survey)
  expect([reply.status, reply.headers.get('content-type')]).toEqual([200, TYPE])
  return Buffer.from(await reply.arrayBuffer())
}

/** Returns the cells of the first sheet with their types; empty cells are null. */
async function cells(query = '', survey = sample.survey.id) {
  const [sheet] = (await readXlsx(await download(query, survey))).sheets
  return sheet!.rows
}

describe('exportWorkbook', () => {
  test.each([
    '',
    'include_labels=1&show_titles=1',
    'score_based=1',
    'inverted=1',
    'include=drinks,nps&_completed=1',
    'language=fr&include_labels=1',
    'include_key=1&include_url=1',
  ])('contains the same cells as the CSV export with the query “%s” [spec 7.15]', async (query) => {
    const { text } = await sample.ann.get(`/api/v3/surveys/${sample.survey.id}/csv/?${query}`)
    // The reader of XLSForms is independent of the library that writes workbooks.
    const { sheets } = await readWorkbook(await download(`?${query}`), ['responses'])
    const rows = sheets.get('responses')!
    const lines: string[][] = parse(text)
    expect(rows.map(({ number }) => number)).toEqual(lines.map((_, i) => i + 1))
    const isTime = (cell: string) => /^\d{4}-\d\d-\d\dT/.test(cell)
    for (const [i, line] of lines.entries())
      for (const [column, cell] of line.entries())
        if (!isTime(cell)) expect(rows[i]!.cells.get(column) ?? '').toBe(cell)
  })

  test('writes numbers as numbers, times as dates, and everything else as text [spec 7.15]', async () => {
    const [header, first, second] = await cells()
    const named = (row: unknown[]) => Object.fromEntries(header!.map((name, i) => [name, row[i]]))
    const csv = await sample.ann.get(`/api/v3/surveys/${sample.survey.id}/csv/`)
    const [record] = parse(csv.text, { columns: true }) as Record<string, string>[]
    expect(named(first!)).toMatchObject({
      _completed: 'Complete',
      _id: sample.ids[0],
      _created_at: new Date(`${record!._created_at}Z`),
      _updated_at: new Date(`${record!._updated_at}Z`),
      colour: 0,
      'drinks\\0': 0,
      'drinks\\1': 1,
      again: 'true',
      nps: 10,
    })
    expect(named(second!)).toMatchObject({ 'colour\\other': '=1+1' })
    const [labelled, row] = await cells('?include_labels=1')
    expect(row![labelled!.indexOf('colour')]).toBe('Red')
  })

  test('replaces only the characters that a cell cannot contain, and shortens texts to 32,767 characters [spec 7.15]', async () => {
    const survey = await surveyWithQuestions(world, sample.ann, 'Texts', [
      { idname: 'text-response', id: 'text', title: 'Text' },
    ])
    const texts = [
      '007',
      '1e5',
      ' a ',
      'a\r\nb',
      'a\uFFFFb',
      '_x0041_',
      '漢 <b>&amp;</b> 🦊',
      '\u0001',
      'x'.repeat(40_000),
    ]
    await storeResponses(
      world,
      survey,
      texts.map((text) => ({ answers: { text } })),
    )
    const [header, ...rows] = await cells('', survey.id)
    expect(rows.map((row) => row[header!.indexOf('text')])).toEqual([
      '007',
      '1e5',
      ' a ',
      'a\nb',
      'a\uFFFDb',
      '_x0041_',
      '漢 <b>&amp;</b> 🦊',
      '\u0001',
      'x'.repeat(32_767),
    ])
  })

  test('writes answers to date questions as dates and times, and numbers with any number of zeros as numbers', async () => {
    const survey = await surveyWithQuestions(world, sample.ann, 'Dates', [
      { idname: 'datetime', id: 'day', title: 'Day', format: 'date' },
      { idname: 'datetime', id: 'moment', title: 'Moment' },
      { idname: 'datetime', id: 'clock', title: 'Clock', format: 'time' },
      { idname: 'number', id: 'tiny', title: 'Tiny', decimals: 10 },
    ])
    await storeResponses(world, survey, [
      { answers: { day: '1969-07-20', moment: '2026-03-01T09:30:15', clock: '09:30', tiny: 0.0000000001 } },
      { answers: { day: '1869-07-20', moment: '2026-03-01T09:30:15Z', clock: '23:59:59', tiny: -1234.5 } },
      { answers: { moment: '2026-03-01' } },
    ])
    const [, ...rows] = (await cells('', survey.id)).map((row) => row.slice(17))
    expect(rows).toEqual([
      [new Date('1969-07-20'), new Date('2026-03-01T09:30:15Z'), expect.anything(), 1e-10],
      ['1869-07-20', '2026-03-01T09:30:15Z', expect.anything(), -1234.5],
      [null, new Date('2026-03-01'), null, null],
    ])
    const { sheets } = await readWorkbook(await download('', survey.id), ['responses'])
    const clocks = sheets.get('responses')!.slice(1, 3)
    expect(clocks.map(({ cells: row }) => row.get(19))).toEqual(['09:30:00', '23:59:59'])
  })

  test('never writes two equal headings, and never half of a character', async () => {
    const choices = [{ label: 'Tea' }, { label: 'Other', other: true }]
    const survey = await surveyWithQuestions(world, sample.ann, 'Equal', [
      { idname: 'multiple-choice', id: 'many', title: 'Many', choices },
      { idname: 'text-response', id: 'a', title: 'Same' },
      { idname: 'text-response', id: 'b', title: 'Same' },
      { idname: 'text-response', id: 'c', title: '' },
      { idname: 'text-response', id: 'd', title: 'Why {{ a }}?' },
    ])
    await storeResponses(world, survey, [{ answers: { a: `${'x'.repeat(32_766)}🦊`, b: '🦊'.repeat(20_000) } }])
    const [header, row] = await cells('?show_titles=1', survey.id)
    expect(header!.slice(17)).toEqual([
      ...['Many - Tea', 'Many - Other', 'Many - Other [many\\other]', 'Same', 'Same [b]', '[c]', 'Why {{ a }}?'],
    ])
    expect(row!.slice(20, 22)).toEqual(['x'.repeat(32_766), '🦊'.repeat(16_383)])
    const reading = await cells('?show_titles=1&for_reading=1', survey.id)
    expect(reading[0]!.slice(0, 9)).toEqual([
      ...[
        'Many - Tea',
        'Many - Other',
        'Many - Other [many\\other]',
        'Same',
        'Same [b]',
        '[c]',
        'Why ‹Same›?',
        'Status',
        'Response ID',
      ],
    ])
    expect(reading[1]![3]).toBe(`${'x'.repeat(32_766)}…`)
  })

  test('with for_reading, begins with the questions and has a second sheet with the codebook', async () => {
    const book = await readXlsx(await download('?for_reading=1&show_titles=1&include_labels=1'))
    expect(book.sheets.map(({ name }) => name)).toEqual(['Responses', 'Codebook'])
    const [header, first] = book.sheets[0]!.rows
    expect(header!.slice(0, 2)).toEqual(['Your name', 'Colour'])
    expect(header!.slice(-17)).toContain('Started (UTC)')
    expect(new Set(header).size).toBe(header!.length)
    expect(first!.slice(0, 2)).toEqual(['Zoë, "Z"', 'Red'])
    const [names, ...described] = book.sheets[1]!.rows
    const rows = described.slice(0, -1)
    expect(described.at(-1)).toContain('_labels')
    expect(names).toContain('Name for statistics programs')
    // Each column of the first sheet is described.
    expect(new Set(rows.map(([heading]) => heading))).toEqual(new Set(header))
    expect(rows).toContainEqual(['Colour', 'Colour', 'number', '2', 'Blue', 'colour', 'colour', 'colour'])
    const plain = (await readXlsx(await download('?for_reading=1'))).sheets[0]!.rows
    expect(plain[1]![plain[0]!.indexOf('again')]).toBe(true)
  })

  test('rejects parameters of the CSV format and surveys with too many columns [spec 7.15]', async () => {
    const unknown = await get('?bom=1')
    expect([unknown.status, await unknown.json()]).toEqual([400, expect.objectContaining({ code: 'invalid_request' })])
    const choices = Array.from({ length: 1000 }, (_, i) => ({ label: `Choice ${i}` }))
    const wide = Array.from({ length: 17 }, (_, i) => ({
      idname: 'multiple-choice',
      id: `q${i}`,
      title: `Question ${i}`,
      children: [{ choices }],
    }))
    const survey = await surveyWithQuestions(world, sample.ann, 'Wide', wide)
    const reply = await get('', survey.id)
    expect([reply.status, await reply.json()]).toEqual([
      400,
      expect.objectContaining({
        errors: [
          expect.objectContaining({
            field: 'include',
            code: 'too_many',
            message: expect.stringContaining('16384 columns'),
          }),
        ],
      }),
    ])
    await download('?include=q0,q1', survey.id)
  })

  test('returns 304 for a workbook that the client has, and no file for HEAD [spec 7.15]', async () => {
    const path = `/api/v3/surveys/${sample.survey.id}/xlsx/?include_labels=1`
    const head = await fetch(world.base + path, {
      method: 'HEAD',
      headers: { authorization: sample.ann.authorization! },
    })
    const etag = head.headers.get('etag')!
    expect(etag).toMatch(/^W\/"/)
    expect(head.headers.get('content-disposition')).toBe('attachment; filename="how-was-it.xlsx"')
    expect((await sample.ann.get(path, { headers: { 'if-none-match': etag } })).status).toBe(304)
    const other = await get()
    expect(other.headers.get('etag')).not.toBe(etag)
    await other.arrayBuffer()
  })
})
