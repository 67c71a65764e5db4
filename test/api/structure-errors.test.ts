import { beforeAll, describe, expect, test } from '@jest/globals'
import { signInAs } from '../support/http-browser.ts'
import { type Person, useWorld } from '../support/world.ts'

const world = useWorld()
let ann: Person
let survey: { survey_structure_uri: string; id: number }
let template: { template_uri: string }

beforeAll(async () => {
  ann = await world.person()
  survey = (await ann.post('/api/v3/surveys/', { json: { name: 'Tea' } })).body
  const json = { name: 'Tea', structure: { title: 'Tea' } }
  template = (await ann.post('/api/v3/templates/', { json })).body
})

type Fields = (structure: object) => Promise<string[]>

/** Returns the fields of the errors in a reply with status 400. */
const fieldsIn = ({ status, body }: Awaited<ReturnType<Person['post']>>): string[] => {
  expect(status).toBe(400)
  return body.errors.map(({ field }: { field: string }) => field)
}

/** Operations that accept a structure, and the page that checks one. */
const operations: [string, Fields][] = [
  [
    'updateStructure with the structure as the body',
    async (structure) => fieldsIn(await ann.put(survey.survey_structure_uri, { json: structure })),
  ],
  [
    'updateStructure with the structure in the property structure',
    async (structure) => fieldsIn(await ann.put(survey.survey_structure_uri, { json: { name: 'x', structure } })),
  ],
  [
    'updateStructure with a form',
    async (structure) =>
      fieldsIn(await ann.put(survey.survey_structure_uri, { form: { structure: JSON.stringify(structure) } })),
  ],
  [
    'createTemplate',
    async (structure) => fieldsIn(await ann.post('/api/v3/templates/', { json: { name: 'New', structure } })),
  ],
  ['updateTemplate', async (structure) => fieldsIn(await ann.put(template.template_uri, { json: { structure } }))],
  [
    'the page that edits a structure',
    async (structure) => {
      const browser = await signInAs(ann)
      const path = `/account/surveys/${survey.id}/edit/json/`
      await browser.get(path)
      const { text } = await browser.post(`${path}check/`, { structure: JSON.stringify(structure) })
      return JSON.parse(text).errors.map(({ pointer }: { pointer: string }) => pointer)
    },
  ],
]

describe.each(operations)('structure errors of %s', (_, fieldsOf) => {
  test.each([
    ['a page that is not an object', { title: 'x', form: [{}, 5] }, '/form/1'],
    ['pages that are not a list', { title: 'x', form: {} }, '/form'],
    ['a title that is a number', { title: 5, form: [] }, '/title'],
    [
      'a question without its type',
      { title: 'x', form: [{ children: [{ title: 'Q' }] }] },
      '/form/0/children/0/idname',
    ],
    ['a description that is a number', { title: 'x', description: 5, form: [] }, '/description'],
  ])('have the JSON pointer of %s', async (_, structure, pointer) => {
    expect(await fieldsOf(structure)).toContain(pointer)
  })
})

test('updateStructure and createTemplate return the name of an invalid field of the body, not a JSON pointer', async () => {
  expect(fieldsIn(await ann.put(survey.survey_structure_uri, { json: { structure: 5 } }))).toEqual(['structure'])
  expect(fieldsIn(await ann.post('/api/v3/templates/', { json: { name: '', structure: { title: 'x' } } }))).toEqual([
    'name',
  ])
})
