import { beforeAll, describe, expect, it } from '@jest/globals'
import { type Contract, endpointsOf } from '../../src/api/engine/contract.ts'
import * as versions from '../../src/api/versions.ts'
import { makeExampleWorld } from '../sdk/example-world.ts'
import { type Person, useWorld } from '../support/world.ts'

const world = useWorld()
let dora: Person
beforeAll(async () => {
  dora = await makeExampleWorld(world)
  await dora.put('/api/v3/surveys/14/settings/', {
    json: { password: 'open sesame', close_at: '2030-01-01', custom_authentication: { enabled: false } },
  })
  await dora.put('/api/v3/collectors/31/', { json: { settings: { password: 'another sesame', max_responses: 9 } } })
})

/** PUT operations that do not replace the representation of GET. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'v2 /groups/{group_id}/members/': 'adds one member to the collection that GET lists',
  'v2 /accounts/groups/{group_id}/members/': 'the same',
  'v2 /surveys/{survey_id}/responses/{response_id}/': 'reads its values from the query',
}

/** Returns the resources with GET and PUT. Their paths contain the examples of the contract. */
function resourcesOf(version: string, contract: Contract): [name: string, path: string][] {
  const endpoints = endpointsOf(contract)
  const isGet = (path: string) => endpoints.some((endpoint) => endpoint.method === 'GET' && endpoint.path === path)
  return endpoints
    .filter(({ method, path }) => method === 'PUT' && isGet(path))
    .map(({ path, parameters }) => {
      const example = (name: string) => {
        const found = parameters.find(({ value }) => value.in === 'path' && value.name === name)
        return String((found!.value.schema as { examples: unknown[] }).examples[0])
      }
      return [`${version} ${path}`, `/api/${version}${path.replace(/\{(.+?)\}/g, (_, name) => example(name))}`]
    })
}
const resources = Object.entries(versions).flatMap(([name, { contract }]) => resourcesOf(name, contract))

/** Members that every edit changes. An edit of weights computes them anew, so they are up to date. */
const CHANGING_MEMBERS = new Set(['updated_at', '_updated_at', '_saves', 'up_to_date'])
const constantMembers = (body: object) => Object.entries(body).filter(([name]) => !CHANGING_MEMBERS.has(name))

describe('PUT with the body of GET [spec 2.4]', () => {
  it('is tested for more than 15 resources, and every listed exception is one of the resources', () => {
    expect(resources.length).toBeGreaterThan(15)
    expect(Object.keys(EXCEPTIONS).filter((name) => !resources.some(([resource]) => resource === name))).toEqual([])
  })

  it.each(resources.filter(([name]) => !(name in EXCEPTIONS)))(
    '%s is accepted and changes nothing',
    async (_, path) => {
      const before = await dora.get(path)
      expect(before.status).toBe(200)
      const reply = await dora.put(path, { json: before.body })
      if (reply.status > 299) throw new Error(reply.text)
      expect(constantMembers((await dora.get(path)).body)).toEqual(constantMembers(before.body))
    },
  )

  it('keeps values that GET does not show, such as passwords', async () => {
    await dora.put('/api/v3/surveys/14/settings/', { json: (await dora.get('/api/v3/surveys/14/settings/')).body })
    expect((await dora.get('/api/v3/surveys/14/settings/')).body.password).toBe(true)
    expect((await dora.get('/api/v3/collectors/31/')).body.settings).toEqual({ password: true, max_responses: 9 })
  })
})

describe('the body of a contact [spec 2.4]', () => {
  it('may contain unsubscribed; the service ignores its id and contact_uri', async () => {
    const { body } = await dora.get('/api/v3/contacts/71/')
    const changed = { ...body, id: 9, contact_uri: 'https://example.org/', name: 'Benedikt', unsubscribed: true }
    const reply = await dora.put('/api/v3/contacts/71/', { json: changed })
    expect(reply.body).toEqual({ ...body, name: 'Benedikt', unsubscribed: true })
    const form = { unsubscribed: 'false' }
    expect((await dora.put('/api/v3/contacts/71/', { form })).body.unsubscribed).toBe(false)
    expect((await dora.put('/api/v3/contacts/71/', { json: { unsubscribed: 'perhaps' } })).status).toBe(400)
  })
  it('cannot contain id, contact_uri or unsubscribed as custom fields of a new contact', async () => {
    for (const name of ['id', 'contact_uri', 'unsubscribed']) {
      const json = { name: 'New', email: 'new@example.org', [name]: 'x' }
      const { status, body } = await dora.post('/api/v3/contacts/', { json })
      expect([status, body.errors[0].field]).toEqual([400, name])
    }
  })
})

describe('the JSON of a survey response', () => {
  const path = '/api/v3/surveys/14/responses/1207/'
  it('changes the values that differ; the service ignores its read-only metadata', async () => {
    const { body } = await dora.get(path)
    const edited = { ...body, q1: 0, _id: 5, _created_at: '1999-01-01T00:00:00', _key: 'f'.repeat(40) }
    expect((await dora.put(path, { json: edited })).status).toBe(202)
    const after = (await dora.get(path)).body
    expect(constantMembers(after)).toEqual(constantMembers({ ...body, q1: 0, _weighted_score: after._weighted_score }))
  })
  it.each(['?include_labels=1', '?expand_GET=1'])('may come from a GET with %s', async (search) => {
    const before = (await dora.get(path)).body
    expect((await dora.put(path, { json: (await dora.get(`${path}${search}`)).body })).status).toBe(202)
    expect(constantMembers((await dora.get(path)).body)).toEqual(constantMembers(before))
  })
  it('cannot contain unknown metadata; for a new response, it cannot contain read-only metadata either', async () => {
    expect((await dora.put(path, { json: { _colour: 'red' } })).body.errors[0].field).toBe('_colour')
    const { body } = await dora.post('/api/v3/surveys/14/responses/', { json: { q1: 0, _id: 5 } })
    expect(body.errors[0].field).toBe('_id')
  })
})

describe('the groups of a survey', () => {
  it('may be empty', async () => {
    const { id } = (await dora.post('/api/v3/surveys/', { json: { name: 'Alone' } })).body
    const path = `/api/v3/surveys/${id}/groups/`
    expect((await dora.put(path, { json: (await dora.get(path)).body })).status).toBe(200)
    expect((await dora.get(path)).body.count).toBe(0)
  })
})

describe('the languages of a survey', () => {
  it('return 400 if the body is only one page of the list', async () => {
    const codes = ['en', 'fr', 'de', 'it', 'es', 'nl', 'sv', 'da', 'fi', 'pl', 'cs']
    const languages = codes.map((code) => ({ code, isDefault: code === 'en' }))
    const path = '/api/v3/surveys/14/languages/'
    await dora.put(path, { json: { languages } })
    expect((await dora.put(path, { json: (await dora.get(path)).body })).status).toBe(400)
    expect((await dora.put(path, { json: (await dora.get(`${path}?page_size=20`)).body })).status).toBe(200)
    expect((await dora.get(path)).body.count).toBe(codes.length)
  })
})
