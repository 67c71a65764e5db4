import { beforeAll, describe, expect, test } from '@jest/globals'
import { readXlsx } from 'hucre/xlsx'
import { surveyWithQuestions, table } from '../../support/exports.ts'
import { signInAs } from '../../support/http-browser.ts'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
let ann: Person
let id: number
beforeAll(async () => {
  ann = await world.person({ username: 'ann' })
  const choices = [
    { label: { en: '<b>Tea</b>', de: 'Tee' } },
    { label: { en: 'It\'s "milk" `x\' $y', de: 'Milch' }, code: '9' },
  ]
  const survey = await surveyWithQuestions(
    world,
    ann,
    'Drinks',
    [
      { idname: 'single-choice', id: 'drink', title: { en: 'A drink', de: 'Ein Getränk' }, choices },
      {
        idname: 'multiple-choice',
        id: 'more',
        title: 'More',
        choices: [{ label: 'Tea' }, { label: 'Else', other: true }],
      },
      {
        idname: 'single-choice',
        id: 'word',
        title: 'Word',
        choices: [
          { label: 'Yes', code: 'y' },
          { label: 'No', code: 'n' },
        ],
      },
      { idname: 'datetime', id: 'day', title: 'Day', format: 'date' },
      { idname: 'text-response', id: 'why', title: 'Why?' },
    ],
    {
      languages: [
        { code: 'en', name: 'English', isDefault: true },
        { code: 'de', name: 'Deutsch', isDefault: false },
      ],
    },
  )
  id = survey.id
  await ann.post(`/api/v3/surveys/${id}/responses/`, { json: { why: 'ä'.repeat(40), drink: 1, _completed: 1 } })
})

const get = (query = '') => ann.get(`/api/v3/surveys/${id}/codebook/${query}`)

