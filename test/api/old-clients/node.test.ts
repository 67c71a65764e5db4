import { beforeAll, describe, expect, it } from '@jest/globals'
import { makeGroup } from '../../support/groups.ts'
import { type Person, useWorld } from '../../support/world.ts'

// The requests of the official Node and Go clients, taken from their source: JSON with its Content-Type for every
// method, a trailing slash, and updates with the whole object. test/api/clients.test.ts covers the creation of surveys.

const world = useWorld()
let ann: Person
let survey: { id: number; name: string }

type Data = Record<string, unknown>
const headers = { accept: 'application/json', 'content-type': 'application/json' }
const root = '/api/v3'

const list = (type: string, args: Record<string, string> = {}) =>
  ann.get(`${root}/${type}/?${new URLSearchParams(args)}`, { headers })
const create = (type: string, data: Data) => ann.post(`${root}/${type}/`, { body: JSON.stringify(data), headers })
const get = (type: string, id: number) => ann.get(`${root}/${type}/${id}/`, { headers })
const update = (type: string, id: number, data: Data) =>
  ann.put(`${root}/${type}/${id}/`, { body: JSON.stringify(data), headers })
const remove = (type: string, id: number) => ann.delete(`${root}/${type}/${id}/`, { headers })
const listChildren = (type: string, id: number, child: string) => list(`${type}/${id}/${child}`)
const createChild = (type: string, id: number, child: string, data: Data) => create(`${type}/${id}/${child}`, data)
const getChild = (type: string, id: number, child: string, childId: number) => get(`${type}/${id}/${child}`, childId)

beforeAll(async () => {
  ann = await world.person({ username: 'ann' })
  survey = (await create('surveys', { name: 'Tea' })).body
})

describe('list() of the Node client', () => {
  it('accepts any arguments', async () => {
    const argumentLists: Record<string, string>[] = [
      { '_created_at>': '2013-11-04' },
      { 'created_at>2013-11-04': '' },
      { survey: String(survey.id) },
    ]
    for (const args of argumentLists)
      for (const type of ['surveys', 'collectors', 'contacts', 'templates', 'embed', 'webhooks'])
        expect([type, args, (await list(type, args)).status]).toEqual([type, args, 200])
  })
  it('returns 401 for credentials in the URL', async () => {
    const url = `${world.base}${root}/surveys/?access_token=x`
    expect((await fetch(url)).status).toBe(401)
  })
})

describe('getChild() of the Node client', () => {
  it('returns a collector of a survey, as in both READMEs', async () => {
    const created = (await createChild('surveys', survey.id, 'collectors', { name: 'Letter' })).body
    expect((await getChild('surveys', survey.id, 'collectors', created.id)).body).toEqual(created)
  })
  it('returns a contact of a list', async () => {
    const contact = (await create('contacts', { name: 'Bob', email: 'bob@example.org' })).body
    const created = (await create('contact-lists', { name: 'Regulars' })).body
    await createChild('contact-lists', created.id, 'contacts', { id: contact.id })
    expect((await getChild('contact-lists', created.id, 'contacts', contact.id)).body).toEqual(contact)
  })
})

describe('createChild() of the Node client', () => {
  it('creates a report with a title, with a name, and without both', async () => {
    for (const [data, title] of [
      [{ title: 'Spring' }, 'Spring'],
      [{ name: 'Spring' }, 'Summary Report'],
      [{}, 'Summary Report'],
    ] as const)
      expect((await createChild('surveys', survey.id, 'reports', data)).body.title).toBe(title)
    expect((await listChildren('surveys', survey.id, 'reports')).body.count).toBe(3)
  })
  it('shares a survey with a group', async () => {
    const group = await makeGroup(ann)
    const reply = await createChild('surveys', survey.id, 'groups', { group: String(group) })
    expect([reply.status, reply.body]).toEqual([200, 'OK'])
    expect((await listChildren('surveys', survey.id, 'groups')).body.results).toMatchObject([{ id: group }])
  })
  it('invites one person', async () => {
    const text = { subject: 'Tea?', sender: 'Ann <ann@example.org>', message: 'Come: [Invite Link]' }
    const reply = await createChild('surveys', survey.id, 'invites', { ...text, name: 'Eve', email: 'eve@example.org' })
    expect([reply.status, reply.body.num_recipients]).toEqual([201, 1])
    expect((await listChildren('surveys', survey.id, 'invites')).body.results).toMatchObject([{ name: 'Eve' }])
  })
  it('creates invite codes', async () => {
    const { body } = await createChild('surveys', survey.id, 'invite-codes', { count: '1' })
    expect(body.invites[0].invite_url).toContain(`?code=${body.invites[0].code}`)
  })
})

describe('update() of the Node client', () => {
  const structure = { title: 'Template', form: [] }
  it.each([
    ['surveys', { name: 'Before' }, { name: 'After' }],
    ['contacts', { name: 'Carl', email: 'carl@example.org', city: 'Oslo' }, { city: 'Bergen' }],
    ['contact-lists', { name: 'Before' }, { name: 'After' }],
    ['templates', { name: 'Before', structure }, { name: 'After' }],
    ['embed', { kind: 'link' }, { kind: 'popup' }],
    ['collectors', { name: 'Before' }, { name: 'After' }],
  ])('accepts the object of GET for %s with one changed property', async (type, data, change) => {
    const { id } = (await create(type, ['embed', 'collectors'].includes(type) ? { ...data, survey: survey.id } : data))
      .body
    const object = (await get(type, id)).body
    const reply = await update(type, id, { ...object, ...change })
    expect([type, reply.status]).toEqual([type, 200])
    expect((await get(type, id)).body).toMatchObject(change)
    expect((await remove(type, id)).text).toBe('"OK"')
  })
})

describe('create() of the Node client', () => {
  it('creates a webhook with event_type, and with IDs as text', async () => {
    const subscription_url = 'http://127.0.0.1:9/node'
    const data = { subscription_url, event_type: 'response_complete', survey: String(survey.id) }
    const { status, body } = await create('webhooks', data)
    expect([status, body.event, body.survey]).toEqual([201, 'response_complete', survey.id])
  })
  it.each([
    ['1', 1],
    [true, 1],
    ['False', 0],
    [0, 0],
  ])('accepts live as %j', async (live, expected) => {
    const { status, body } = await create('surveys', { name: 'Live', live })
    expect([status, body.live]).toEqual([201, expected])
  })
})
