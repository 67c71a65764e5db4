import { beforeAll, describe, expect, it } from '@jest/globals'
import { type Person, useWorld } from '../../support/world.ts'

// What the official Node and Go clients send, as their source has it: JSON with its Content-Type on every method, a slash
// at the end, and the whole object back with an update. test/api/clients.test.ts has how they create surveys.

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

describe('list', () => {
  it('takes any arguments', async () => {
    const every: Record<string, string>[] = [
      { '_created_at>': '2013-11-04' },
      { 'created_at>2013-11-04': '' },
      { survey: String(survey.id) },
    ]
    for (const args of every)
      for (const type of ['surveys', 'collectors', 'contacts', 'templates', 'embed', 'webhooks'])
        expect([type, args, (await list(type, args)).status]).toEqual([type, args, 200])
  })
  it('takes no credentials from the address', async () => {
    const url = `${world.base}${root}/surveys/?access_token=x`
    expect((await fetch(url)).status).toBe(401)
  })
})

describe('getChild', () => {
  it('gets a collector of a survey, the example of both READMEs', async () => {
    const made = (await createChild('surveys', survey.id, 'collectors', { name: 'Letter' })).body
    expect((await getChild('surveys', survey.id, 'collectors', made.id)).body).toEqual(made)
  })
  it('gets a contact of a list', async () => {
    const contact = (await create('contacts', { name: 'Bob', email: 'bob@example.org' })).body
    const made = (await create('contact-lists', { name: 'Regulars' })).body
    await createChild('contact-lists', made.id, 'contacts', { id: contact.id })
    expect((await getChild('contact-lists', made.id, 'contacts', contact.id)).body).toEqual(contact)
  })
})

describe('createChild', () => {
  it('creates a report with a title, with a name, and with nothing', async () => {
    for (const [data, title] of [
      [{ title: 'Spring' }, 'Spring'],
      [{ name: 'Spring' }, 'Summary Report'],
      [{}, 'Summary Report'],
    ] as const)
      expect((await createChild('surveys', survey.id, 'reports', data)).body.title).toBe(title)
    expect((await listChildren('surveys', survey.id, 'reports')).body.count).toBe(3)
  })
  it('shares a survey with a group', async () => {
    const group = (await ann.post('/api/v2/groups/', { form: { name: 'Team' } })).body
    const reply = await createChild('surveys', survey.id, 'groups', { group: String(group.id) })
    expect([reply.status, reply.body]).toEqual([200, 'OK'])
    expect((await listChildren('surveys', survey.id, 'groups')).body.results).toMatchObject([{ id: group.id }])
  })
  it('invites one person', async () => {
    const text = { subject: 'Tea?', sender: 'Ann <ann@example.org>', message: 'Come: [Invite Link]' }
    const reply = await createChild('surveys', survey.id, 'invites', { ...text, name: 'Eve', email: 'eve@example.org' })
    expect([reply.status, reply.body.num_recipients]).toEqual([201, 1])
    expect((await listChildren('surveys', survey.id, 'invites')).body.results).toMatchObject([{ name: 'Eve' }])
  })
  it('makes invite codes', async () => {
    const { body } = await createChild('surveys', survey.id, 'invite-codes', { count: '1' })
    expect(body.invites[0].invite_url).toContain(`?code=${body.invites[0].code}`)
  })
})

describe('update', () => {
  const structure = { title: 'Kept', form: [] }
  it.each([
    ['surveys', { name: 'Before' }, { name: 'After' }],
    ['contacts', { name: 'Carl', email: 'carl@example.org', city: 'Oslo' }, { city: 'Bergen' }],
    ['contact-lists', { name: 'Before' }, { name: 'After' }],
    ['templates', { name: 'Before', structure }, { name: 'After' }],
    ['embed', { kind: 'link' }, { kind: 'popup' }],
    ['collectors', { name: 'Before' }, { name: 'After' }],
  ])('sends back the whole of %s with one member changed', async (type, data, change) => {
    const { id } = (await create(type, ['embed', 'collectors'].includes(type) ? { ...data, survey: survey.id } : data))
      .body
    const whole = (await get(type, id)).body
    const reply = await update(type, id, { ...whole, ...change })
    expect([type, reply.status]).toEqual([type, 200])
    expect((await get(type, id)).body).toMatchObject(change)
    expect((await remove(type, id)).text).toBe('"OK"')
  })
})

describe('create', () => {
  it('subscribes by event_type, and values that were kept as text are read', async () => {
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
  ])('takes live as %j', async (live, shown) => {
    const { status, body } = await create('surveys', { name: 'Live', live })
    expect([status, body.live]).toEqual([201, shown])
  })
})
