import { beforeAll, describe, expect, test } from '@jest/globals'
import { makeGroup } from '../../support/groups.ts'
import { useMailbox } from '../../support/mailbox.ts'
import { type Person, useWorld } from '../../support/world.ts'

const mailbox = useMailbox()
const world = useWorld({ smtp: () => mailbox.url })
let ann: Person
let survey: { id: number; survey_uri: string; send_invite_uri: string; invite_codes_uri: string; reports_uri: string }
let other: { id: number; survey_uri: string }

beforeAll(async () => {
  ann = await world.person({ username: 'ann' })
  survey = (await ann.post('/api/v3/surveys/', { form: { name: 'Tea' } })).body
  other = (await ann.post('/api/v3/surveys/', { form: { name: 'Coffee' } })).body
})

describe('getCollectorAlias, updateCollectorAlias, deleteCollectorAlias', () => {
  test('read, change and delete a collector under its survey', async () => {
    const created = (await ann.post(`${survey.survey_uri}collectors/`, { json: { name: 'Letter' } })).body
    const uri = `${survey.survey_uri}collectors/${created.id}/`
    expect((await ann.get(uri)).body).toEqual(created)
    expect((await ann.put(uri, { form: { name: 'Leaflet', live: 'False' } })).body).toEqual({
      ...created,
      name: 'Leaflet',
      live: 0,
    })
    expect((await ann.get(created.collector_uri)).body.name).toBe('Leaflet')
    expect(await ann.delete(uri)).toMatchObject({ status: 200, body: 'OK' })
    expect((await ann.get(created.collector_uri)).status).toBe(404)
  })

  test('return 404 for a collector of another survey', async () => {
    const created = (await ann.post(`${other.survey_uri}collectors/`, { json: { name: 'Letter' } })).body
    const uri = `${survey.survey_uri}collectors/${created.id}/`
    for (const reply of [await ann.get(uri), await ann.put(uri, { json: { name: 'Mine' } }), await ann.delete(uri)])
      expect([reply.status, reply.body.code]).toEqual([404, 'collector_not_found'])
    expect((await ann.get(created.collector_uri)).body).toEqual(created)
  })
})

describe('getContactListContact, removeContactListContact', () => {
  test('return a contact of a list, and remove it from the list but not from the address book', async () => {
    const list = (await ann.post('/api/v3/contact-lists/', { form: { name: 'Regulars' } })).body
    const form = { name: 'Bob', email: 'bob@example.org', city: 'Bergen' }
    const contact = (await ann.post('/api/v3/contacts/', { form })).body
    const uri = `${list.contacts_uri}${contact.id}/`
    expect((await ann.get(uri)).body.code).toBe('contact_not_found')
    expect((await ann.delete(uri)).body.code).toBe('contact_not_found')
    await ann.post(list.contacts_uri, { form: { id: contact.id } })
    expect(await ann.get(uri)).toMatchObject({ status: 200, body: contact })
    expect((await ann.get(`/api/v3/contact-lists/999999/contacts/${contact.id}/`)).body.code).toBe(
      'contact_list_not_found',
    )
    expect(await ann.delete(uri)).toMatchObject({ status: 200, body: 'OK' })
    expect((await ann.get(list.contacts_uri)).body.count).toBe(0)
    expect((await ann.get(contact.contact_uri)).body).toEqual(contact)
  })
})

describe('shareSurveyAlias', () => {
  test('shares with POST as shareSurvey does with PUT', async () => {
    const id = await makeGroup(ann)
    const reply = await ann.post(`${survey.survey_uri}groups/`, { form: { group: id } })
    expect(reply).toMatchObject({ status: 200, body: 'OK' })
    expect((await ann.get(`${survey.survey_uri}groups/`)).body.results).toMatchObject([{ id }])
    expect((await ann.post(`${survey.survey_uri}groups/`, { json: {} })).body.errors).toMatchObject([
      { field: 'group', message: 'is required' },
    ])
  })
})

describe('updateTemplate', () => {
  const structure = { title: 'Before', form: [{ children: [{ idname: 'text-response', id: 'q', title: 'Q' }] }] }
  test('changes the name or the structure alone', async () => {
    const created = (await ann.post('/api/v3/templates/', { json: { name: 'Event', structure } })).body
    expect((await ann.put(created.template_uri, { form: { name: 'Course' } })).body).toEqual({
      ...created,
      name: 'Course',
    })
    const changed = await ann.put(created.template_uri, { json: { structure: { title: 'After', form: [] } } })
    expect(changed.body).toMatchObject({ name: 'Course', structure: { title: { en: 'After' }, form: [] } })
    expect((await ann.get(created.template_uri)).body).toEqual(changed.body)
  })
  test('returns an error for an invalid structure and keeps the template unchanged', async () => {
    const created = (await ann.post('/api/v3/templates/', { json: { name: 'Event', structure } })).body
    const reply = await ann.put(created.template_uri, {
      json: { name: 'New', structure: { title: 'x', form: [{ skip: 1 }] } },
    })
    expect([reply.status, reply.body.errors[0].field]).toEqual([400, '/form/0/skip'])
    expect((await ann.get(created.template_uri)).body).toEqual(created)
    const bob = await world.person()
    expect((await bob.put(created.template_uri, { json: { name: 'Mine' } })).status).toBe(404)
  })
})

