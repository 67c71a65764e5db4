import { beforeAll, describe, expect, test } from '@jest/globals'
import type { Reply } from '../../support/client.ts'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
let ann: Person
let bob: Person
beforeAll(async () => {
  ann = await world.person()
  bob = await world.person()
})

const CONTACTS = '/api/v3/contacts/'
const create = async (caller: Person, form: Record<string, string>): Promise<Reply['body']> => {
  const reply = await caller.post(CONTACTS, { form })
  expect(reply.status).toBe(201)
  return reply.body
}

describe('createContact', () => {
  test('creates a contact from a form with name, email and custom fields, which getContact returns [spec 8.2]', async () => {
    const reply = await ann.post(CONTACTS, { form: { name: ' Ann Lee ', email: 'ann@lee.example', city: 'Bergen' } })
    expect(reply.status).toBe(201)
    expect(reply.headers.get('location')).toBeNull()
    expect(reply.body).toEqual({
      id: expect.any(Number),
      contact_uri: `${world.base}${CONTACTS}${reply.body.id}/`,
      name: 'Ann Lee',
      email: 'ann@lee.example',
      unsubscribed: false,
      city: 'Bergen',
    })
    expect((await ann.get(reply.body.contact_uri)).body).toEqual(reply.body)
  })

  test.each(['\r\nBcc: x@example.org', '\n', '\t', '\u0085', '\u2028', '\u001b'])(
    'rejects a name with the control character %j, in a new and in an existing contact, in a form and in CSV',
    async (character) => {
      const name = `Ann${character}Lee`
      const json = { name, email: 'control@example.org' }
      const replies = [await ann.post(CONTACTS, { json }), await ann.post(CONTACTS, { form: json })]
      for (const { status, body } of replies)
        expect([status, body.errors]).toMatchObject([400, [{ code: 'multiple_lines' }]])
      const { contact_uri } = (await ann.post(CONTACTS, { json: { ...json, name: 'Ann' } })).body
      expect((await ann.put(contact_uri, { json: { name } })).body.errors).toMatchObject([{ code: 'multiple_lines' }])
      await ann.delete(contact_uri)
    },
  )

  test('creates a custom field for a new field name in any script [spec 8.1]', async () => {
    const created = await create(ann, {
      name: 'New field',
      email: 'n@f.example',
      'Любимый цвет': 'синий',
      constructor: 'x',
    })
    expect(created).toMatchObject({ 'Любимый цвет': 'синий', constructor: 'x' })
    expect((await ann.get(`${CONTACTS}csv/`)).text).toMatch(/^name,email,unsubscribed,.*Любимый цвет/)
    expect((await bob.get(`${CONTACTS}csv/`)).text).toMatch(/^name,email,unsubscribed\r\n/)
  })

  test('accepts JSON, form and multipart, and converts numbers and booleans to text', async () => {
    const members = { email: 'thrice@x.example', floor: '3' }
    for (const sent of [
      { json: { ...members, name: 'json', floor: 3, gone: null, vip: true } },
      { form: { ...members, name: 'form' } },
      { multipart: { ...members, name: 'multipart' } },
    ])
      expect(await ann.post(CONTACTS, sent)).toMatchObject({ status: 201, body: members })
  })

  test.each([
    ['no name', { email: 'a@b.example' }, 'name'],
    ['a blank name', { name: '  ', email: 'a@b.example' }, 'name'],
    ['a name of 256 characters', { name: 'x'.repeat(256), email: 'a@b.example' }, 'name'],
    ['no email address', { name: 'A' }, 'email'],
    ['an email address without a domain', { name: 'A', email: 'ann@' }, 'email'],
    ['two addresses', { name: 'A', email: 'a@b.example,c@d.example' }, 'email'],
    ['a line break in the address', { name: 'A', email: 'a@b.example\nBcc: x@y.example' }, 'email'],
    ['an address of 255 characters', { name: 'A', email: `a@${'x'.repeat(245)}.example` }, 'email'],
    ['a field called id', { name: 'A', email: 'a@b.example', id: '7' }, 'id'],
    ['a field called unsubscribed', { name: 'A', email: 'a@b.example', unsubscribed: 'true' }, 'unsubscribed'],
    ['a field called contact_uri', { name: 'A', email: 'a@b.example', contact_uri: 'x' }, 'contact_uri'],
    ['a field with brackets', { name: 'A', email: 'a@b.example', 'q[1]': 'x' }, 'q[1]'],
    ['a value of 2001 characters', { name: 'A', email: 'a@b.example', long: 'x'.repeat(2001) }, 'long'],
  ])('returns 400 with the name of the field for %s', async (_, form, field) => {
    const reply = await bob.post(CONTACTS, { form: form as Record<string, string> })
    expect(reply.status).toBe(400)
    expect(reply.body.errors.map((fieldError: { field: string }) => fieldError.field)).toEqual([field])
    expect((await bob.get(CONTACTS)).body.count).toBe(0)
  })

  test('returns 409 for the same name and email address in any case', async () => {
    await create(ann, { name: 'Twin', email: 'twin@x.example' })
    const again = await ann.post(CONTACTS, { form: { name: 'Twin', email: 'TWIN@x.example' } })
    expect(again).toMatchObject({ status: 409, body: { code: 'contact_exists', errors: [{ field: 'email' }] } })
    await create(ann, { name: 'Other Twin', email: 'twin@x.example' })
    await create(bob, { name: 'Twin', email: 'twin@x.example' })
  })

  test('creates one contact from twenty concurrent requests', async () => {
    const form = { name: 'Race', email: 'race@x.example', lap: '1', [`f${Math.random()}`]: 'x' }
    const replies = await Promise.all(Array.from({ length: 20 }, () => ann.post(CONTACTS, { form })))
    expect(replies.map(({ status }) => status).sort()).toEqual([201, ...Array(19).fill(409)])
  })

  test('limits an address book to 250 custom fields', async () => {
    const carl = await world.person()
    const fields = (from: number, to: number) =>
      Object.fromEntries(Array.from({ length: to - from }, (_, index) => [`f${from + index}`, 'x']))
    await create(carl, { name: 'A', email: 'a@x.example', ...fields(0, 250) })
    expect((await carl.post(CONTACTS, { form: { name: 'B', email: 'b@x.example', ...fields(1, 251) } })).status).toBe(
      400,
    )
    await create(carl, { name: 'B', email: 'b@x.example', ...fields(1, 250) })
  })
})

