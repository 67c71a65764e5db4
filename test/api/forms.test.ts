import { beforeAll, describe, expect, test } from '@jest/globals'
import type { RequestOptions } from '../support/client.ts'
import { type Person, useWorld } from '../support/world.ts'

const world = useWorld()
let ann: Person
beforeAll(async () => {
  ann = await world.person()
})

const page = (id: string) => ({ children: [{ idname: 'text-response', id, title: `Title of ${id}` }] })
const PAGES = JSON.stringify([page('a'), page('b')])

/**
 * Returns a multipart body in which each part has the media type of JSON. In this way, some clients send fields whose
 * values are not text.
 */
function typedParts(members: Record<string, string>): RequestOptions {
  const parts = Object.entries(members).map(
    ([name, text]) =>
      `--edge\r\nContent-Disposition: form-data; name="${name}"\r\nContent-Type: application/json\r\n\r\n${text}\r\n`,
  )
  return { body: `${parts.join('')}--edge--\r\n`, headers: { 'content-type': 'multipart/form-data; boundary=edge' } }
}

/** Returns a multipart body in which each field is a file. Browsers send a Blob in this way. */
function files(members: Record<string, string>): RequestOptions {
  const parts = Object.entries(members).map(
    ([name, text]) =>
      `--edge\r\nContent-Disposition: form-data; name="${name}"; filename="blob"\r\nContent-Type: application/json\r\n\r\n${text}\r\n`,
  )
  return { body: `${parts.join('')}--edge--\r\n`, headers: { 'content-type': 'multipart/form-data; boundary=edge' } }
}

const encodings: [string, (members: Record<string, string>) => RequestOptions][] = [
  ['a URL-encoded form', (members) => ({ form: members })],
  ['multipart form data', (members) => ({ multipart: members })],
  ['multipart parts of type application/json', typedParts],
  ['multipart files of type application/json', files],
]

const newSurvey = async () => (await ann.post('/api/v3/surveys/', { json: { name: 'Forms' } })).body.survey_uri

/** Returns the IDs of the questions of each page. */
const idsIn = ({ form }: { form: { children: { id: string }[] }[] }) =>
  form.map(({ children }) => children.map(({ id }) => id))

