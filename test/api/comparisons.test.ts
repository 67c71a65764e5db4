import { beforeAll, describe, expect, test } from '@jest/globals'
import { compile } from '../../src/domain/structure/compile.ts'
import { holds } from '../../src/domain/structure/condition.ts'
import { parseAnswers } from '../../src/domain/structure/parse-answers.ts'
import { normaliseStructure } from '../../src/domain/structure/structure.ts'
import fc from '../support/fast-check.ts'
import { respond } from '../support/respondents.ts'
import { makeSurvey } from '../support/responses.ts'
import { type Person, useWorld } from '../support/world.ts'

const world = useWorld()
let ann: Person
beforeAll(async () => {
  ann = await world.person({ username: 'ann' })
})

const structure = {
  title: 'Comparisons',
  form: [
    {
      children: [
        { idname: 'text-response', id: 'code' },
        { idname: 'hidden-field', id: 'source' },
        { idname: 'number', id: 'n', children: [{ decimals: 3 }] },
      ],
    },
  ],
}
const q = compile(normaliseStructure(structure))
const TEXTS = [
  '007',
  '7',
  '7.0',
  '0x7',
  '1e1',
  '10',
  '01067',
  '1067',
  'Abc',
  'aBC',
  'ÄÖ',
  'äö',
  ' 7',
  'a7b',
  '-3',
  '+7',
]
const VALUES = [...TEXTS, 'b', '7b', '100', '-4']

describe('a comparison with a text answer [spec 6.8, 7.7]', () => {
  test('is the same in conditions and filters: as text without letter case, and by order only between numbers', async () => {
    const survey = await makeSurvey(ann, structure)
    for (const text of TEXTS) await respond(world, survey, { answers: { code: text, source: text } })
    const path = `/api/v3/surveys/${survey}/responses/`
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('code', 'source'),
        fc.constantFrom(['eq', '='], ['contains', '~'], ['gt', '>'], ['lt', '<']),
        fc.constantFrom(...VALUES),
        async (key, [op, sign], value) => {
          const { status, body } = await ann.get(
            `${path}?${key}${encodeURIComponent(sign!)}${encodeURIComponent(value)}`,
          )
          const expected = TEXTS.filter((text) => holds({ question: key, op: op as 'eq', value }, q, { [key]: text }))
          if (status === 400) expect([op, expected]).toEqual([expect.stringMatching(/gt|lt/), []])
          else expect(body.results.map((row: Record<string, string>) => row[key])).toEqual(expected)
        },
      ),
      { numRuns: Number(process.env.PROPERTY_RUNS ?? 120) },
    )
    expect(holds({ question: 'code', op: 'eq', value: '007' }, q, { code: '7' })).toBe(false)
    expect(holds({ question: 'code', op: 'eq', value: 'ABC' }, q, { code: 'abc' })).toBe(true)
    expect(holds({ question: 'code', op: 'gt', value: '5' }, q, { code: '7' })).toBe(true)
    expect(holds({ question: 'code', op: 'gt', value: '5' }, q, { code: '0x7' })).toBe(false)
  })

  test('decides a quota as the filter of the report does', async () => {
    const survey = await makeSurvey(ann, {
      ...structure,
      quotas: [
        { name: 'zip', when: { all: [{ question: 'code', op: 'eq', value: '01067' }] }, limit: 1, action: 'terminate' },
      ],
    })
    const path = `/api/v3/surveys/${survey}/responses/`
    for (const code of ['01067', '1067']) await ann.post(path, { json: { code, _completed: 1 } })
    expect((await ann.get(`${path}?code=01067&_completed=1`)).body.count).toBe(1)
    const { rows } = await world.application.services.pool.query('select * from response_quota where survey_id = $1', [
      survey,
    ])
    expect(rows).toHaveLength(1)
  })
})

describe('a filter whose form library appended “=”', () => {
  test.each([
    ['_created_at%3D2024-01-31=', 1],
    ['_created_at=2024-01-31=', 1],
    ['_created_at%3E%3D2024-01-31=', 1],
    ['_created_at>2024-01-30=', 1],
    ['code%3Dabc=', 1],
    ['code~bc=', 1],
    ['code%7Ebc=', 1],
    ['n=7=', 1],
    ['n%3D7=', 1],
    ['code=abc=', 0],
    ['code%3Dabc%3D', 0],
  ])('%s finds %i response', async (query, count) => {
    const survey = await makeSurvey(ann, structure)
    await respond(world, survey, { answers: { code: 'abc', n: 7 }, createdAt: '2024-01-31T10:00:00Z' })
    const { status, body } = await ann.get(`/api/v3/surveys/${survey}/responses/?${query}`)
    expect([status, body.count]).toEqual([200, count])
  })
})

