import { beforeAll, describe, expect, test } from '@jest/globals'
import { makeSurvey } from '../../support/responses.ts'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
let ann: Person
beforeAll(async () => {
  ann = await world.person({ isDeveloper: true })
})

const ONE = {
  title: 'One',
  form: [{ type: 'page', children: [{ idname: 'text-response', id: 'a', title: 'A' }] }],
}

describe('createSurvey', () => {
  test('accepts the name in the query, with an empty body or without a body', async () => {
    for (const sent of [{}, { form: {} }, { json: {} }]) {
      const { status, body } = await ann.post('/api/v2/surveys/?name=Caf%C3%A9+2', sent)
      expect([status, body.name]).toEqual([200, 'Café 2'])
    }
    expect((await ann.post('/api/v2/surveys/?name=Query', { json: { name: 'Body' } })).body.name).toBe('Body')
  })
  test('returns 400 without a name', async () => {
    for (const search of ['', '?name=', '?name=%20']) {
      const { status, body } = await ann.post(`/api/v2/surveys/${search}`, { json: {} })
      expect([status, body.description]).toEqual([400, expect.stringContaining('name: ')])
    }
  })
})

describe('renameSurvey', () => {
  test('accepts the name in the query', async () => {
    const survey = await makeSurvey(ann, ONE)
    expect((await ann.post(`/api/v2/surveys/${survey}/rename/?name=Two`)).body.name).toBe('Two')
    expect((await ann.get(`/api/v2/surveys/${survey}/`)).body.name).toBe('Two')
    expect((await ann.post(`/api/v2/surveys/${survey}/rename/`)).status).toBe(400)
  })
})

describe('updateResponse', () => {
  test('accepts completed as true, 1, false, 0 and 2', async () => {
    const survey = await makeSurvey(ann, ONE)
    const { id } = (await ann.post(`/api/v2/surveys/${survey}/responses/`, { json: { a: 'x' } })).body
    const path = `/api/v2/surveys/${survey}/responses/${id}/`
    const expected = { false: 0, true: 1, '0': 0, '1': 1, False: 0, True: 1, '2': 2 }
    for (const [word, completed] of Object.entries(expected)) {
      expect([word, (await ann.put(`${path}?completed=${word}`)).status]).toEqual([word, 200])
      expect([word, (await ann.get(path)).body.responses[0]._completed]).toEqual([word, completed])
    }
    expect((await ann.put(`${path}?completed=3`)).status).toBe(400)
  })
})

describe('createUserAlias', () => {
  test('also creates an account under /accounts/users/', async () => {
    const { status, body } = await ann.post('/api/v2/accounts/users/', { form: { email: 'new@example.org' } })
    expect(status).toBe(200)
    expect(body.password).toEqual(expect.any(String))
    expect((await world.anonymous.with('new@example.org', body.password).get('/api/v2/me')).body.user.id).toBe(body.id)
  })
})

describe('subscribeWebhook', () => {
  test('accepts event_type, the name of this property in its replies', async () => {
    const json = { subscription_url: 'http://127.0.0.1:9/hook', event_type: 'contact_create' }
    const { status, body } = await ann.post('/api/v2/webhooks/subscribe/', { json })
    expect([status, body.event_type]).toEqual([201, 'contact_create'])
  })
})

describe('addContactListContacts', () => {
  test('accepts contacts[] in a form', async () => {
    const list = (await ann.post('/api/v2/contact-lists/', { form: { name: 'L' } })).body.list
    const ids: number[] = []
    for (const name of ['a', 'b'])
      ids.push((await ann.post('/api/v2/contacts/', { form: { name, email: `${name}@x.org` } })).body.contact.id)
    const form = ids.map((id): [string, string] => ['contacts[]', String(id)])
    expect((await ann.post(list.contacts_uri, { form })).body).toEqual({ added: 2 })
    const removal = await ann.delete(`${list.contacts_uri}?contacts[]=${ids[0]}`)
    expect([removal.status, (await ann.get(list.contacts_uri)).body.total]).toEqual([200, 1])
  })
})
