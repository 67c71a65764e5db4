import { beforeAll, describe, expect, test } from '@jest/globals'
import { readXlsx } from 'hucre/xlsx'
import { XLSX_TYPE } from '../../../src/lib/xlsx/media-type.ts'
import { questionTypes } from '../../../src/questions/index.ts'
import { EVERY_ANSWER, EVERY_TYPE, TYPES } from '../../support/every-type.ts'
import { table } from '../../support/exports.ts'
import { signInAs } from '../../support/http-browser.ts'
import { makeSurvey } from '../../support/responses.ts'
import { PICTURE } from '../../support/uploads.ts'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
let ann: Person
let survey: number
beforeAll(async () => {
  ann = await world.person({ username: 'ann' })
  survey = await makeSurvey(ann, EVERY_TYPE)
  const files = await Promise.all(
    ['photo', 'photo', 'sign%5Cimage'].map((question) =>
      ann.post(`/api/v3/surveys/${survey}/files/?question=${question}&name=a.png`, {
        body: PICTURE,
        headers: { 'content-type': 'application/octet-stream' },
      }),
    ),
  )
  const [first, second, image] = files.map(({ body }) => body.key)
  const withFiles = EVERY_ANSWER.with(0, { ...EVERY_ANSWER[0], photo: [first, second], 'sign\\image': image })
  for (const [index, answers] of withFiles.entries())
    expect(
      await ann.post(`/api/v3/surveys/${survey}/responses/`, { json: { ...answers, _completed: index === 1 ? 0 : 1 } }),
    ).toMatchObject({ status: 201 })
})

const file = async (id: number, query: string): Promise<string> => {
  const reply = await ann.get(`/api/v3/surveys/${id}/csv/${query}`)
  expect([reply.status, query]).toEqual([200, query])
  return reply.text
}

const importInto = (id: number, body: string, values: string) =>
  ann.post(`/api/v2/surveys/${id}/responses/?values=${values}`, { body, headers: { 'content-type': 'text/csv' } })

/** Columns that differ between a survey and its copy: ids, addresses that contain ids, and times of the last change. */
const OWN = /^\{?(?:_|response_)(?:id|updated_at|collector|url|link|response_link)\}?$/

/** Returns the cells of a file without the columns that differ, and without the ids of the surveys in addresses. */
function comparable(text: string, id: number, own = OWN): string[][] {
  const [header, ...rows] = table(text)
  const kept = header!.flatMap((name, index) => (own.test(name) ? [] : [index]))
  return [header!, ...rows].map((row) => kept.map((index) => row[index]!.replaceAll(`/surveys/${id}/`, '/surveys/')))
}

/** The headings of the same columns on pages. */
const OWN_LABELS: Record<string, string> = {
  en: '^(Response ID|Updated \\(UTC\\)|Collector)$',
  de: '^(ID der Antwort|Aktualisiert \\(UTC\\)|Collector)$',
}

/** Every form of a file that has the keys of the questions, so that it can be imported. */
const PRESETS = [
  '?include_labels=1',
  '?include_codes=1',
  '?include_id=1&show_titles=1&include_labels=1',
  '?include_id=1&show_titles=1&include_codes=1',
  '?bom=1&comma_separated=1&include_codes=1',
  '?for_statistics=1',
  '?for_statistics=1&include_key=1&bom=1',
]

/** The old notation does not say whether a number is a position or a label. */
const UNMARKED = ['', '?include_id=1', '?include_key=1&include_url=1&include_response_link=1']