describe('updateContact', () => {
  test('changes name, email and custom fields, keeps the others and removes a field with an empty value [spec 8.2]', async () => {
    const created = await create(ann, { name: 'Before', email: 'before@x.example', city: 'Bergen', floor: '2' })
    const reply = await ann.put(created.contact_uri, { form: { name: 'After', city: '', team: 'Blue' } })
    const { city: _, ...otherMembers } = created
    expect(reply).toMatchObject({ status: 200 })
    expect(reply.body).toEqual({ ...otherMembers, name: 'After', team: 'Blue' })
    expect((await ann.put(created.contact_uri, { json: { email: 'after@x.example' } })).body.email).toBe(
      'after@x.example',
    )
    expect(await ann.put(created.contact_uri)).toMatchObject({ status: 200, body: { name: 'After', floor: '2' } })
    expect((await ann.put(created.contact_uri, { json: { contact_uri: { '\u0000': 1 } } })).status).toBe(200)
  })

  test('returns the errors of createContact and keeps the contact unchanged', async () => {
    await create(ann, { name: 'Taken', email: 'taken@x.example' })
    const created = await create(ann, { name: 'Mine', email: 'taken@x.example' })
    expect(await ann.put(created.contact_uri, { form: { name: 'Taken' } })).toMatchObject({
      status: 409,
      body: { code: 'contact_exists' },
    })
    expect((await ann.put(created.contact_uri, { form: { email: 'invalid' } })).status).toBe(400)
    expect((await ann.put(created.contact_uri, { form: { name: 'X', 'a[b': '1' } })).status).toBe(400)
    expect((await ann.get(created.contact_uri)).body).toEqual(created)
  })

  test('returns 404 for a contact of another account', async () => {
    const created = await create(ann, { name: 'Private', email: 'private@x.example' })
    for (const reply of [
      await bob.get(created.contact_uri),
      await bob.put(created.contact_uri, { form: { name: 'X' } }),
      await bob.delete(created.contact_uri),
      await bob.get(`${CONTACTS}unknown/`),
    ])
      expect(reply.status).toBe(404)
    expect((await world.anonymous.get(created.contact_uri)).status).toBe(401)
  })

  test('succeeds for many concurrent requests', async () => {
    const { contact_uri: uri } = await create(ann, { name: 'Busy', email: 'busy@x.example' })
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, index) => ann.put(uri, { form: { [`part${index}`]: 'x' } })),
    )
    expect(replies.map(({ status }) => status)).toEqual(Array(10).fill(200))
    expect(Object.keys((await ann.get(uri)).body)).toHaveLength(15)
  })
})

