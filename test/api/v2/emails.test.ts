import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { useMailbox } from '../../support/mailbox.ts'
import { type Person, useWorld } from '../../support/world.ts'

const mailbox = useMailbox()
const world = useWorld({ smtp: () => mailbox.url })
const draft = {
  subject: 'Tea, [Full Name]?',
  sender: 'Ann Example <ann@example.org>',
  message: 'Dear [Full Name]: [Invite Link]',
}
let ann: Person
let survey: { id: number; uri: string }
let bob: number
let eve: number
const create = async (fields: object = {}) =>
  (await ann.post(`/api/v2/emails/?survey=${survey.id}`, { json: { ...draft, ...fields } })).body
const contact = async (name: string, fields: object = {}): Promise<number> =>
  (await ann.post('/api/v2/contacts/', { json: { name, email: `${name.toLowerCase()}@example.net`, ...fields } })).body
    .contact.id

beforeAll(async () => {
  ann = await world.person({ username: 'ann' })
  const form = [
    { type: 'page', children: [{ idname: 'text-response', id: 'q', title: 'Q', children: [{ type: 'string' }] }] },
  ]
  survey = (await ann.post('/api/v2/surveys/', { json: { title: 'Tea', form } })).body
  bob = await contact('Bob')
  eve = await contact('Eve', { custom_city: 'Oslo' })
})
beforeEach(() => {
  mailbox.messages = []
  mailbox.behaviour = () => 'accept'
})

describe('createEmail', () => {
  test('creates a draft with send_uri and recipients_uri from a subject, sender and message, which getEmail returns [spec 9.6]', async () => {
    const email = await create()
    const uri = `${world.base}/api/v2/emails/${email.id}/`
    expect(email).toEqual({
      id: expect.any(Number),
      status: 'draft',
      ...draft,
      uri,
      send_uri: `${uri}send/`,
      recipients_uri: `${uri}recipients/`,
      num_recipients: 0,
      num_sent: 0,
      num_failed: 0,
      num_skipped: 0,
      footer: null,
      survey: String(survey.id),
      collector: expect.any(String),
      reminder_of: null,
      created_at: world.now.toISOString(),
      updated_at: world.now.toISOString(),
    })
    expect((await ann.get(uri)).body).toEqual(email)
  })

  test('accepts a sender without its closing bracket', async () => {
    expect((await create({ sender: 'Ann Example <ann@example.org' })).sender).toBe('Ann Example <ann@example.org>')
    expect((await create({ sender: 'ann@example.org' })).sender).toBe('ann@example.org')
  })

  test.each([
    ['message', { message: 'Please come' }],
    ['sender', { sender: 'Ann' }],
    ['sender', { sender: 'Ann <ann@example.org>, Bob <bob@example.org>' }],
    ['sender', { sender: 'Ann\r\nBcc: x@example.org <ann@example.org>' }],
    ['subject', { subject: 'Tea\r\nBcc: eve@example.org' }],
    ['subject', { subject: ' ' }],
  ])('returns 400 for an invalid %s [spec 9.4]', async (field, invalid) => {
    const reply = await ann.post(`/api/v2/emails/?survey=${survey.id}`, { json: { ...draft, ...invalid } })
    expect(reply).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
    expect(reply.body.description).toContain(field)
  })

  test('returns 404 for a survey of another account or an unknown collector and 400 without a survey', async () => {
    const carl = await world.person()
    expect((await carl.post(`/api/v2/emails/?survey=${survey.id}`, { json: draft })).status).toBe(404)
    expect((await ann.post('/api/v2/emails/', { json: draft })).status).toBe(400)
    expect((await ann.post(`/api/v2/emails/?survey=${survey.id}&collector=999`, { json: draft })).status).toBe(404)
  })
})

describe('addEmailRecipients, listEmailRecipients, removeEmailRecipients', () => {
  test('adds contacts, a contact list or a new contact, each recipient once [spec 9.6]', async () => {
    const { recipients_uri: uri, uri: emailUri } = await create()
    expect((await ann.post(uri, { form: { contacts: bob } })).body).toEqual({ added: 1 })
    expect((await ann.post(uri, { multipart: { contacts: `${bob},${eve}` } })).body).toEqual({ added: 1 })
    const { list } = (await ann.post('/api/v2/contact-lists/', { json: { name: 'L' } })).body
    const carl = await contact('Carl')
    await ann.post(list.contacts_uri, { form: { contacts: carl } })
    expect((await ann.post(uri, { form: { contact_list: list.id } })).body).toEqual({ added: 1 })
    expect(
      (await ann.post(uri, { json: { name: 'Dan', email: 'dan@example.net', custom_city: 'Bergen' } })).body,
    ).toEqual({ added: 1 })
    expect((await ann.get(emailUri)).body.num_recipients).toBe(4)

    const page = await ann.get(`${uri}?limit=2&offset=1`)
    expect(page.body).toMatchObject({
      custom: ['city'],
      start: 1,
      total: 4,
      contacts: [{ name: 'Eve', custom_city: 'Oslo' }, { name: 'Carl' }],
    })
    expect((await ann.get(`${uri}?search=oslo&survey=${survey.id}`)).body.contacts).toMatchObject([
      { id: eve, status: '' },
    ])

    expect((await ann.delete(`${uri}?contacts=${bob}`)).body).toEqual({ success: true })
    expect((await ann.delete(uri, { form: { contact_list: list.id } })).status).toBe(200)
    expect((await ann.get(uri)).body.total).toBe(2)
    expect((await ann.delete(uri)).status).toBe(400)
    await ann.delete(`/api/v2/contacts/${carl}/`)
  })

  test('names all unknown contacts and adds no contact', async () => {
    const { recipients_uri: uri } = await create()
    const reply = await ann.post(uri, { form: { contacts: `${bob},99998,99999` } })
    expect(reply).toMatchObject({ status: 404, body: { code: 'contact_not_found' } })
    expect(reply.body.description).toMatch(/99998.*99999/)
    expect((await ann.get(uri)).body.total).toBe(0)
  })

  test('returns 404 for an email of another account', async () => {
    const { recipients_uri: uri, uri: emailUri, send_uri } = await create()
    const carl = await world.person()
    for (const reply of [
      await carl.get(uri),
      await carl.post(uri, { form: { contacts: 1 } }),
      await carl.delete(`${uri}?contacts=1`),
    ])
      expect(reply).toMatchObject({ status: 404, body: { code: 'email_not_found' } })
    expect((await carl.get(emailUri)).status).toBe(404)
    expect((await carl.post(send_uri)).status).toBe(404)
    expect((await carl.delete(emailUri)).status).toBe(404)
  })
})