describe('the members of a multiple choice [spec 7.3]', () => {
  const drinks = {
    title: 'Drinks',
    form: [
      {
        children: [
          { idname: 'multiple-choice', id: 'm', choices: ['Tea', 'Milk', 'No', '1'].map((label) => ({ label })) },
        ],
      },
    ],
  }
  test.each([
    [{ 0: '0', 1: '1' }, [0, 1]],
    [{ 0: '0' }, [0]],
    [{ 0: 0, 2: 2 }, [0, 2]],
    [{ 0: '0', 1: '1', 2: '0' }, [1]],
    [{ 0: '1', 1: '0', 2: '' }, [0]],
    [{ 0: 'true', 1: 'no', 2: 'on' }, [0, 2]],
    [{ 0: 'Tea', 2: 'No' }, [0, 2]],
    [{ 0: 'Tea', 1: 'no' }, [0]],
    [{ 0: 'off', 1: '0' }, undefined],
    [{ 3: '1' }, [3]],
    [{ 0: 'Tea', 3: '1' }, [0, 3]],
  ])('%j mean %j in the API, in a form and in an import', async (cells, chosen) => {
    const survey = await makeSurvey(ann, drinks)
    const members = Object.entries(cells).map(([index, cell]) => [`m\\${index}`, cell] as const)
    const path = `/api/v3/surveys/${survey}/responses/`
    expect((await ann.post(path, { json: { ...Object.fromEntries(members), _completed: 1 } })).status).toBe(201)
    const form = Object.fromEntries(members.map(([key, cell]) => [key, String(cell)]))
    expect((await ann.post(`/api/v2/surveys/${survey}/responses/`, { form })).body).toMatchObject({ success: true })
    const csv = `${['_completed', ...members.map(([key]) => key)].join(',')}\r\n${['1', ...members.map(([, cell]) => cell)].join(',')}\r\n`
    const imported = await ann.post(`/api/v2/surveys/${survey}/responses/`, {
      body: csv,
      headers: { 'content-type': 'text/csv' },
    })
    expect(imported.body).toMatchObject({ imported: 1 })
    const { body } = await ann.get(path)
    expect(body.results.map(({ m }: { m?: number[] }) => m)).toEqual([chosen, chosen, chosen])
  })

  test('are read as the export wrote them, with and without labels', async () => {
    const survey = await makeSurvey(ann, drinks)
    const field = compile(normaliseStructure(drinks))
    for (let bits = 0; bits < 16; bits += 1) {
      const m = [0, 1, 2, 3].filter((index) => bits & (1 << index))
      await respond(world, survey, { answers: m.length > 0 ? { m } : {} })
      const cells = Object.fromEntries(m.map((index) => [`m\\${index}`, String(index)]))
      expect(parseAnswers(field, cells, 'strict').answers.m).toEqual(m.length > 0 ? m : undefined)
    }
    for (const query of ['', '?include_labels=1']) {
      const copy = await makeSurvey(ann, drinks)
      const { text } = await ann.get(`/api/v3/surveys/${survey}/csv/${query}`)
      const headers = { 'content-type': 'text/csv' }
      const reply = await ann.post(`/api/v2/surveys/${copy}/responses/`, {
        body: text.replace(/^_[^\r\n]*/, (line) => line.replaceAll('_collector', '_url')),
        headers,
      })
      expect(reply.body).toMatchObject({ imported: 16 })
      const answers = async (id: number) =>
        (await ann.get(`/api/v3/surveys/${id}/responses/`)).body.results.map(({ m }: { m?: number[] }) => m)
      expect(await answers(copy)).toEqual(await answers(survey))
    }
  })

  test('are rejected with the column if a cell is neither a tick nor the choice', async () => {
    const survey = await makeSurvey(ann, drinks)
    const reply = await ann.post(`/api/v2/surveys/${survey}/responses/`, {
      body: '_completed,m\\0,m\\1\r\n1,Tea,perhaps\r\n',
      headers: { 'content-type': 'text/csv' },
    })
    expect(reply.status).toBe(400)
    expect(reply.text).toContain('row 2: m\\\\1')
  })
})
