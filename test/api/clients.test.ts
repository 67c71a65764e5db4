import { beforeAll, describe, expect, test } from '@jest/globals'
import { type Person, useWorld } from '../support/world.ts'

const world = useWorld()
let ann: Person
beforeAll(async () => {
  ann = await world.person()
})

/** Sends a request as the official clients do: JSON, always with a Content-Type. */
const send = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, data?: object) =>
  ann.send(method, path, {
    ...(data && { body: JSON.stringify(data) }),
    headers: { accept: 'application/json', 'content-type': 'application/json' },
  })
const names = async () =>
  (await ann.get('/api/v3/surveys/?page_size=200')).body.results.map((survey: { name: string }) => survey.name)

/**
 * Sends the requests of `create("surveys", data)` of the official Node client: first the name, then the whole object.
 */
async function nodeCreate(data: { structure: { name?: unknown; title?: unknown } }) {
  const created = await send('POST', '/api/v3/surveys/', { name: data.structure.name || data.structure.title })
  if (created.status !== 201) return { created }
  return { created, put: await send('PUT', `/api/v3/surveys/${created.body.id}/structure/`, data) }
}

const form = [{ children: [{ idname: 'text-response', id: 'q1', title: 'Why?' }] }]

describe('the official Node client', () => {
  test.each([
    ['a name', { name: 'Node 1' }, 'Node 1', 0],
    ['a name and pages', { name: 'Node 2', form }, 'Node 2', 1],
    ['a title and pages', { title: 'Node 3', form }, 'Node 3', 1],
    ['a name and another title', { name: 'Node 4', title: 'Shown', form }, 'Shown', 1],
  ])('creates a survey from a structure with %s', async (_, structure, title, questions) => {
    const { created, put } = await nodeCreate({ structure })
    expect(created.status).toBe(201)
    expect(put).toMatchObject({ status: 200, body: 'OK' })
    expect((await ann.get(created.body.survey_structure_uri)).body.title).toEqual({ en: title })
    expect((await ann.get(created.body.questions_uri)).body.count).toBe(questions)
  })

  test('creates no survey from a structure without name and title', async () => {
    const before = await names()
    const { created } = await nodeCreate({ structure: {} })
    expect(created.status).toBe(400)
    expect(await names()).toEqual(before)
  })

  test('renames a survey and changes its structure at the same time', async () => {
    const { created } = await nodeCreate({ structure: { name: 'Before' } })
    const uri = created.body.survey_uri
    const data = { name: 'After', structure: { form } }
    const replies = await Promise.all([send('PUT', uri, { name: data.name }), send('PUT', `${uri}structure/`, data)])
    expect(replies.map(({ status }) => status)).toEqual([200, 200])
    expect((await ann.get(uri)).body.name).toBe('After')
    expect((await ann.get(`${uri}structure/`)).body).toMatchObject({
      title: { en: 'Before' },
      form: [{ type: 'page' }],
    })
  })

  test('can send back the survey and the structure that it fetched', async () => {
    const { created } = await nodeCreate({ structure: { name: 'Again', form } as object })
    const uri = created.body.survey_uri
    const [survey, structure] = await Promise.all([send('GET', uri), send('GET', `${uri}structure/`)])
    const put = await send('PUT', `${uri}structure/`, { ...survey.body, structure: structure.body })
    expect(put).toMatchObject({ status: 200, body: 'OK' })
    expect((await send('GET', `${uri}structure/`)).text).toBe(structure.text)
  })
})

describe('the Go client', () => {
  test('runs its example: creates, gets, updates and deletes a survey, and sends a structure with properties of a survey', async () => {
    const data = {
      name: 'Demo Survey 2',
      structure: {
        created_at: '2014-06-18T23:39:23Z',
        survey_structure_uri: 'https://survey.example.org/api/v3/surveys/123456/structure/',
        number_of_responses: 0,
        live: 1,
        name: 'New Survey123',
        slug: 'new-survey123-13',
        updated_at: '2014-06-18T23:39:23Z',
      },
    }
    const created = await send('POST', '/api/v3/surveys/', data)
    expect(created).toMatchObject({ status: 201, body: { name: 'Demo Survey 2' } })
    const uri = created.body.survey_uri
    expect((await send('GET', uri)).status).toBe(200)
    expect((await send('PUT', uri, data)).status).toBe(200)
    expect(await send('PUT', `${uri}structure/`, data)).toMatchObject({ status: 200, body: 'OK' })
    expect((await ann.get(`${uri}structure/`)).body).toMatchObject({ title: { en: 'New Survey123' }, form: [] })
    expect(await send('DELETE', uri)).toMatchObject({ status: 200, body: 'OK' })
    expect(await names()).not.toContain('Demo Survey 2')
  })
})