describe('sendEmail', () => {
  test('changes the status from draft to scheduled to sent, and gives each contact one invite code [spec 9.5, 9.6]', async () => {
    const email = await create()
    await ann.post(email.recipients_uri, { form: { contacts: `${bob},${eve}` } })
    const scheduled = await ann.post(email.send_uri)
    expect(scheduled).toMatchObject({
      status: 200,
      body: { status: 'scheduled', scheduled: world.now.toISOString(), num_recipients: 2 },
    })
    expect(scheduled.body.footer).toContain('[Unsubscribe Link]')
    const statuses = `/api/v2/contacts/?survey=${survey.id}&search=example.net`
    expect((await ann.get(statuses)).body.contacts.map((contact: { status: string }) => contact.status)).toContain(
      'Scheduled',
    )
    await world.runJobs()
    expect((await ann.get(email.uri)).body).toMatchObject({
      status: 'sent',
      num_sent: 2,
      num_failed: 0,
      num_skipped: 0,
    })
    expect(mailbox.messages.map(({ to }) => to).sort()).toEqual(['bob@example.net', 'eve@example.net'])
    const [{ text, headers }] = mailbox.sentTo('bob@example.net') as [(typeof mailbox.messages)[0]]
    expect(headers.subject).toBe('Tea, Bob?')
    const [link] = /http\S+code=\w{8}/.exec(text)!
    expect(text).toMatch(/^Dear Bob: /)
    expect((await ann.get(`${statuses}&limit=1`)).body.contacts).toMatchObject([{ name: 'Bob', status: 'Sent' }])
    expect((await world.anonymous.get(link)).text).toContain('Tea')
    expect((await ann.get(`${statuses}&limit=1`)).body.contacts).toMatchObject([{ name: 'Bob', status: 'Viewed' }])

    const second = await create()
    await ann.post(second.recipients_uri, { form: { contacts: bob } })
    await ann.post(second.send_uri)
    await world.runJobs()
    expect(mailbox.sentTo('bob@example.net')[1]!.text).toContain(link)
  })

  test.each([
    ['1d', 86_400_000],
    ['2', 172_800_000],
    ['1h30m', 5_400_000],
    ['', 0],
  ])('delays the email by the duration scheduled=%s [spec 9.6]', async (scheduled, delay) => {
    const email = await create()
    await ann.post(email.recipients_uri, { form: { contacts: bob } })
    const { body } = await ann.post(`${email.send_uri}?scheduled=${scheduled}`)
    const due = new Date(world.now.getTime() + delay)
    expect(body.scheduled).toBe(due.toISOString())
    if (delay) {
      world.now = new Date(due.getTime() - 1000)
      await world.runJobs()
      expect(mailbox.messages).toEqual([])
    }
    world.now = due
    await world.runJobs()
    expect(mailbox.messages).toHaveLength(1)
  })

  test('returns 400 without recipients or for an invalid time, and 409 for an email that is already scheduled', async () => {
    const email = await create()
    expect(await ann.post(email.send_uri)).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
    await ann.post(email.recipients_uri, { form: { contacts: bob } })
    for (const scheduled of ['soon', '1x', '-1d', '1d2', '99999w'])
      expect((await ann.post(`${email.send_uri}?scheduled=${scheduled}`)).status).toBe(400)
    expect((await ann.get(email.uri)).body.status).toBe('draft')
    expect((await ann.post(`${email.send_uri}?scheduled=1d`)).status).toBe(200)
    expect(await ann.post(email.send_uri)).toMatchObject({ status: 409, body: { code: 'email_sent' } })
    expect((await ann.post(email.recipients_uri, { form: { contacts: eve } })).status).toBe(409)
    expect((await ann.delete(email.uri)).status).toBe(200)
  })
})

describe('deleteEmail [spec 9.5]', () => {
  test('deletes a scheduled email and keeps a sent one', async () => {
    const email = await create()
    await ann.post(email.recipients_uri, { form: { contacts: bob } })
    await ann.post(`${email.send_uri}?scheduled=1d`)
    expect(await ann.delete(email.uri)).toMatchObject({ status: 200, body: { success: true } })
    expect((await ann.get(email.uri)).status).toBe(404)
    world.now = new Date(world.now.getTime() + 86_400_000)
    await world.runJobs()
    expect(mailbox.messages).toEqual([])

    const sent = await create()
    await ann.post(sent.recipients_uri, { form: { contacts: bob } })
    await ann.post(sent.send_uri)
    await world.runJobs()
    expect(await ann.delete(sent.uri)).toMatchObject({ status: 409, body: { code: 'email_sent' } })
  })
})