describe('exportCodebook', () => {
  test('describes each variable and each value of the file for statistics programs', async () => {
    const { text, headers } = await get()
    expect(headers.get('content-disposition')).toBe('attachment; filename="drinks-codebook.csv"')
    const [header, ...rows] = table(text)
    expect(header).toEqual([
      'variable',
      'label',
      'type',
      'measure',
      'missing',
      'value',
      'value_label',
      'question',
      'column',
    ])
    expect(rows.filter(([name]) => !name!.startsWith('response_'))).toEqual([
      ['drink', 'A drink', 'number', 'nominal', 'no answer', '1', 'Tea', 'drink', 'drink'],
      ['drink', 'A drink', 'number', 'nominal', 'no answer', '9', 'It\'s "milk" `x\' $y', 'drink', 'drink'],
      ['more_1', 'More - Tea', 'number', 'nominal', 'not asked', '0', 'No', 'more', 'more\\0'],
      ['more_1', 'More - Tea', 'number', 'nominal', 'not asked', '1', 'Yes', 'more', 'more\\0'],
      ['more_2', 'More - Else', 'number', 'nominal', 'not asked', '0', 'No', 'more', 'more\\1'],
      ['more_2', 'More - Else', 'number', 'nominal', 'not asked', '1', 'Yes', 'more', 'more\\1'],
      ['more_other', 'More - Else (text)', 'text', 'nominal', 'no answer', '', '', 'more', 'more\\other'],
      ['word', 'Word', 'text', 'nominal', 'no answer', 'y', 'Yes', 'word', 'word'],
      ['word', 'Word', 'text', 'nominal', 'no answer', 'n', 'No', 'word', 'word'],
      ['day', 'Day', 'date', 'scale', 'no answer', '', '', 'day', 'day'],
      ['why', 'Why?', 'text', 'nominal', 'no answer', '', '', 'why', 'why'],
    ])
    const names = [...new Set(rows.map(([name]) => name))]
    expect(table((await ann.get(`/api/v3/surveys/${id}/csv/?for_statistics=1`)).text)[0]).toEqual(names)
  })

  test('writes labels in a language, and only the questions of the file', async () => {
    const rows = table((await get('?language=de&include=drink&include_key=1')).text).slice(1)
    expect(rows.filter(([name]) => name === 'response_key')).toHaveLength(1)
    expect(rows.slice(-2).map(([name, label, , , , value, text]) => [name, label, value, text])).toEqual([
      ['drink', 'Ein Getränk', '1', 'Tee'],
      ['drink', 'Ein Getränk', '9', 'Milch'],
    ])
    expect((await get('?language=xx')).body.errors[0]).toMatchObject({ field: 'language', code: 'unknown_language' })
    expect((await get('?include=gone')).body.errors[0]).toMatchObject({ field: 'include', code: 'unknown_question' })
  })

  test('names the parts of answers in the language of the file, as the workbook for people does', async () => {
    const de = { languages: [{ code: 'de', name: 'Deutsch', isDefault: true }] }
    const choices = [{ label: 'Tee' }, { label: '', other: true }]
    const survey = await surveyWithQuestions(
      world,
      ann,
      'Teile',
      [
        { idname: 'consent', id: 'ok', title: 'Einwilligung' },
        { idname: 'single-choice', id: 'one', title: 'Eins', choices },
      ],
      de,
    )
    const path = `/api/v3/surveys/${survey.id}/`
    const labels = table((await ann.get(`${path}codebook/`)).text).map(([, label, , , , value, text]) => [
      label,
      value,
      text,
    ])
    expect(labels.slice(-7)).toEqual([
      ['Einwilligung', '0', 'Nein'],
      ['Einwilligung', '1', 'Ja'],
      ['Einwilligung - Version', '', ''],
      ['Einwilligung - Text', '', ''],
      ['Eins', '1', 'Tee'],
      ['Eins', '2', '2'],
      ['Eins - Sonstiges (Text)', '', ''],
    ])
    const headings = async (query: string) => {
      const reply = await fetch(`${world.base}${path}xlsx/?show_titles=1&include=ok${query}`, {
        headers: { authorization: ann.authorization! },
      })
      return (await readXlsx(new Uint8Array(await reply.arrayBuffer()))).sheets[0]!.rows[0]
    }
    expect((await headings('&for_reading=1'))!.slice(0, 3)).toEqual([
      'Einwilligung',
      'Einwilligung - Version',
      'Einwilligung - Text',
    ])
    // The notation of the API stays in English.
    expect((await headings(''))!.slice(-2)).toEqual(['Einwilligung - version', 'Einwilligung - text'])
    expect((await ann.get(`${path}csv/?show_titles=1&include=ok`)).text).toContain('Einwilligung - version')
  })

  test('writes a syntax file for SPSS with the widths of the texts in bytes', async () => {
    const { text, headers } = await get('?format=spss')
    expect(headers.get('content-disposition')).toBe('attachment; filename="drinks.sps"')
    expect(text).toContain("/FILE='drinks.csv'")
    expect(text).toMatch(/^ {4}why A80\.$/m)
    expect(text).toMatch(/^ {4}day SDATE10$/m)
    expect(text).toContain(`9 'It''s "milk" \`x'' $y'`)
    expect(text).toMatch(/word\n {8}'y' 'Yes'/)
  })

  test('writes a do-file for Stata in which no label is a macro or ends its quotes', async () => {
    const { text } = await get('?format=stata')
    expect(text).toContain('import delimited using `"drinks.csv"\'')
    expect(text).toContain("label define drink 9 `\"It's ''milk'' 'x' \\$y\"', add")
    expect(text).toContain('notes word: y = Yes')
    expect(text).toContain('generate double _time = date(day, "YMD")')
  })

  test('writes a script for R', async () => {
    const { text } = await get('?format=r')
    expect(text).toContain('read.csv("drinks.csv"')
    expect(text).toContain('c("Tea", "It\'s \\"milk\\" `x\' $y")')
    expect(text).toContain('data$day <- as.Date(data$day)')
  })

  test('is on a page, with its files', async () => {
    const browser = await signInAs(ann)
    const root = `/account/surveys/${id}/responses/`
    expect((await browser.get(`${root}download/`)).text).toContain(`href="${root}codebook/"`)
    const page = await browser.get(`${root}codebook/`)
    expect(page.text).toContain('<code>more_1</code>')
    expect(page.text).toContain('blank: not asked')
    for (const format of ['csv', 'spss', 'stata', 'r']) {
      expect(page.text).toContain(`codebook/?format=${format}"`)
      expect((await browser.get(`${root}codebook/?format=${format}`)).text).toBe((await get(`?format=${format}`)).text)
    }
  })
})
