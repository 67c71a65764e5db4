import { beforeAll, describe, expect, test } from '@jest/globals'
import { signInAs } from '../../support/http-browser.ts'
import { respond } from '../../support/respondents.ts'
import { makeSurvey } from '../../support/responses.ts'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
let ann: Person
beforeAll(async () => {
  ann = await world.person({ username: 'ann' })
})

const choices = ['1', '2', '3', '4', '5'].map((label) => ({ label }))
const structure = {
  title: 'Scale',
  form: [
    {
      children: [
        { idname: 'single-choice', id: 's', choices },
        { idname: 'dropdown-choice', id: 'd', choices },
        { idname: 'multiple-choice', id: 'm', choices },
        { idname: 'single-choice-grid', id: 'g', choices, children: [{ label: 'Food' }] },
        { idname: 'boolean-choice', id: 'b', choices: [{ label: '0' }, { label: '1' }] },
      ],
    },
  ],
}
const ANSWERS = { s: 0, d: 4, m: [1, 3], g_0: 2, b: true }

const answersOf = async (id: number) =>
  (await ann.get(`/api/v3/surveys/${id}/responses/`)).body.results.map((row: Record<string, unknown>) =>
    Object.fromEntries(Object.keys(ANSWERS).map((key) => [key, row[key]])),
  )

async function exported(query: string): Promise<string> {
  const survey = await makeSurvey(ann, structure)
  await respond(world, survey, { answers: ANSWERS })
  const { text } = await ann.get(`/api/v3/surveys/${survey}/csv/${query}`)
  return text.replace(/^_[^\r\n]*/, (header) => header.replace('_collector', '_url'))
}

const importInto = (survey: number, body: string, query = '') =>
  ann.post(`/api/v2/surveys/${survey}/responses/${query}`, { body, headers: { 'content-type': 'text/csv' } })

describe('createResponse with a table of a scale whose labels are numbers', () => {
  test('reads its own export, with labels and without', async () => {
    for (const [exportQuery, values] of [
      ['?include_labels=1', 'labels'],
      ['', 'indices'],
    ] as const) {
      const copy = await makeSurvey(ann, structure)
      const reply = await importInto(copy, await exported(exportQuery), `?values=${values}`)
      expect(reply.body).toMatchObject({ imported: 1 })
      expect(await answersOf(copy)).toEqual([ANSWERS])
    }
  })

  test.each(['', '?values=auto'])(
    'rejects a number that is a label and an index, with the query “%s”',
    async (query) => {
      const survey = await makeSurvey(ann, structure)
      for (const column of ['s', 'd', 'm', 'g_0', 'b']) {
        const reply = await importInto(survey, `_completed,${column}\r\n1,1\r\n`, query)
        expect(reply.status).toBe(400)
        expect(reply.body.code).toBe('invalid_csv')
        expect(reply.text).toContain('“1” is the label of one choice and the index or code of another')
      }
      expect(await answersOf(survey)).toEqual([])
    },
  )

  test('accepts other values of the same column, and rejects an unknown value of the parameter', async () => {
    const survey = await makeSurvey(ann, structure)
    expect((await importInto(survey, '_completed,s\r\n1,0\r\n')).body).toMatchObject({ imported: 1 })
    expect((await importInto(survey, '_completed,s\r\n1,0\r\n', '?values=codes')).status).toBe(400)
  })

  test('is asked for by the page for the import', async () => {
    const survey = await makeSurvey(ann, structure)
    const browser = await signInAs(ann)
    const page = `/account/surveys/${survey}/responses/import/`
    expect((await browser.get(page)).text).toContain('Numbers in columns of choices')
    const file = new File(['_completed,s\r\n1,1\r\n'], 'file.csv', { type: 'text/csv' })
    const refused = await browser.multipart(page, { file })
    expect(refused.status).toBe(422)
    expect(refused.text).toContain('is the label of one choice and the index or code of another')
    const accepted = await browser.multipart(page, { file, values: 'labels' })
    expect(accepted.status).toBe(303)
    expect((await answersOf(survey)).map(({ s }: { s?: number }) => s)).toEqual([0])
  })
})

describe('the codes of choices', () => {
  const coded = {
    title: 'Codes',
    form: [
      {
        children: [
          {
            idname: 'single-choice',
            id: 's',
            choices: [
              { label: 'Yes', code: '1' },
              { label: 'No', code: 'no' },
              { label: 'Refused', code: '99' },
            ],
          },
        ],
      },
    ],
  }

  test('name choices in submissions and filters; a number that is an index stays one [spec 7.3, 7.7]', async () => {
    const survey = await makeSurvey(ann, coded)
    const uri = `/api/v2/surveys/${survey}/responses/`
    for (const s of ['99', 'no', '1', 0]) expect((await ann.post(uri, { json: { s } })).status).toBe(200)
    const found = async (query: string) =>
      (await ann.get(`${uri}?${query}`)).body.responses.map(({ s }: { s: number }) => s).sort()
    expect(await found('')).toEqual([0, 1, 1, 2])
    expect(await found('s=99')).toEqual([2])
    expect(await found('s=no')).toEqual([1, 1])
    expect(await found('s=1')).toEqual([1, 1])
    expect(await found('s%5Ccode=1')).toEqual([0])
    expect((await ann.post(uri, { json: { s: '98' } })).body.code).toBe('survey_error')
  })

  test('are read back from the label of one choice that is the code of another by an import with labels', async () => {
    const choices = [
      { label: 'A', code: 'B' },
      { label: 'B', code: 'A' },
    ]
    const twisted = { title: 'Twisted', form: [{ children: [{ idname: 'single-choice', id: 's', choices }] }] }
    const [from, to] = [await makeSurvey(ann, twisted), await makeSurvey(ann, twisted)]
    for (const s of [0, 1, 1]) await respond(world, from, { answers: { s } })
    const { text } = await ann.get(`/api/v3/surveys/${from}/csv/?include_labels=1`)
    const csv = { body: Buffer.from(text), headers: { 'content-type': 'text/csv' } }
    expect((await ann.post(`/api/v2/surveys/${to}/responses/`, csv)).body).toMatchObject({ imported: 3 })
    const { body } = await ann.get(`/api/v3/surveys/${to}/responses/`)
    expect(body.results.map(({ s }: { s: number }) => s)).toEqual([0, 1, 1])
    const unmarked = { ...csv, body: Buffer.from('s,_completed\nA,1\n') }
    expect((await ann.post(`/api/v2/surveys/${to}/responses/`, unmarked)).body.errors).toMatchObject([
      { code: 'ambiguous_choice' },
    ])
  })
})
