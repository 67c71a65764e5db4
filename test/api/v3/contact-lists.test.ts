import { beforeAll, describe, expect, test } from '@jest/globals'
import type { Reply } from '../../support/client.ts'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
let ann: Person
let bob: Person
const LISTS = '/api/v3/contact-lists/'
const CONTACTS = '/api/v3/contacts/'
const contacts: Reply['body'][] = []

beforeAll(async () => {
  ann = await world.person()
  bob = await world.person()
  for (let index = 0; index < 12; index++) contacts.push(await contact(ann, `Member ${index}`))
})

async function contact(caller: Person, name: string): Promise<Reply['body']> {
  const form = { name, email: `${name.toLowerCase().replace(' ', '')}@x.example`, city: 'Bergen' }
  return (await caller.post(CONTACTS, { form })).body
}
const list = async (caller = ann): Promise<Reply['body']> => (await caller.post(LISTS, { form: { name: 'L' } })).body
const idsIn = async (uri: string): Promise<number[]> =>
  (await ann.get(`${uri}?page_size=100`)).body.results.map(({ id }: { id: number }) => id)

describe('createContactList', () => {
  test('creates a list with 0 contacts from a form with name and color, which getContactList returns [spec 8.4, 8.5]', async () => {
    const reply = await ann.post(LISTS, { form: { name: ' Customers ', color: '#12aBcD' } })
    expect(reply.status).toBe(201)
    expect(reply.body).toEqual({
      id: expect.any(Number),
      name: 'Customers',
      color: '#12aBcD',
      contacts_uri: `${world.base}${LISTS}${reply.body.id}/contacts/`,
      contacts: 0,
    })
    expect((await ann.get(`${LISTS}${reply.body.id}/`)).body).toEqual(reply.body)
  })

  test('uses a default colour and a default name [spec 8.5]', async () => {
    expect((await ann.post(LISTS, { form: { name: 'Plain' } })).body.color).toBe('#9eb7c8')
    expect(await ann.post(LISTS)).toMatchObject({ status: 201, body: { name: 'New contact list' } })
  })

  test.each([
    ['a colour by name', { name: 'X', color: 'red' }, 'color: must be a colour such as #9eb7c8'],
    ['a short colour', { name: 'X', color: '#abc' }, 'color: must be a colour such as #9eb7c8'],
    ['a blank name', { name: ' ' }, 'name: must not be empty'],
  ])('returns 400 with the field and the reason for %s', async (_, form, detail) => {
    expect(await ann.post(LISTS, { form })).toMatchObject({ status: 400, body: { detail } })
  })
})

describe('listContactLists', () => {
  test('returns the paged envelope with the number of contacts of each list', async () => {
    const carl = await world.person()
    const { id } = await contact(carl, 'Carl')
    const first = await list(carl)
    await carl.post(first.contacts_uri, { form: { id } })
    for (let index = 0; index < 10; index++) await list(carl)
    const { body } = await carl.get(LISTS)
    expect(body).toMatchObject({ count: 11, previous: null, next: `${world.base}${LISTS}?page=2` })
    expect(body.results.map(({ contacts }: { contacts: number }) => contacts)).toEqual([1, ...Array(9).fill(0)])
    expect((await bob.get(LISTS)).body.count).toBe(0)
  })
})

describe('updateContactList [spec 8.5]', () => {
  test('changes the given property, name or color, and keeps the other one', async () => {
    const { id } = await list()
    expect((await ann.put(`${LISTS}${id}/`, { form: { name: 'New' } })).body).toMatchObject({
      name: 'New',
      color: '#9eb7c8',
    })
    expect((await ann.put(`${LISTS}${id}/`, { json: { color: '#000000' } })).body).toMatchObject({
      name: 'New',
      color: '#000000',
    })
    expect((await ann.put(`${LISTS}${id}/`, { form: { color: 'black' } })).status).toBe(400)
  })
})

describe('deleteContactList', () => {
  test('keeps the contacts in the address book', async () => {
    const { id, contacts_uri: uri } = await list()
    await ann.post(uri, { form: { id: contacts[0].id } })
    expect(await ann.delete(`${LISTS}${id}/`)).toMatchObject({ status: 200, text: '"OK"' })
    expect(await ann.get(`${LISTS}${id}/`)).toMatchObject({ status: 404, body: { code: 'contact_list_not_found' } })
    expect((await ann.get(uri)).status).toBe(404)
    expect((await ann.get(contacts[0].contact_uri)).status).toBe(200)
  })

  test('returns 404 for a list of another account', async () => {
    const { id, contacts_uri: uri } = await list()
    const foreign = await contact(bob, 'Bob')
    for (const reply of [
      await bob.get(`${LISTS}${id}/`),
      await bob.put(`${LISTS}${id}/`, { form: { name: 'X' } }),
      await bob.delete(`${LISTS}${id}/`),
      await bob.get(uri),
      await bob.post(uri, { form: { id: foreign.id } }),
      await bob.delete(`${uri}?id=${foreign.id}`),
    ])
      expect(reply).toMatchObject({ status: 404, body: { code: 'contact_list_not_found' } })
  })
})

