import { beforeEach, describe, expect, test } from '@jest/globals'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
let ann: Person
let uri: string
beforeEach(async () => {
  ann ??= await world.person({ username: 'ann' })
  uri = (await ann.post('/api/v3/surveys/', { form: { name: 'Feedback' } })).body.survey_uri
  const children = [{ idname: 'text-response', id: 'q1', title: { en: 'Why?', fr: 'Pourquoi ?' } }]
  await ann.put(`${uri}structure/`, { json: { title: 'Feedback', form: [{ children }] } })
})

describe('listLanguages', () => {
  test('returns English by default', async () => {
    expect((await ann.get(`${uri}languages/`)).body).toEqual({
      count: 1,
      next: null,
      previous: null,
      results: [{ code: 'en', name: 'English', isDefault: true }],
    })
  })
})

describe('updateLanguages [spec 5.9]', () => {
  const languages = [
    { code: 'en', name: 'English', isDefault: false },
    { code: 'fr', isDefault: true, colour: 'blue' },
  ]

  test('replaces the languages, creates a version and fills in missing names', async () => {
    const reply = await ann.put(`${uri}languages/`, { json: { languages } })
    expect(reply.status).toBe(200)
    expect(reply.body.results).toEqual([
      { code: 'en', name: 'English', isDefault: false },
      { code: 'fr', name: 'français', isDefault: true, colour: 'blue' },
    ])
    expect((await ann.get(`${uri}languages/`)).body.results).toEqual(reply.body.results)
    expect((await ann.get(`${uri}versions/`)).body.count).toBe(3)
  })

  test('keeps the texts when the default language changes', async () => {
    await ann.put(`${uri}languages/`, { json: languages })
    const { body } = await ann.get(`${uri}structure/`)
    expect(body.title).toEqual({ en: 'Feedback' })
    expect(body.form[0].children[0].title).toEqual({ en: 'Why?', fr: 'Pourquoi ?' })
    expect((await ann.get(`${uri}questions/q1/?language=de`)).body.title).toBe('Pourquoi ?')
  })

  test('reads each language of a form as JSON', async () => {
    const form: [string, string][] = languages.map((language) => ['languages', JSON.stringify(language)])
    expect(await ann.put(`${uri}languages/`, { form })).toMatchObject({ status: 200, body: { count: 2 } })
    const reply = await ann.put(`${uri}languages/`, { form: { languages: '{"code":"de","isDefault":true}' } })
    expect(reply.body.results).toEqual([{ code: 'de', name: 'Deutsch', isDefault: true }])
  })

  test.each([
    ['an empty list', []],
    ['no default language', [{ code: 'en' }]],
    [
      'two default languages',
      [
        { code: 'en', isDefault: true },
        { code: 'fr', isDefault: true },
      ],
    ],
    ['an invalid code', [{ code: 'not a code', isDefault: true }]],
    ['a code twice', [{ code: 'en', isDefault: true }, { code: 'en' }]],
    ['no code', [{ name: 'English', isDefault: true }]],
    ['a text instead of an object', ['en']],
  ])('returns 400 for %s', async (_, invalid) => {
    const reply = await ann.put(`${uri}languages/`, { json: { languages: invalid } })
    expect(reply).toMatchObject({ status: 400, body: { code: expect.stringMatching(/^invalid_(request|structure)$/) } })
    expect((await ann.get(`${uri}versions/`)).body.count).toBe(2)
  })
})