describe.each(['embeds', 'embed'])('updateEmbed under /%s/', (collection) => {
  test('changes kind, collector and survey, and returns to the default collector when the survey changes', async () => {
    const collector = (await ann.post(`${survey.survey_uri}collectors/`, { json: { name: 'Blog' } })).body
    const created = (await ann.post(`/api/v3/${collection}/`, { json: { survey: survey.id } })).body
    const uri = `/api/v3/${collection}/${created.id}/`
    expect((await ann.put(uri, { json: { kind: 'link', collector: collector.id } })).body).toMatchObject({
      kind: 'link',
      collector: collector.id,
      deploy_url: collector.deploy_url,
    })
    const moved = await ann.put(uri, { json: { survey: other.id } })
    expect(moved.body).toMatchObject({ kind: 'link', survey: other.id, collector: null })
    expect((await ann.get(uri)).body).toEqual(moved.body)
    const wrong = await ann.put(uri, { json: { collector: collector.id } })
    expect([wrong.status, wrong.body.code]).toEqual([404, 'collector_not_found'])
    expect((await ann.put(uri, { json: { kind: 'poster' } })).status).toBe(400)
  })
})

describe('requests of old clients', () => {
  test('createEmbed uses iframe without a kind', async () => {
    const { status, body } = await ann.post('/api/v3/embed/', { form: { survey: survey.id } })
    expect([status, body.kind]).toEqual([201, 'iframe'])
  })
  test.each([
    ['nothing', {}],
    ['an empty object', { json: {} }],
    ['a name', { form: { name: 'Numbers' } }],
  ])('createReport uses the title "Summary Report" for %s', async (_, sent) => {
    const { status, body } = await ann.post(survey.reports_uri, sent)
    expect([status, body.title]).toEqual([201, 'Summary Report'])
  })
  test.each([{ event_type: 'survey_create' }, { event: 'survey_create', event_type: 'response_complete' }])(
    'createWebhook accepts %j',
    async (members) => {
      const json = { subscription_url: `http://127.0.0.1:9/${JSON.stringify(members).length}`, ...members }
      const { status, body } = await ann.post('/api/v3/webhooks/', { json })
      expect([status, body.event]).toEqual([201, 'survey_create'])
    },
  )
  test.each([
    [{ event_type: 'nothing' }, 'event_type'],
    [{}, 'event'],
    [{ event_type: 'contact_create', survey: 1 }, 'body'],
  ])('createWebhook returns 400 for %j', async (members, field) => {
    const json = { subscription_url: 'http://127.0.0.1:9/no', ...members }
    const { status, body } = await ann.post('/api/v3/webhooks/', { json })
    expect([status, body.errors[0].field]).toEqual([400, field])
  })
})

describe('sendSurveyInvites', () => {
  const text = { subject: 'Tea?', sender: 'Ann <ann@example.org>', message: 'Come, [Full Name]: [Invite Link]' }
  const people = async () => (await ann.get('/api/v3/contacts/?search=eve')).body.count
  test('invites one person by name and email and creates the contact once', async () => {
    const json = { ...text, name: 'Eve', email: 'eve@example.net' }
    for (let times = 1; times <= 2; times++) {
      const reply = await ann.post(survey.send_invite_uri, { json })
      expect([reply.status, reply.body.num_recipients, await people()]).toEqual([201, 1, 1])
    }
    await world.runJobs()
    expect(mailbox.messages[0]).toMatchObject({ to: 'eve@example.net' })
  })
  test('returns 400 with the field contacts when no recipient is given', async () => {
    for (const members of [{}, { name: 'Eve' }]) {
      const { status, body } = await ann.post(survey.send_invite_uri, { json: { ...text, ...members } })
      expect([status, body.errors]).toMatchObject([400, [{ field: 'contacts', message: 'is required' }]])
    }
    const invalid = await ann.post(survey.send_invite_uri, { json: { ...text, name: 'Eve', email: 'no' } })
    expect(invalid.body.errors[0].field).toBe('email')
  })
})

describe.each(['invite_codes', 'invite-codes'])('%s with the parameters of v2', (name) => {
  test('createSurveyInviteCodes accepts count in the query and also returns the codes as invites', async () => {
    const uri = `${survey.survey_uri}${name}/`
    const { status, body } = await ann.post(`${uri}?count=2`)
    expect([status, body.count, body.invites]).toEqual([201, 2, body.results])
    expect(body.invites[0].invite_url).toContain(body.invites[0].code)
    expect((await ann.post(`${uri}?count=2`, { json: { count: 1 } })).body.count).toBe(1)
    for (const wrong of ['', '?count=0', '?count=1001', '?count=x'])
      expect((await ann.post(`${uri}${wrong}`)).body.errors[0].field).toBe('count')
  })

  test('listSurveyInviteCodes accepts offset and limit', async () => {
    const uri = `${survey.survey_uri}${name}/`
    const all = (await ann.get(`${uri}?page_size=100`)).body
    const { body, headers } = await ann.get(`${uri}?offset=1&limit=1`)
    expect(body).toMatchObject({ count: all.count, results: [all.results[1]], invites: [all.results[1]] })
    expect(body.next).toMatch(/\/invite_codes\/\?offset=2&limit=1$/)
    expect(body.previous).toMatch(/\?offset=0&limit=1$/)
    expect(headers.get('link')).toContain(`offset=${all.count - 1}&limit=1>; rel="last"`)
    expect((await ann.get(body.next)).body.results).toEqual([all.results[2]].filter(Boolean))
    expect((await ann.get(`${uri}?limit=0`)).body.results).toHaveLength(Math.min(all.count, 10))
    const beyond = (await ann.get(`${uri}?offset=1000`)).body
    expect([beyond.results, beyond.next]).toEqual([[], null])
    expect((await ann.get(beyond.previous)).body.results).not.toEqual([])
  })
})