describe('addContactListContacts', () => {
  test('adds existing contacts from a form with comma-separated IDs [spec 8.5]', async () => {
    const { id, contacts_uri: uri } = await list()
    const reply = await ann.post(uri, { form: { id: `${contacts[1].id}, ${contacts[0].id},${contacts[1].id}` } })
    expect(reply.status).toBe(201)
    expect(reply.body).toEqual({
      count: 2,
      next: null,
      previous: null,
      results: [contacts[0], contacts[1]].map(({ id, name, email }) => ({ id, name, email })),
    })
    expect((await ann.post(uri, { json: { id: [contacts[2].id, contacts[0].id] } })).body.count).toBe(3)
    expect(
      (await ann.post(uri, { form: [3, 4].map((index): [string, string] => ['id', String(contacts[index].id)]) })).body
        .count,
    ).toBe(5)
    expect((await ann.get(`${LISTS}${id}/`)).body.contacts).toBe(5)
  })

  test('creates and adds a contact from a form with name and email [spec 8.5]', async () => {
    const { contacts_uri: uri } = await list()
    const reply = await ann.post(uri, { form: { name: 'Fresh', email: 'fresh@x.example', city: 'Oslo' } })
    expect(reply.body.results).toEqual([{ id: expect.any(Number), name: 'Fresh', email: 'fresh@x.example' }])
    expect((await ann.get(`${CONTACTS}${reply.body.results[0].id}/`)).body.city).toBe('Oslo')
    const again = await ann.post(uri, { form: { name: 'Fresh', email: 'fresh@x.example' } })
    expect(again).toMatchObject({ status: 409, body: { code: 'contact_exists' } })
  })

  test('returns the first page, and in next the URL of the second page [spec 8.5]', async () => {
    const { contacts_uri: uri } = await list()
    const { body } = await ann.post(uri, { form: { id: contacts.map(({ id }) => id).join() } })
    expect(body).toMatchObject({ count: 12, next: `${uri}?page=2` })
    expect(body.results).toHaveLength(10)
    expect((await ann.get(body.next)).body.results).toEqual(contacts.slice(10))
  })

  test('names all unknown contact IDs and adds no contact', async () => {
    const { contacts_uri: uri } = await list()
    const foreign = await contact(bob, 'Foreign')
    const reply = await ann.post(uri, { form: { id: `${contacts[0].id},999999,${foreign.id}` } })
    expect(reply).toMatchObject({ status: 404, body: { code: 'contact_not_found' } })
    expect(reply.body.detail).toContain(`999999, ${foreign.id}`)
    expect(await idsIn(uri)).toEqual([])
  })

  test.each([
    ['nothing', {}, ['name', 'email']],
    ['invalid IDs', { id: 'one,two' }, ['id']],
    ['no ids', { id: ',' }, ['id']],
    ['no email address', { name: 'X' }, ['email']],
  ])('returns 400 for %s', async (_, form, fields) => {
    const { contacts_uri: uri } = await list()
    const reply = await ann.post(uri, { form })
    expect(reply.status).toBe(400)
    expect(reply.body.errors.map(({ field }: { field: string }) => field)).toEqual(fields)
  })
})

describe('listContactListContacts', () => {
  test('returns the paged envelope of contacts and supports search', async () => {
    const { contacts_uri: uri } = await list()
    await ann.post(uri, { form: { id: contacts.map(({ id }) => id).join() } })
    expect((await ann.get(`${uri}?page_size=3`)).body).toMatchObject({ count: 12, results: contacts.slice(0, 3) })
    expect((await ann.get(`${uri}?search=member+11`)).body).toMatchObject({ count: 1, results: [contacts[11]] })
  })
})

describe('removeContactListContacts', () => {
  test('accepts id in the query or in the body and keeps the contacts in the address book', async () => {
    const { contacts_uri: uri } = await list()
    const ids = contacts.map(({ id }) => id)
    await ann.post(uri, { form: { id: ids.join() } })
    expect(await ann.delete(`${uri}?id=${ids[0]},${ids[1]}`)).toMatchObject({ status: 200, text: '"OK"' })
    expect((await ann.delete(uri, { form: { id: `${ids[2]},${ids[3]}` } })).status).toBe(200)
    expect((await ann.delete(uri, { json: { id: ids[4] } })).status).toBe(200)
    expect(await idsIn(uri)).toEqual(ids.slice(5))
    expect((await ann.get(contacts[0].contact_uri)).status).toBe(200)
  })

  test('returns 400 without an ID, and returns 404 for an unknown ID and removes no contact', async () => {
    const { contacts_uri: uri } = await list()
    await ann.post(uri, { form: { id: contacts[0].id } })
    expect(await ann.delete(uri)).toMatchObject({ status: 400, body: { errors: [{ field: 'id' }] } })
    expect((await ann.delete(`${uri}?id=${contacts[0].id},999999`)).status).toBe(404)
    expect(await idsIn(uri)).toEqual([contacts[0].id])
  })
})

test('deleteContact removes the contact from its lists', async () => {
  const { id, contacts_uri: uri } = await list()
  const deleted = await contact(ann, 'Gone')
  await ann.post(uri, { form: { id: deleted.id } })
  await ann.delete(deleted.contact_uri)
  expect((await ann.get(`${LISTS}${id}/`)).body.contacts).toBe(0)
})
