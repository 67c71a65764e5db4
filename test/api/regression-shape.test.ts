import { beforeAll, describe, expect, test } from '@jest/globals'
import { makeSurvey } from '../support/responses.ts'
import { type Person, useWorld } from '../support/world.ts'

/** Differences between contract and service that fuzzing has found. */
const world = useWorld()
let ann: Person
let survey: string
beforeAll(async () => {
  ann = await world.person()
  survey = `/api/v3/surveys/${await makeSurvey(ann)}/`
})

describe('error codes', () => {
  const codes = async (path: string, json: object) => {
    const { status, body } = await ann.post(path, { json })
    return [status, body.code, body.errors.map(({ code }: { code: string }) => code)]
  }
  test('are equal in both versions', async () => {
    for (const version of ['v2', 'v3']) {
      const contacts = `/api/${version}/contacts/`
      expect(await codes(contacts, { name: 'Ben' })).toEqual([400, 'invalid_request', ['required']])
      expect(await codes(contacts, { name: 'Ben', email: 'invalid' })).toEqual([
        400,
        'invalid_request',
        ['invalid_email'],
      ])
    }
    expect(await codes(`${survey}responses/`, { nothing: 1 })).toEqual([400, 'survey_error', ['unknown_question']])
    expect(await codes('/api/v3/surveys/', [])).toEqual([400, 'invalid_request', ['invalid_type']])
  })
})

describe('forms', () => {
  test('read the text null as the value null for a number or an object', async () => {
    const settings = await ann.put(`${survey}settings/`, { form: { max_responses: 'null' } })
    expect([settings.status, settings.body.max_responses]).toEqual([200, null])
    const { status, body } = await ann.post(`${survey}collectors/`, { form: { name: 'One', settings: 'null' } })
    expect(status).toBe(201)
    expect((await ann.put(body.collector_uri, { form: { settings: 'null' } })).status).toBe(200)
  })
  test('accept languages only in the field languages, whereas a JSON body can also be the list itself', async () => {
    const english = { code: 'en', isDefault: true }
    const uri = `${survey}languages/`
    expect((await ann.put(uri, { json: [english] })).status).toBe(200)
    expect((await ann.put(uri, { form: { languages: JSON.stringify(english) } })).status).toBe(200)
    expect((await ann.put(uri, { form: { code: 'en' } })).body.errors).toMatchObject([
      { field: 'languages', message: 'is required' },
    ])
  })
  test('return 400 for an import without a body', async () => {
    const reply = await ann.post('/api/v3/contacts/csv/', { headers: { 'content-type': 'text/csv' } })
    expect([reply.status, reply.body.code]).toEqual([400, 'invalid_request'])
  })
})

describe('structures', () => {
  test('return 400 with the path of an error within the structure, also if the body wraps the structure in an object', async () => {
    const fields = async (json: object) =>
      (await ann.put(`${survey}structure/`, { json })).body.errors.map(({ field }: { field: string }) => field)
    expect(await fields({})).toEqual(['/title'])
    expect(await fields({ structure: {} })).toEqual(['/title'])
    expect(await fields({ structure: { title: 'A', form: [1] } })).toEqual(['/form/0'])
    const form = { structure: JSON.stringify({ title: 'A' }) }
    expect((await ann.put(`${survey}structure/`, { form })).status).toBe(200)
  })
})

describe('ids', () => {
  test('may have sixteen digits, and empty lists of them return 400', async () => {
    const list = (await ann.post('/api/v3/contact-lists/', { json: { name: 'All' } })).body
    const put = async (id: unknown) => (await ann.post(list.contacts_uri, { json: { id } })).status
    expect(await put(Number.MAX_SAFE_INTEGER)).toBe(404)
    expect(await put(String(Number.MAX_SAFE_INTEGER))).toBe(404)
    expect(await put('7,a')).toBe(400)
    expect(await put([])).toBe(400)
  })
})

test('createContact returns 400 with the name of an invalid custom field', async () => {
  for (const name of ['[a]', ' a', 'contact_uri', 'a\u0007', 'x'.repeat(101)]) {
    const { body } = await ann.post('/api/v3/contacts/', { json: { name: 'A', email: 'a@example.org', [name]: 'x' } })
    expect(body.errors).toMatchObject([
      { field: name, message: expect.stringMatching(/^cannot be the name of a custom field/) },
    ])
  }
})
