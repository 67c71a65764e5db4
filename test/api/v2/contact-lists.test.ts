import { beforeAll, describe, expect, test } from '@jest/globals'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
const LISTS = '/api/v2/contact-lists/'
let ann: Person
let bob: Person
let ids: number[]
beforeAll(async () => {
  ann = await world.person()
  bob = await world.person()
  ids = []
  for (let index = 0; index < 6; index++) ids.push(await contact(ann, `P${index}`))
})

const contact = async (caller: Person, name: string): Promise<number> =>
  (await caller.post('/api/v2/contacts/', { json: { name, email: `${name}@x.example` } })).body.contact.id
const list = async (...members: number[]): Promise<{ id: number; uri: string; contacts_uri: string }> => {
  const created = (await ann.post(LISTS, { json: { name: 'L' } })).body.list
  if (members.length) await ann.post(created.contacts_uri, { form: { contacts: members.join() } })
  return created
}
const idsIn = async (uri: string): Promise<number[]> =>
  (await ann.get(`${uri}?limit=200`)).body.contacts.map(({ id }: { id: number }) => id)

describe('createContactList [spec 8.6]', () => {
  test('creates a list from JSON and requires a name', async () => {
    const reply = await ann.post(LISTS, { json: { name: 'Customers' } })
    expect(reply.status).toBe(200)
    const { id } = reply.body.list
    const uri = `${world.base}${LISTS}${id}/`
    expect(reply.body).toEqual({ list: { id, uri, contacts_uri: `${uri}contacts/`, name: 'Customers', contacts: 0 } })
    expect((await ann.get(uri)).body).toEqual(reply.body)
    expect(await ann.post(LISTS, { json: {} })).toMatchObject({
      status: 400,
      body: { description: 'name: is required' },
    })
  })
})

describe('listContactLists [spec 8.6]', () => {
  test('returns lists and total, with offset 0 and limit 10 by default', async () => {
    const carl = await world.person()
    for (let index = 0; index < 12; index++) await carl.post(LISTS, { json: { name: `L${index}` } })
    const { body } = await carl.get(LISTS)
    expect(Object.keys(body).sort()).toEqual(['lists', 'total'])
    expect(body.total).toBe(12)
    expect(body.lists).toHaveLength(10)
    expect((await carl.get(`${LISTS}?offset=11&limit=5`)).body.lists).toMatchObject([{ name: 'L11' }])
    expect((await carl.get(`${LISTS}?limit=-1`)).body.lists).toHaveLength(10)
  })
})

describe('getContactList [spec 8.4, 8.6]', () => {
  test('returns 404 for a list of another account', async () => {
    const { uri, contacts_uri } = await list()
    for (const reply of [
      await bob.get(uri),
      await bob.delete(uri),
      await bob.get(contacts_uri),
      await bob.post(contacts_uri, { form: { contacts: ids[0]! } }),
      await bob.delete(`${contacts_uri}?contacts=${ids[0]}`),
    ])
      expect(reply).toMatchObject({ status: 404, body: { code: 'contact_list_not_found' } })
  })
})

describe('deleteContactList', () => {
  test('keeps the contacts of the deleted list', async () => {
    const { uri } = await list(ids[0]!)
    expect(await ann.delete(uri)).toMatchObject({ status: 200, body: { success: true } })
    expect((await ann.get(uri)).status).toBe(404)
    expect((await ann.get(`/api/v2/contacts/${ids[0]}/`)).status).toBe(200)
  })
})

describe('listContactListContacts [spec 8.6]', () => {
  test('accepts the arguments of listContacts and returns the contacts of the list', async () => {
    const { contacts_uri: uri } = await list(...ids)
    const { body } = await ann.get(`${uri}?offset=4&limit=1`)
    expect(body).toMatchObject({ custom: [], start: 4, total: 6, contacts: [{ id: ids[4], name: 'P4' }] })
    expect((await ann.get(`${uri}?search=p3`)).body).toMatchObject({ total: 1, contacts: [{ id: ids[3] }] })
    const survey = (await ann.post('/api/v2/surveys/', { json: { title: 'S' } })).body.id
    expect((await ann.get(`${uri}?survey=${survey}&limit=1`)).body.contacts).toMatchObject([{ status: '' }])
    expect((await ann.get(`${uri}?survey=999999`)).status).toBe(404)
  })
})

