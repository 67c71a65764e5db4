import { beforeAll, describe, expect, test } from '@jest/globals'
import { makeSurvey } from '../../support/responses.ts'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
let ann: Person
let bob: Person
beforeAll(async () => {
  ann = await world.person()
  bob = await world.person()
})
const structure = {
  title: 'After an event',
  zeta: 1,
  alpha: { beta: true },
  form: [{ type: 'page', children: [{ idname: 'text-response', id: 'q1', title: 'How was it?' }] }],
}

describe('createTemplate', () => {
  test('stores name and structure with unknown members in their order, which getTemplate returns [spec 5.11]', async () => {
    const { status, body } = await ann.post('/api/v3/templates/', { json: { name: 'Event', structure } })
    expect(status).toBe(201)
    expect(body).toMatchObject({ id: expect.any(Number), name: 'Event', created_at: '2026-01-15T12:00:00.000Z' })
    expect(body.template_uri).toBe(`${world.base}/api/v3/templates/${body.id}/`)
    expect(body.structure).toMatchObject({ title: { en: 'After an event' }, zeta: 1, alpha: { beta: true } })
    const again = await ann.get(body.template_uri)
    expect(again.body).toEqual(body)
    const members = Object.keys(again.body.structure)
    expect(members.indexOf('zeta')).toBeLessThan(members.indexOf('alpha'))
  })

  test('reads the structure of a form as JSON', async () => {
    const reply = await ann.post('/api/v3/templates/', { form: { name: 'Form', structure: JSON.stringify(structure) } })
    expect(reply).toMatchObject({ status: 201, body: { structure: { title: { en: 'After an event' } } } })
  })

  test('copies the structure of a survey', async () => {
    const survey = await makeSurvey(ann, structure)
    const reply = await ann.post('/api/v3/templates/', { form: { name: 'Copy', survey } })
    expect(reply.status).toBe(201)
    expect(reply.body.structure).toEqual((await ann.get(`/api/v3/surveys/${survey}/structure/`)).body)
    expect((await bob.post('/api/v3/templates/', { form: { name: 'Foreign', survey } })).status).toBe(404)
  })

  test.each([
    ['no name', { structure }, 'name'],
    ['neither structure nor survey', { name: 'T' }, 'structure'],
    ['both structure and survey', { name: 'T', structure, survey: 1 }, 'structure'],
    ['an invalid structure', { name: 'T', structure: { title: 'T', form: 7 } }, '/form'],
  ])('returns 400 for %s', async (_, json, field) => {
    const reply = await ann.post('/api/v3/templates/', { json })
    expect(reply).toMatchObject({ status: 400, body: { errors: [{ field }] } })
  })
})

describe('listTemplates', () => {
  test('returns the templates of the account without structures', async () => {
    const { body } = await ann.get('/api/v3/templates/')
    expect(body.count).toBe(3)
    expect(body.results.map((template: object) => Object.keys(template))).toEqual(
      Array(3).fill(['id', 'name', 'created_at', 'template_uri']),
    )
    expect((await bob.get('/api/v3/templates/')).body).toMatchObject({ count: 0, results: [] })
  })
})

describe('deleteTemplate', () => {
  test('returns "OK" and keeps surveys created from the template', async () => {
    const template = (await ann.post('/api/v3/templates/', { json: { name: 'Gone', structure } })).body
    const survey = (await ann.post('/api/v3/surveys/', { form: { name: 'Made', template: template.id } })).body
    expect((await bob.delete(template.template_uri)).status).toBe(404)
    expect(await ann.delete(template.template_uri)).toMatchObject({ status: 200, text: '"OK"' })
    for (const method of ['GET', 'DELETE'])
      expect(await ann.send(method, template.template_uri)).toMatchObject({
        status: 404,
        body: { code: 'template_not_found' },
      })
    expect((await ann.get(survey.survey_structure_uri)).body.form[0].children).toHaveLength(1)
  })
})
