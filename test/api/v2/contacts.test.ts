import { beforeAll, describe, expect, test } from '@jest/globals'
import type { Reply } from '../../support/client.ts'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
const CONTACTS = '/api/v2/contacts/'
let ann: Person
let bob: Person
beforeAll(async () => {
  ann = await world.person()
  bob = await world.person()
})

const create = async (caller: Person, json: Record<string, unknown>): Promise<Reply['body']> => {
  const reply = await caller.post(CONTACTS, { json })
  expect(reply.status).toBe(200)
  return reply.body.contact
}
const names = (reply: Reply): string[] => reply.body.contacts.map(({ name }: { name: string }) => name)

describe('createContact', () => {
  test('stores name, email and custom_<name> fields from JSON and ignores other properties [spec 8.3]', async () => {
    const json = {
      name: 'Ann',
      email: 'ann@x.example',
      custom_city: 'Bergen',
      custom_floor: 3,
      custom_none: '',
      more: [1],
    }
    const reply = await ann.post(CONTACTS, { json })
    expect(reply.status).toBe(200)
    const { contact } = reply.body
    expect(reply.body).toEqual({
      contact: {
        id: expect.any(Number),
        uri: `${world.base}${CONTACTS}${contact.id}/`,
        name: 'Ann',
        email: 'ann@x.example',
        unsubscribed: false,
        custom_city: 'Bergen',
        custom_floor: '3',
      },
    })
    expect((await ann.get(contact.uri)).body).toEqual({ contact })
    expect((await ann.get(`/api/v3/contacts/${contact.id}/`)).body).toMatchObject({ city: 'Bergen', floor: '3' })
  })

  test.each([
    ['no name', { email: 'a@b.example' }, 'name'],
    ['an invalid email address', { name: 'A', email: 'a at b' }, 'email'],
    [
      'a custom field with the name of a standard field',
      { name: 'A', email: 'a@b.example', custom_email: 'x' },
      'custom_email',
    ],
    ['a custom field that is a list', { name: 'A', email: 'a@b.example', custom_list: ['x'] }, 'custom_list'],
    ['a custom field without a name', { name: 'A', email: 'a@b.example', custom_: 'x' }, 'custom_'],
  ])('returns 400 with the name of the field for %s', async (_, json, field) => {
    const reply = await bob.post(CONTACTS, { json })
    expect(reply).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
    expect(reply.body.description).toMatch(new RegExp(`^${field}: `))
  })

  test('returns 409 for a contact that already exists', async () => {
    await create(ann, { name: 'Twice', email: 'twice@x.example' })
    const again = await ann.post(CONTACTS, { json: { name: 'Twice', email: 'Twice@X.example' } })
    expect(again).toMatchObject({ status: 409, body: { code: 'contact_exists' } })
  })
})

describe('listContacts', () => {
  let dora: Person
  beforeAll(async () => {
    dora = await world.person()
    for (let index = 1; index <= 12; index++)
      await create(dora, {
        name: `P${index}`,
        email: `p${index}@x.example`,
        ...(index === 3 && { custom_city: 'Oslo', custom_age: '7' }),
      })
  })

  test('returns custom, contacts, start and total, with offset 0 and limit 10 by default [spec 8.3]', async () => {
    const { body } = await dora.get(CONTACTS)
    expect(body).toMatchObject({ custom: ['age', 'city'], start: 0, total: 12 })
    expect(body.contacts).toHaveLength(10)
    expect(body.contacts[0]).not.toHaveProperty('status')
    const rest = await dora.get(`${CONTACTS}?offset=10&limit=5`)
    expect(rest.body).toMatchObject({ start: 10, total: 12 })
    expect(names(rest)).toEqual(['P11', 'P12'])
    expect(names(await dora.get(`${CONTACTS}?limit=0`))).toHaveLength(10)
    expect(names(await dora.get(`${CONTACTS}?limit=1000`))).toHaveLength(12)
    expect((await dora.get(`${CONTACTS}?offset=99`)).body).toMatchObject({ contacts: [], start: 99, total: 12 })
  })

  test('searches names, email addresses and custom fields [spec 8.3]', async () => {
    expect(names(await dora.get(`${CONTACTS}?search=OSL`))).toEqual(['P3'])
    expect(names(await dora.get(`${CONTACTS}?search=p12@`))).toEqual(['P12'])
    expect((await dora.get(`${CONTACTS}?search=p1&limit=2`)).body).toMatchObject({ total: 4 })
  })

  test('adds status for a survey or a collector, and returns 400 for both together and 404 for a survey or collector of another account [spec 8.3]', async () => {
    const q1 = { idname: 'text-response', id: 'q1', title: 'Why?', children: [{ type: 'string' }] }
    const survey = (await dora.post('/api/v2/surveys/', { json: { title: 'S', form: [{ children: [q1] }] } })).body.id
    const collector = (await dora.post('/api/v3/collectors/', { form: { name: 'C', survey } })).body.id
    const csv = [
      'q1,_completed,_invite_email,_collector',
      `a,1,P1@x.example,${collector}`,
      'b,0,p2@x.example,',
      'c,0,p1@x.example,',
    ].join('\r\n')
    const imported = await dora.post(`/api/v2/surveys/${survey}/responses/`, {
      body: csv,
      headers: { 'content-type': 'text/csv' },
    })
    expect(imported.status).toBe(200)
    const statuses = async (query: string) =>
      (await dora.get(`${CONTACTS}?limit=3&${query}`)).body.contacts.map(({ status }: { status: string }) => status)
    expect(await statuses(`survey=${survey}`)).toEqual(['Completed', 'Incomplete', ''])
    expect(await statuses(`collector=${collector}`)).toEqual(['Completed', '', ''])
    expect(await dora.get(`${CONTACTS}?survey=${survey}&collector=${collector}`)).toMatchObject({
      status: 400,
      body: { code: 'invalid_request' },
    })
    expect(await bob.get(`${CONTACTS}?survey=${survey}`)).toMatchObject({
      status: 404,
      body: { code: 'survey_not_found' },
    })
    expect(await bob.get(`${CONTACTS}?collector=${collector}`)).toMatchObject({
      status: 404,
      body: { code: 'collector_not_found' },
    })
  })
})

describe('getContact [spec 8.3]', () => {
  test('returns 404 for a contact of another account', async () => {
    const { uri } = await create(ann, { name: 'Own', email: 'own@x.example' })
    expect(await bob.get(uri)).toMatchObject({ status: 404, body: { code: 'contact_not_found' } })
    expect((await bob.delete(uri)).status).toBe(404)
    expect((await ann.get(uri)).status).toBe(200)
  })
})

describe('deleteContact [spec 8.3]', () => {
  test('returns success true and keeps the responses of the contact', async () => {
    const { uri } = await create(ann, { name: 'Leaver', email: 'leaver@x.example' })
    const q1 = { idname: 'text-response', id: 'q1', title: 'Why?', children: [{ type: 'string' }] }
    const { id } = (await ann.post('/api/v2/surveys/', { json: { title: 'S', form: [{ children: [q1] }] } })).body
    await ann.post(`/api/v2/surveys/${id}/responses/`, {
      body: 'q1,_invite_email\r\nhello,leaver@x.example\r\n',
      headers: { 'content-type': 'text/csv' },
    })
    expect(await ann.delete(uri)).toMatchObject({ status: 200, body: { success: true } })
    expect((await ann.get(uri)).status).toBe(404)
    const { responses } = (await ann.get(`/api/v2/surveys/${id}/responses/`)).body
    expect(responses).toMatchObject([{ q1: 'hello', _invite_email: 'leaver@x.example' }])
  })
})
