import { beforeAll, describe, expect, test } from '@jest/globals'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
let ann: Person
beforeAll(async () => {
  ann = await world.person()
})

const form = [{ children: [{ idname: 'text-response', id: 'q1', title: 'Why?' }] }]
const create = async (json: object) => (await ann.post('/api/v2/surveys/', { json })).body

describe('createSurvey: the name', () => {
  test('keeps and returns a localized name in addition to the title', async () => {
    const name = { en: 'Tea', fr: 'Thé' }
    const created = await create({ form, title: { en: 'Tea time' }, name })
    expect(created.name).toBe('Tea time')
    expect((await ann.get(`${created.uri}?structure`)).body).toMatchObject({ title: { en: 'Tea time' }, name })
  })

  test.each([
    ['only a name in several languages', { name: { fr: 'Thé', en: 'Tea' } }, 'Tea', { fr: 'Thé', en: 'Tea' }],
    ['a name and pages', { name: 'Coffee', form }, 'Coffee', { en: 'Coffee' }],
    ['a name as a language object, and pages', { name: { en: 'Milk' }, form }, 'Milk', { en: 'Milk' }],
  ])('uses the name as the title for %s', async (_, json, name, title) => {
    const created = await create(json)
    expect(created.name).toBe(name)
    const { body } = await ann.get(`${created.uri}?structure`)
    expect(body.title).toEqual(title)
    expect(body.form).toHaveLength('form' in json ? 1 : 0)
  })

  test('parses localized texts in a form as JSON and keeps other texts unchanged', async () => {
    const name = { en: 'Tea', fr: 'Thé' }
    for (const kind of ['form', 'multipart'] as const) {
      const sent = { [kind]: { title: JSON.stringify({ en: 'Tea time' }), name: JSON.stringify(name) } }
      const { body: created } = await ann.post('/api/v2/surveys/', sent)
      expect(created.name).toBe('Tea time')
      expect((await ann.get(`${created.uri}?structure`)).body).toMatchObject({ title: { en: 'Tea time' }, name })
      expect((await ann.post('/api/v2/surveys/', { [kind]: { name: '{Tea}' } })).body.name).toBe('{Tea}')
    }
  })
})
