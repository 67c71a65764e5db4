import { beforeAll, describe, expect, test } from '@jest/globals'
import type { Reply } from '../../support/client.ts'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
let ann: Person
let bob: Person
const LISTS = '/api/v3/contact-lists/'
const CONTACTS = '/api/v3/contacts/'
const made: Reply['body'][] = []

beforeAll(async () => {
  ann = await world.person()
  bob = await world.person()
  for (let at = 0; at < 12; at++) made.push(await contact(ann, `Member ${at}`))
})

async function contact(who: Person, name: string): Promise<Reply['body']> {
  const form = { name, email: `${name.toLowerCase().replace(' ', '')}@x.example`, city: 'Bergen' }
  return (await who.post(CONTACTS, { form })).body
}
const list = async (who = ann): Promise<Reply['body']> => (await who.post(LISTS, { form: { name: 'L' } })).body
const idsIn = async (uri: string): Promise<number[]> =>
  (await ann.get(`${uri}?page_size=100`)).body.results.map(({ id }: { id: number }) => id)

describe('createContactList', () => {
  test('creates a list with 0 contacts from a form with name and color', async () => {
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

  test('uses a default colour and a default name', async () => {
    expect((await ann.post(LISTS, { form: { name: 'Plain' } })).body.color).toBe('#9eb7c8')
    expect(await ann.post(LISTS)).toMatchObject({ status: 201, body: { name: 'New contact list' } })
  })

  test.each([
    ['a colour by name', { name: 'X', color: 'red' }, 'color'],
    ['a short colour', { name: 'X', color: '#abc' }, 'color'],
    ['a blank name', { name: ' ' }, 'name'],
  ])('returns 400 with the name of the field for %s', async (_, form, field) => {
    expect(await ann.post(LISTS, { form })).toMatchObject({ status: 400, body: { errors: [{ field }] } })
  })
})

describe('listContactLists', () => {
  test('returns the paged envelope with the number of contacts of each list', async () => {
    const carl = await world.person()
    const { id } = await contact(carl, 'Carl')
    const first = await list(carl)
    await carl.post(first.contacts_uri, { form: { id } })
    for (let at = 0; at < 10; at++) await list(carl)
    const { body } = await carl.get(LISTS)
    expect(body).toMatchObject({ count: 11, previous: null, next: `${world.base}${LISTS}?page=2` })
    expect(body.results.map(({ contacts }: { contacts: number }) => contacts)).toEqual([1, ...Array(9).fill(0)])
    expect((await bob.get(LISTS)).body.count).toBe(0)
  })
})

describe('updateContactList', () => {
  test('changes name and color and keeps the other members', async () => {
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
    await ann.post(uri, { form: { id: made[0].id } })
    expect(await ann.delete(`${LISTS}${id}/`)).toMatchObject({ status: 200, text: '"OK"' })
    expect(await ann.get(`${LISTS}${id}/`)).toMatchObject({ status: 404, body: { code: 'contact_list_not_found' } })
    expect((await ann.get(uri)).status).toBe(404)
    expect((await ann.get(made[0].contact_uri)).status).toBe(200)
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
  test('adds existing contacts from a form with comma-separated IDs', async () => {
    const { id, contacts_uri: uri } = await list()
    const reply = await ann.post(uri, { form: { id: `${made[1].id}, ${made[0].id},${made[1].id}` } })
    expect(reply.status).toBe(201)
    expect(reply.body).toEqual({
      count: 2,
      next: null,
      previous: null,
      results: [made[0], made[1]].map(({ id, name, email }) => ({ id, name, email })),
    })
    expect((await ann.post(uri, { json: { id: [made[2].id, made[0].id] } })).body.count).toBe(3)
    expect(
      (await ann.post(uri, { form: [3, 4].map((at): [string, string] => ['id', String(made[at].id)]) })).body.count,
    ).toBe(5)
    expect((await ann.get(`${LISTS}${id}/`)).body.contacts).toBe(5)
  })

  test('creates and adds a contact from a form with name and email', async () => {
    const { contacts_uri: uri } = await list()
    const reply = await ann.post(uri, { form: { name: 'Fresh', email: 'fresh@x.example', city: 'Oslo' } })
    expect(reply.body.results).toEqual([{ id: expect.any(Number), name: 'Fresh', email: 'fresh@x.example' }])
    expect((await ann.get(`${CONTACTS}${reply.body.results[0].id}/`)).body.city).toBe('Oslo')
    const again = await ann.post(uri, { form: { name: 'Fresh', email: 'fresh@x.example' } })
    expect(again).toMatchObject({ status: 409, body: { code: 'contact_exists' } })
  })

  test('returns the first page, with next for the following one', async () => {
    const { contacts_uri: uri } = await list()
    const { body } = await ann.post(uri, { form: { id: made.map(({ id }) => id).join() } })
    expect(body).toMatchObject({ count: 12, next: `${uri}?page=2` })
    expect(body.results).toHaveLength(10)
    expect((await ann.get(body.next)).body.results).toEqual(made.slice(10))
  })

  test('names all unknown contact IDs and adds none', async () => {
    const { contacts_uri: uri } = await list()
    const foreign = await contact(bob, 'Foreign')
    const reply = await ann.post(uri, { form: { id: `${made[0].id},999999,${foreign.id}` } })
    expect(reply).toMatchObject({ status: 404, body: { code: 'contact_not_found' } })
    expect(reply.body.detail).toContain(`999999, ${foreign.id}`)
    expect(await idsIn(uri)).toEqual([])
  })

  test.each([
    ['nothing', {}, ['name', 'email']],
    ['invalid IDs', { id: 'one,two' }, ['id']],
    ['no ids', { id: ',' }, ['id']],
    ['no e-mail address', { name: 'X' }, ['email']],
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
    await ann.post(uri, { form: { id: made.map(({ id }) => id).join() } })
    expect((await ann.get(`${uri}?page_size=3`)).body).toMatchObject({ count: 12, results: made.slice(0, 3) })
    expect((await ann.get(`${uri}?search=member+11`)).body).toMatchObject({ count: 1, results: [made[11]] })
  })
})

describe('removeContactListContacts', () => {
  test('accepts id in the query or in the body and keeps the contacts in the address book', async () => {
    const { contacts_uri: uri } = await list()
    const ids = made.map(({ id }) => id)
    await ann.post(uri, { form: { id: ids.join() } })
    expect(await ann.delete(`${uri}?id=${ids[0]},${ids[1]}`)).toMatchObject({ status: 200, text: '"OK"' })
    expect((await ann.delete(uri, { form: { id: `${ids[2]},${ids[3]}` } })).status).toBe(200)
    expect((await ann.delete(uri, { json: { id: ids[4] } })).status).toBe(200)
    expect(await idsIn(uri)).toEqual(ids.slice(5))
    expect((await ann.get(made[0].contact_uri)).status).toBe(200)
  })

  test('returns 400 without an ID, and names an unknown one without removing any contact', async () => {
    const { contacts_uri: uri } = await list()
    await ann.post(uri, { form: { id: made[0].id } })
    expect(await ann.delete(uri)).toMatchObject({ status: 400, body: { errors: [{ field: 'id' }] } })
    expect((await ann.delete(`${uri}?id=${made[0].id},999999`)).status).toBe(404)
    expect(await idsIn(uri)).toEqual([made[0].id])
  })
})

test('deleteContact removes the contact from its lists', async () => {
  const { id, contacts_uri: uri } = await list()
  const gone = await contact(ann, 'Gone')
  await ann.post(uri, { form: { id: gone.id } })
  await ann.delete(gone.contact_uri)
  expect((await ann.get(`${LISTS}${id}/`)).body.contacts).toBe(0)
})

test('addContactListContacts and deleteContact succeed for the same contacts concurrently', async () => {
  const carl = await world.person()
  const [one, two] = [await list(carl), await list(carl)]
  const people: Reply['body'][] = []
  for (let at = 0; at < 10; at++) people.push(await contact(carl, `Fleeting ${at}`))
  const add = (uri: string, some: Reply['body'][]) => carl.post(uri, { json: { id: some.map(({ id }) => id) } })
  const replies = await Promise.all([
    ...people.map((person, at) => add(at % 2 ? one.contacts_uri : two.contacts_uri, [person, ...people.slice(5)])),
    carl.post(`/api/v2/contact-lists/${one.id}/contacts/`, { form: { contact_list: two.id } }),
    carl.post(`/api/v2/contact-lists/${two.id}/contacts/`, { form: { contact_list: one.id } }),
    ...people.slice(0, 5).map(({ contact_uri: uri }) => carl.delete(uri)),
  ])
  expect(replies.map(({ status }) => status).filter((status) => ![200, 201, 404].includes(status))).toEqual([])
  expect(replies.slice(-5).map(({ status }) => status)).toEqual(Array(5).fill(200))
})