describe('addContactListContacts', () => {
  test('adds the contacts of the list in the form parameter contact_list [spec 8.6]', async () => {
    const [from, to] = [await list(...ids.slice(0, 3)), await list(ids[0]!)]
    const reply = await ann.post(to.contacts_uri, { form: { contact_list: from.id } })
    expect(reply).toMatchObject({ status: 200, body: { added: 2 } })
    expect(await idsIn(to.contacts_uri)).toEqual(ids.slice(0, 3))
    expect((await ann.get(to.uri)).body.list.contacts).toBe(3)
  })

  test.each([
    ['multipart, comma-separated', (ids: number[]) => ({ multipart: { contacts: ids.join() } })],
    ['form, repeated', (ids: number[]) => ({ form: ids.map((id): [string, string] => ['contacts', String(id)]) })],
    ['form without a Content-Type', (ids: number[]) => ({ body: Buffer.from(`contacts=${ids}`) })],
    ['JSON list', (ids: number[]) => ({ json: { contacts: ids } })],
    ['JSON text', (ids: number[]) => ({ json: { contacts: ids.join(', ') } })],
  ])('adds the contacts given as %s [spec 8.6]', async (_, sent) => {
    const { contacts_uri: uri } = await list(ids[0]!)
    expect(await ann.post(uri, sent([ids[1]!, ids[0]!, ids[1]!, ids[2]!]))).toMatchObject({
      status: 200,
      body: { added: 2 },
    })
    expect(await idsIn(uri)).toEqual(ids.slice(0, 3))
  })

  test('adds the contacts of a repeated multipart field [spec 8.6]', async () => {
    const { contacts_uri: uri } = await list()
    const data = new FormData()
    for (const id of ids) data.append('contacts', String(id))
    const body = new Uint8Array(await new Response(data).arrayBuffer())
    const type = `multipart/form-data; boundary=${/^--(.+)\r\n/.exec(Buffer.from(body).toString())![1]}`
    expect((await ann.post(uri, { body, headers: { 'content-type': type } })).body).toEqual({ added: 6 })
  })

  test('creates and adds a contact from the parameters of createContact [spec 8.6]', async () => {
    const { contacts_uri: uri } = await list()
    const json = { name: 'Fresh', email: 'fresh@x.example', custom_city: 'Oslo' }
    expect((await ann.post(uri, { json })).body).toEqual({ added: 1 })
    expect((await ann.get(uri)).body.contacts).toMatchObject([json])
    expect((await ann.post(uri, { json })).status).toBe(409)
    expect((await ann.post(uri, { json: { ...json, name: 'Other', custom_name: 'x' } })).body.description).toMatch(
      /^custom_name/,
    )
  })

  test('names all unknown contacts and adds no contact', async () => {
    const { contacts_uri: uri } = await list()
    const foreign = await contact(bob, 'Foreign')
    const reply = await ann.post(uri, { form: { contacts: `${ids[0]},888888,${foreign}` } })
    expect(reply).toMatchObject({ status: 404, body: { code: 'contact_not_found' } })
    expect(reply.body.description).toContain(`888888, ${foreign}`)
    // The contract accepts IDs of sixteen digits, which no contact has (found by fuzzing).
    expect((await ann.post(uri, { form: { contacts: `${ids[0]},9999999999999999` } })).status).toBe(404)
    expect(await idsIn(uri)).toEqual([])
    expect(await ann.post(uri, { form: { contact_list: 888888 } })).toMatchObject({
      status: 404,
      body: { code: 'contact_list_not_found' },
    })
  })

  test.each([
    ['nothing', {}],
    ['contacts and contact_list together', { contacts: '1', contact_list: '1' }],
    ['ids and a new contact', { contacts: '1', name: 'X', email: 'x@y.example' }],
    ['an invalid ID', { contacts: 'P0' }],
    ['a name alone', { name: 'X' }],
  ])('returns 400 for %s', async (_, form) => {
    const { contacts_uri: uri } = await list()
    expect(await ann.post(uri, { form })).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
  })
})

describe('removeContactListContacts [spec 8.6]', () => {
  test.each([
    ['contacts in the query', (uri: string) => ann.delete(`${uri}?contacts=${ids[0]},${ids[1]}`)],
    ['contacts in a form', (uri: string) => ann.delete(uri, { form: { contacts: ids.slice(0, 2).join() } })],
    ['contacts as JSON', (uri: string) => ann.delete(uri, { json: { contacts: ids.slice(0, 2) } })],
    [
      'contact_list in the query',
      async (uri: string) => ann.delete(`${uri}?contact_list=${(await list(ids[0]!, ids[1]!)).id}`),
    ],
    [
      'contact_list in a form',
      async (uri: string) => ann.delete(uri, { form: { contact_list: (await list(ids[0]!, ids[1]!)).id } }),
    ],
  ])('removes the contacts given as %s', async (_, remove) => {
    const { contacts_uri: uri } = await list(...ids)
    expect(await remove(uri)).toMatchObject({ status: 200, body: { success: true } })
    expect(await idsIn(uri)).toEqual(ids.slice(2))
  })

  test('returns 400 without contacts and contact_list', async () => {
    const { contacts_uri: uri } = await list(ids[0]!)
    expect(await ann.delete(uri)).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
    expect(await idsIn(uri)).toEqual([ids[0]])
  })
})

test('addContactListContacts and deleteContact succeed for the same contacts concurrently', async () => {
  const [one, two] = [await list(), await list()]
  const people: number[] = []
  for (let n = 0; n < 10; n++) people.push(await contact(ann, `Temporary ${n}`.replace(' ', '')))
  const add = (uri: string, contacts: number[]) => ann.post(uri, { json: { contacts } })
  const replies = await Promise.all([
    ...people.map((id, index) => add((index % 2 ? one : two).contacts_uri, [id, ...people.slice(5)])),
    ann.post(one.contacts_uri, { form: { contact_list: two.id } }),
    ann.post(two.contacts_uri, { form: { contact_list: one.id } }),
    ...people.slice(0, 5).map((id) => ann.delete(`/api/v2/contacts/${id}/`)),
  ])
  expect(replies.map(({ status }) => status).filter((status) => ![200, 404].includes(status))).toEqual([])
  expect(replies.slice(-5).map(({ status }) => status)).toEqual(Array(5).fill(200))
})