describe.each(encodings)('%s', (_, encode) => {
  test('has the pages of a new survey as one JSON array in v2', async () => {
    const { status, body } = await ann.post('/api/v2/surveys/', encode({ title: '{"en":"Two pages"}', form: PAGES }))
    expect([status, body.name]).toEqual([200, 'Two pages'])
    expect(idsIn((await ann.get(`${body.uri}?structure`)).body)).toEqual([['a'], ['b']])
  })

  test('has every part of a structure as JSON in v2', async () => {
    const members = {
      description: '{"en":"Words"}',
      languages: '[{"code":"en","name":"English","isDefault":true}]',
      quotas: '[]',
      uniques: '["a"]',
      jumping: 'true',
    }
    const { body } = await ann.post('/api/v2/surveys/', encode({ title: '{"en":"T"}', form: PAGES, ...members }))
    expect((await ann.get(`${body.uri}?structure`)).body).toMatchObject({
      description: { en: 'Words' },
      languages: [{ code: 'en', name: 'English', isDefault: true }],
      quotas: [],
      uniques: ['a'],
      jumping: true,
    })
  })

  test('gets the same error as a JSON body for an object in place of the pages in v2', async () => {
    const asJson = await ann.post('/api/v2/surveys/', { json: { name: 'No pages', form: {} } })
    const asForm = await ann.post('/api/v2/surveys/', encode({ name: 'No pages', form: '{}' }))
    expect(asJson.status).toBe(400)
    expect([asForm.status, asForm.body]).toEqual([asJson.status, asJson.body])
  })

  test('has the pages of a structure as one JSON array in v3', async () => {
    const uri = await newSurvey()
    expect((await ann.put(`${uri}structure/`, encode({ title: '{"en":"Two"}', form: PAGES }))).status).toBe(200)
    expect(idsIn((await ann.get(`${uri}structure/`)).body)).toEqual([['a'], ['b']])
  })

  test('has languages and settings as JSON in v3', async () => {
    const uri = await newSurvey()
    const languages = JSON.stringify([{ code: 'en', isDefault: true }, { code: 'fr' }])
    expect((await ann.put(`${uri}languages/`, encode({ languages }))).body.count).toBe(2)
    const collector = await ann.post(`${uri}collectors/`, encode({ name: 'Desk', settings: '{"max_responses":"7"}' }))
    expect(collector.body.settings).toMatchObject({ max_responses: 7 })
  })

  test.each([
    ['/api/v2/surveys/', 'POST', { name: 'n', form: '[{' }, 'form'],
    ['/api/v2/surveys/', 'POST', { name: 'n', form: 'pages' }, 'form'],
    ['structure/', 'PUT', { form: '[{' }, 'form'],
    ['structure/', 'PUT', { structure: '{"title":' }, 'structure'],
    ['languages/', 'PUT', { languages: '' }, 'languages'],
    ['settings/', 'PUT', { custom_authentication: '{enabled:true}' }, 'custom_authentication'],
  ])('gets 400 invalid_json that names the member at %s (%s %j)', async (path, method, members, field) => {
    const uri = path.startsWith('/') ? path : `${await newSurvey()}${path}`
    const reply = await ann.send(method, uri, encode(members as Record<string, string>))
    expect(reply.status).toBe(400)
    expect(reply.body.errors).toMatchObject([{ field, code: 'invalid_json' }])
  })

  test('gets 400 for unsafe values, with the path of each value', async () => {
    const uri = await newSurvey()
    const put = async (form: string) => (await ann.put(`${uri}structure/`, encode({ title: 'T', form }))).body.errors
    expect(await put('[{"title":"\\u0000"}]')).toMatchObject([{ field: 'form[0].title', code: 'invalid_characters' }])
    expect(await put(`[${'['.repeat(80)}${']'.repeat(80)}]`)).toMatchObject([{ code: 'too_deep' }])
  })

  test('may have any text in the ignored properties of list items, as a JSON body may', async () => {
    const uri = await newSurvey()
    const group = (await ann.post('/api/v2/groups/', { json: { name: 'Readers' } })).body.id
    const results = [{ id: group, name: 'a\u0000b', survey: { '\u0000': 1 } }]
    expect((await ann.put(`${uri}groups/`, { json: { results } })).status).toBe(200)
    expect((await ann.put(`${uri}groups/`, encode({ results: JSON.stringify(results) }))).status).toBe(200)
  })

  test('gets 413 if its members together have more values than a JSON body may have', async () => {
    const values = JSON.stringify(Array.from({ length: 60_000 }, () => 1))
    const reply = await ann.put(`${await newSurvey()}structure/`, encode({ title: 'T', form: values, quotas: values }))
    expect([reply.status, reply.body.code]).toEqual([413, 'body_too_large'])
  })
})

describe('forms of older clients', () => {
  test('can have one field for each page', async () => {
    const uri = await newSurvey()
    const fields: [string, string][] = [
      ['title', 'Fields'],
      ['form', JSON.stringify(page('a'))],
      ['form', JSON.stringify(page('b'))],
    ]
    expect((await ann.put(`${uri}structure/`, { form: fields })).status).toBe(200)
    expect(idsIn((await ann.get(`${uri}structure/`)).body)).toEqual([['a'], ['b']])
    expect((await ann.put(`${uri}structure/`, { form: fields.slice(0, 2) })).status).toBe(200)
    expect(idsIn((await ann.get(`${uri}structure/`)).body)).toEqual([['a']])
  })

  test('can have a plain title, also a title that begins like JSON', async () => {
    const uri = await newSurvey()
    for (const title of ['Plain', '{{ name }}', '[Draft]', '"quoted"']) {
      await ann.put(`${uri}structure/`, { form: { title } })
      expect((await ann.get(`${uri}structure/`)).body.title).toEqual({ en: title })
    }
  })

  test.each([
    ['in repeated fields', 'contacts=ID1&contacts=ID2'],
    ['in repeated fields with brackets', 'contacts[]=ID1&contacts[]=ID2'],
    ['separated by commas', 'contacts=ID1,ID2'],
    ['as a JSON array', 'contacts=[ID1,ID2]'],
  ])('can have a list of IDs %s', async (_, body) => {
    const create = async (name: string) =>
      (await ann.post('/api/v3/contacts/', { json: { name, email: `${name.length}@example.org` } })).body.id
    const suffix = String(Math.random())
    const [first, second] = [await create(`One${suffix}`), await create(`Other${suffix}`)]
    const { list } = (await ann.post('/api/v2/contact-lists/', { json: { name: `List ${suffix}` } })).body
    const reply = await ann.post(`/api/v2/contact-lists/${list.id}/contacts/`, {
      body: body.replace('ID1', first).replace('ID2', second),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    expect(reply.body).toMatchObject({ added: 2 })
  })
})
