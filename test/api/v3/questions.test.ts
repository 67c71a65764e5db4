import { beforeAll, describe, expect, test } from '@jest/globals'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
let ann: Person
let uri: string

const choices = [
  { label: { en: 'Yes', fr: 'Oui' }, score: 5 },
  { label: 'Other', other: true },
]
const structure = {
  title: 'Feedback',
  languages: [
    { code: 'en', name: 'English', isDefault: true },
    { code: 'fr', name: 'Français' },
  ],
  form: [
    {
      children: [
        { idname: 'section-separator', id: 'intro', title: 'Hello' },
        {
          idname: 'single-choice',
          id: 'q 1/ü?',
          identifier: 'content',
          title: { en: 'Content?', fr: 'Content ?' },
          children: [{ type: 'single', required: true, choices }],
        },
      ],
    },
    {
      children: [
        {
          idname: 'single-choice-grid',
          id: 'grid',
          title: 'Rate',
          choices: [{ label: 'Bad' }, { label: 'Good' }],
          children: [
            { type: 'single', label: 'Price', required: true },
            { type: 'single', label: 'Taste' },
          ],
        },
        { idname: 'hologram', id: 'odd', title: 'Unknown kind' },
      ],
    },
  ],
}

beforeAll(async () => {
  ann = await world.person({ username: 'ann' })
  uri = (await ann.post('/api/v3/surveys/', { form: { name: 'Feedback' } })).body.survey_uri
  await ann.put(`${uri}structure/`, { json: structure })
})

describe('listQuestions [spec 5.9]', () => {
  test('returns the type, page, keys, choices and rows of every question, in the order of the structure', async () => {
    const { status, body } = await ann.get(`${uri}questions/`)
    expect(status).toBe(200)
    expect(body).toMatchObject({ count: 4, next: null, previous: null })
    expect(body.results.map(({ type }: { type: string }) => type)).toEqual([
      'section-separator',
      'single-choice',
      'single-choice-grid',
      'hologram',
    ])
    expect(body.results[1]).toEqual({
      id: 'q 1/ü?',
      identifier: 'content',
      type: 'single-choice',
      title: { en: 'Content?', fr: 'Content ?' },
      required: true,
      page: 1,
      keys: ['q 1/ü?', 'q 1/ü?\\other'],
      choices: [
        { index: 0, label: { en: 'Yes', fr: 'Oui' }, score: 5, other: false },
        { index: 1, label: { en: 'Other' }, score: 2, other: true },
      ],
      question_uri: `${uri}questions/q%201%2F%C3%BC%3F/`,
    })
    expect(body.results[2]).toMatchObject({
      page: 2,
      keys: ['grid_0', 'grid_1'],
      rows: [
        { index: 0, key: 'grid_0', label: { en: 'Price' }, required: true },
        { index: 1, key: 'grid_1', label: { en: 'Taste' }, required: false },
      ],
    })
    expect(body.results[0]).not.toHaveProperty('choices')
    expect(body.results[0]).toMatchObject({ identifier: null, keys: [] })
  })

  test('accepts page and page_size', async () => {
    const { body } = await ann.get(`${uri}questions/?page=2&page_size=3&language=fr`)
    expect(body).toMatchObject({ count: 4, results: [{ id: 'odd', title: 'Unknown kind' }] })
    expect(body.previous).toBe(`${uri}questions/?page=1&page_size=3&language=fr`)
  })

  test('returns plain texts for language, in the default language where a translation is missing', async () => {
    const { body } = await ann.get(`${uri}questions/?language=fr`)
    expect(body.results[1]).toMatchObject({ title: 'Content ?', choices: [{ label: 'Oui' }, { label: 'Other' }] })
    expect(body.results[2]).toMatchObject({ title: 'Rate', rows: [{ label: 'Price' }, { label: 'Taste' }] })
  })
})

describe('getQuestion [spec 5.9]', () => {
  test('returns the question at every question_uri, with any characters in the ID', async () => {
    for (const question of (await ann.get(`${uri}questions/`)).body.results)
      expect(await ann.get(question.question_uri)).toMatchObject({ status: 200, body: question })
  })

  test('has an address for every ID that can be saved; “.” and “..” cannot', async () => {
    const { body: survey } = await ann.post('/api/v3/surveys/', { json: { name: 'Odd' } })
    const save = (...ids: string[]) => {
      const questions = ids.map((id) => ({ idname: 'text-response', id, title: 'T', children: [{ type: 'string' }] }))
      return ann.put(`/api/v3/surveys/${survey.id}/structure/`, {
        json: { title: 'Odd', form: [{ type: 'page', children: questions }] },
      })
    }
    const refused = await save('.', 'a', '..')
    expect(refused.body.errors).toEqual(
      [0, 2].map((index) => expect.objectContaining({ field: `/form/0/children/${index}/id`, code: 'invalid_name' })),
    )
    const ids = [
      '...',
      '.a',
      '%2e',
      '%2E%2e',
      '/',
      'a/b',
      '../a',
      'a;b',
      '100%',
      '%',
      '%zz',
      'a\\b',
      'a?b#c',
      'a//b',
      '*',
      '😀',
    ]
    expect((await save(...ids)).status).toBe(200)
    const { results } = (await ann.get(`/api/v3/surveys/${survey.id}/questions/?page_size=100`)).body
    for (const { id, question_uri } of results) expect((await ann.get(question_uri)).body.id).toBe(id)
    expect(results.map(({ id }: { id: string }) => id)).toEqual(ids)
  })

  test('returns the question by its identifier', async () => {
    const { body } = await ann.get(`${uri}questions/content/?language=en`)
    expect(body).toMatchObject({ id: 'q 1/ü?', title: 'Content?' })
  })

  test.each(['nothing', '%00', '%ff', 'toString', '__proto__'])('returns 404 for %s', async (id) => {
    expect((await ann.get(`${uri}questions/${id}/`)).status).toBe(404)
  })
})