describe('listContacts', () => {
  let dora: Person
  const names = (reply: Reply): string[] => reply.body.results.map(({ name }: { name: string }) => name)
  beforeAll(async () => {
    dora = await world.person()
    for (let index = 1; index <= 12; index++)
      await create(dora, {
        name: `Person ${index}`,
        email: `p${index}@mail.example`,
        city: index % 2 ? 'Ålesund' : 'a_b%c\\d"e',
      })
  })

  test('returns the paged envelope, oldest first, with 10 contacts by default and 100 at most [spec 8.2]', async () => {
    const first = await dora.get(CONTACTS)
    expect(first.body).toMatchObject({ count: 12, previous: null, next: `${world.base}${CONTACTS}?page=2` })
    expect(names(first)).toEqual(Array.from({ length: 10 }, (_, index) => `Person ${index + 1}`))
    expect(first.body.results[0]).toMatchObject({ email: 'p1@mail.example', city: 'Ålesund', unsubscribed: false })
    expect(names(await dora.get(first.body.next))).toEqual(['Person 11', 'Person 12'])
    expect(names(await dora.get(`${CONTACTS}?page_size=1000`))).toHaveLength(12)
    expect((await dora.get(`${CONTACTS}?page=9`)).body).toMatchObject({ count: 12, results: [], next: null })
  })

  test.each([
    ['the name, in any case', 'pERSON 12', ['Person 12']],
    ['the email address', 'P3@MAIL', ['Person 3']],
    ['a custom field, in any case and script', 'ÅLE', [1, 3, 5, 7, 9, 11].map((index) => `Person ${index}`)],
    ['less than three characters', '12', ['Person 12']],
    ['%, _ and \\ without a special meaning', 'a_b%c\\d"e', [2, 4, 6, 8, 10, 12].map((index) => `Person ${index}`)],
    ['% alone', '%', [2, 4, 6, 8, 10, 12].map((index) => `Person ${index}`)],
    ['a text with surrounding spaces', '  person 7 ', ['Person 7']],
    ['a text that spans two fields, without a result', 'Person 1 p1@', []],
    ['the name of a field, without a result', 'city', []],
  ])('searches by %s [spec 8.2]', async (_, search, expected) => {
    const reply = await dora.get(`${CONTACTS}?search=${encodeURIComponent(search)}`)
    expect(reply.body.count).toBe(expected.length)
    expect(names(reply)).toEqual(expected)
  })

  test('finds a contact by a changed custom field, and keeps search in next', async () => {
    const { body } = await dora.get(`${CONTACTS}?search=person&page_size=5`)
    expect(body.next).toBe(`${world.base}${CONTACTS}?search=person&page_size=5&page=2`)
    const uri = body.results[0].contact_uri
    await dora.put(uri, { form: { nickname: 'Zaphod' } })
    expect(names(await dora.get(`${CONTACTS}?search=zaph`))).toEqual(['Person 1'])
    await dora.put(uri, { form: { nickname: '' } })
    expect(names(await dora.get(`${CONTACTS}?search=zaph`))).toEqual([])
  })

  test('returns no contacts of another account', async () => {
    expect((await bob.get(`${CONTACTS}?search=mail.example`)).body.count).toBe(0)
  })
})

describe('deleteContact [spec 8.2]', () => {
  test('returns "OK", after which the contact is not found', async () => {
    const { contact_uri: uri } = await create(ann, { name: 'Gone', email: 'gone@x.example' })
    expect(await ann.delete(uri, { headers: { 'content-type': 'text/plain' } })).toMatchObject({
      status: 200,
      text: '"OK"',
    })
    expect(await ann.get(uri)).toMatchObject({ status: 404, body: { code: 'contact_not_found' } })
    expect((await ann.delete(uri)).status).toBe(404)
  })
})

describe('an address with format characters', () => {
  test.each(['\u200bann', '\u202aann', 'an\u00adn', ' ann'])('%j is the address without them', async (local) => {
    const owner = await world.person()
    const path = '/api/v3/contacts/'
    const created = await owner.post(path, { json: { name: 'Ann', email: `${local}@example.org\u200b` } })
    expect(created.body).toMatchObject({ email: 'ann@example.org' })
    const again = await owner.post(path, { json: { name: 'Ann', email: 'ANN@example.org' } })
    expect(again.status).toBe(409)
    const csv = `name,email\r\nAnn,${local}@example.org\r\nAnn,ann@example.org\r\n`
    const imported = await owner.post(`${path}csv/`, { body: csv, headers: { 'content-type': 'text/csv' } })
    expect(imported.body).toMatchObject({ created: 0, updated: 1 })
  })
})
