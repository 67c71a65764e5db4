import { beforeAll, describe, expect, test } from '@jest/globals'
import { makeSurvey } from '../../support/responses.ts'
import { type Person, useWorld } from '../../support/world.ts'

/** Differences between contract and service that fuzzing has found in version 2. */
const world = useWorld()
let ann: Person
beforeAll(async () => {
  ann = await world.person()
})

describe('errors', () => {
  test('have only a code and a description for invalid answers and unknown objects', async () => {
    const { status, body } = await ann.post(`/api/v2/surveys/${await makeSurvey(ann)}/responses/`, { json: { q1: 9 } })
    expect(status).toBe(500)
    expect(Object.keys(body)).toEqual(['code', 'description'])
    expect(Object.keys((await ann.get('/api/v2/surveys/999999/')).body)).toEqual(['code', 'description'])
  })
})

describe('addContactListContacts', () => {
  test('returns 400 for contacts and a contact list given together', async () => {
    const list = (await ann.post('/api/v2/contact-lists/', { json: { name: 'All' } })).body.list
    const both = await ann.post(list.contacts_uri, { json: { contacts: '1', contact_list: 2 } })
    expect(both.body.description).toBe('body: contacts and contact_list cannot be combined')
    expect((await ann.post(list.contacts_uri, { json: {} })).status).toBe(400)
  })
})

describe('createContact', () => {
  test('returns 400 with the name of an invalid custom field', async () => {
    const json = { name: 'A', email: 'a@example.org', 'custom_[': 'x' }
    const { body } = await ann.post('/api/v2/contacts/', { json })
    expect(body.description).toMatch(/^custom_\[: cannot be the name of a custom field/)
  })
})

describe('createGroup', () => {
  test('returns the code of an invalid name', async () => {
    const { status, body } = await ann.post('/api/v2/groups/', { json: { name: 'a b' } })
    expect([status, body.code, body.errors[0].code]).toEqual([400, 'invalid_request', 'invalid_name'])
  })

  test('returns one error for an empty name', async () => {
    const { body } = await ann.post('/api/v2/groups/', { json: { name: '' } })
    expect(body.description).toBe('name: must not be empty')
  })
})