describe('the download “Excel workbook” and the import page', () => {
  test.each(['en', 'de'])(
    'give the same workbook again after an import into an empty copy, on pages in %s [spec 7.15]',
    async (language) => {
      const browser = await signInAs(ann)
      const download = async (id: number) => {
        const reply = await fetch(`${world.base}/account/surveys/${id}/responses/export/?purpose=workbook`, {
          headers: { cookie: browser.cookieHeader, 'accept-language': language },
        })
        return new Uint8Array(await reply.arrayBuffer())
      }
      const first = await download(survey)
      const copy = await makeSurvey(ann, EVERY_TYPE)
      const page = `/account/surveys/${copy}/responses/import/`
      const sent = await browser.multipart(page, { file: new File([first], 'every-type.xlsx', { type: XLSX_TYPE }) })
      expect([sent.status, /row-errors.*?<\/ul>/.exec(sent.text)?.[0]]).toEqual([303, undefined])
      const cells = async (book: Uint8Array) => {
        const [header, ...rows] = (await readXlsx(book)).sheets[0]!.rows
        const own = new RegExp(OWN_LABELS[language]!)
        const kept = header!.flatMap((name, index) => (own.test(String(name)) ? [] : [index]))
        const cell = (value: unknown) =>
          typeof value === 'string' ? value.replaceAll(/\/surveys\/\d+\//g, '/surveys/') : value
        return [header!, ...rows].map((row) => kept.map((index) => cell(row[index])))
      }
      expect(await cells(await download(copy))).toEqual(await cells(first))
    },
  )
})

describe('exportCsv and createResponse with text/csv', () => {
  test('are tested with every question type', () => {
    expect([...TYPES].sort()).toEqual(Object.keys(questionTypes).sort())
  })

  test.each([...PRESETS.map((query) => [query, 'auto']), ...UNMARKED.map((query) => [query, 'indices'])])(
    'give the same file again after an import into an empty copy, with the query “%s” [spec 7.12]',
    async (query, values) => {
      const first = await file(survey, query)
      const copy = await makeSurvey(ann, EVERY_TYPE)
      const reply = await importInto(copy, first, values)
      expect(reply.body).toMatchObject({ success: true, imported: EVERY_ANSWER.length, skipped: 0 })
      const second = await file(copy, query)
      expect(comparable(second, copy)).toEqual(comparable(first, survey))
    },
  )

  test.each(['?include_labels=1', '?include_codes=1', '?for_statistics=1'])(
    'keep removed choices in a copy of the survey, with the query “%s”',
    async (query) => {
      const choices = ['Tea', 'Milk, hot', 'Milk', 'Water'].map((label, index) => ({
        label,
        ...(index < 2 && { code: `${index}x` }),
      }))
      const isForStatistics = query === '?for_statistics=1'
      const form = (offered: object[]) => {
        const question = (idname: string, id: string) => ({ idname, id, title: id, choices: offered })
        const ranking = isForStatistics ? [question('ranking', 'rank')] : []
        return [{ children: [question('single-choice', 'one'), question('multiple-choice', 'many'), ...ranking] }]
      }
      const original = await makeSurvey(ann, { title: 'Removed', form: form(choices) })
      const rank = isForStatistics ? { rank: [3, 1, 0] } : {}
      for (const answers of [{ one: 1, many: [0, 1, 2], ...rank }, { one: 2, many: [1, 3] }, { many: [2] }])
        await ann.post(`/api/v3/surveys/${original}/responses/`, { json: { ...answers, _completed: 1 } })
      const offered = [choices[3]!, { label: 'Juice' }, choices[0]!]
      await ann.put(`/api/v3/surveys/${original}/structure/`, { json: { title: 'Removed', form: form(offered) } })
      const { body: copy } = await ann.post(`/api/v3/surveys/${original}/duplicate/`, { json: { name: 'Copy' } })
      const first = await file(original, query)
      expect((await importInto(copy.id, first, 'auto')).body).toMatchObject({ imported: 3 })
      const answersOf = async (id: number) =>
        (await ann.get(`/api/v3/surveys/${id}/responses/?include_labels=1`)).body.results.map(
          ({ one, many, rank: ranked }: Record<string, unknown>) => ({ one, many, ranked }),
        )
      expect(await answersOf(copy.id)).toEqual(await answersOf(original))
      // The score of a response is that of the structure when it was stored.
      const own = new RegExp(`${OWN.source}|weighted_score`)
      expect(comparable(await file(copy.id, query), copy.id, own)).toEqual(comparable(first, original, own))
    },
  )
})
