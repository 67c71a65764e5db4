import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { signInAs } from '../../support/http-browser.ts'
import { useMailbox } from '../../support/mailbox.ts'
import { type Person, useWorld } from '../../support/world.ts'

const mailbox = useMailbox()
const world = useWorld({ smtp: () => mailbox.url })
const text = { subject: 'Tea?', sender: 'Ann <ann@example.org>', message: 'Come, [Full Name]: [Invite Link]' }
let ann: Person
let uri: string
const contact = async (name: string) =>
  (await ann.post('/api/v3/contacts/', { form: { name, email: `${name}@example.net` } })).body
beforeAll(async () => {
  ann = await world.person()
  uri = (await ann.post('/api/v3/surveys/', { form: { name: 'Tea' } })).body.send_invite_uri
})
beforeEach(() => {
  mailbox.messages = []
})

describe('sendSurveyInvites, listSurveyInvites', () => {
  test('accept contacts or contact_list, and return the times of each invitation', async () => {
    const [bob, eve] = [await contact('bob'), await contact('eve')]
    const reply = await ann.post(uri, { form: { ...text, contacts: `${bob.id},${eve.id}` } })
    expect(reply.status).toBe(201)
    expect(reply.body).toEqual({
      email: expect.any(Number),
      status: 'scheduled',
      collector: expect.any(Number),
      num_recipients: 2,
      scheduled: world.now.toISOString(),
    })
    expect((await ann.get(uri)).body.results).toMatchObject([{ status: 'Scheduled', sent_at: null }, {}])
    await world.runJobs()
    expect((await ann.get(uri)).body).toMatchObject({ count: 2, next: null })
    expect((await ann.get(uri)).body.results[0]).toEqual({
      contact: bob.id,
      contact_uri: bob.contact_uri,
      name: 'bob',
      email: 'bob@example.net',
      code: expect.any(String),
      invite_url: expect.stringMatching(/\?code=\w{8}$/),
      collector: reply.body.collector,
      status: 'Sent',
      created_at: world.now.toISOString(),
      sent_at: world.now.toISOString(),
      viewed_at: null,
      completed_at: null,
      bounced_at: null,
      unsubscribed_at: null,
      response: null,
      response_uri: null,
    })
    const list = (await ann.post('/api/v3/contact-lists/', { form: { name: 'L' } })).body
    await ann.post(list.contacts_uri, { form: { id: bob.id } })
    expect((await ann.post(uri, { json: { ...text, contact_list: list.id, scheduled: '1d' } })).status).toBe(201)
    expect((await ann.get(uri)).body.count).toBe(2)
  })

  test('return the time when a recipient unsubscribed, and the page of the invitation shows it', async () => {
    const { id, contact_uri } = await contact('una')
    await ann.post(uri, { form: { ...text, contacts: id } })
    await world.runJobs()
    const { results } = (await ann.get(`${uri}?page_size=100`)).body
    const invited = async () =>
      (await ann.get(`${uri}?page_size=100`)).body.results.find(({ contact }: { contact: number }) => contact === id)
    expect(results.length).toBeGreaterThan(0)
    expect(await invited()).toMatchObject({ unsubscribed_at: null })
    const [, link] = /<(http[^>]*\/unsubscribe\/[^>]*)>/.exec(
      mailbox.sentTo('una@example.net')[0]!.headers['list-unsubscribe']!,
    )!
    await world.anonymous.post(new URL(link!).pathname, { form: { 'List-Unsubscribe': 'One-Click' } })
    expect((await ann.get(contact_uri)).body.unsubscribed).toBe(true)
    expect(await invited()).toMatchObject({ status: 'Sent', unsubscribed_at: world.now.toISOString() })
    const page = await signInAs(ann)
    const [, path] = /href="([^"]*\/invitations\/\d+\/)"/.exec(
      (await page.get(new URL(uri).pathname.replace('/api/v3/', '/account/').replace('invites', 'invitations'))).text,
    )!
    expect((await page.get(path!)).text).toMatch(/<li>Unsubscribed <span class="soft"><time/)
  })

  test('return an error and store nothing without recipients, with both kinds of recipients, for an unknown contact, and for a message without the invite link', async () => {
    const { id } = await contact('carl')
    const invalid: [object, number][] = [
      [{}, 400],
      [{ contacts: id, contact_list: 1 }, 400],
      [{ contacts: `${id},99999` }, 404],
      [{ contact_list: 99999 }, 404],
      [{ contacts: id, message: 'Come' }, 400],
      [{ contacts: id, scheduled: 'soon' }, 400],
      [{ contacts: id, collector: 99999 }, 404],
    ]
    for (const [fields, status] of invalid)
      expect((await ann.post(uri, { json: { ...text, ...fields } })).status).toBe(status)
    const before = (await ann.get(uri)).body.count
    await world.runJobs()
    expect(mailbox.sentTo('carl@example.net')).toEqual([])
    expect((await ann.get(uri)).body.count).toBe(before)
    expect((await (await world.person()).post(uri, { json: { ...text, contacts: id } })).status).toBe(404)
  })
})

describe('reportBounce', () => {
  const bounces = '/api/v3/bounces/'
  const statusOf = async (id: number) => {
    const { results } = (await ann.get(`${uri}?page_size=100`)).body
    return results.find(({ contact }: { contact: number }) => contact === id).status
  }

  test('sets the status Bounced of the invitation that a Message-ID or a recipient identifies', async () => {
    const [dan, fay] = [await contact('dan'), await contact('fay')]
    await ann.post(uri, { form: { ...text, contacts: `${dan.id},${fay.id}` } })
    await world.runJobs()
    const messageId = mailbox.sentTo('dan@example.net')[0]!.headers['message-id']!
    expect(await ann.post(bounces, { json: { message_id: messageId, type: 'soft' } })).toMatchObject({ status: 200 })
    expect(await statusOf(dan.id)).toBe('Sent')
    const reply = await ann.post(bounces, { json: { message_id: messageId.slice(1, -1), reason: '550 no such user' } })
    expect(reply).toMatchObject({ status: 200, body: 'OK' })
    expect(await statusOf(dan.id)).toBe('Bounced')
    expect((await ann.post(bounces, { form: { recipient: 'FAY@example.net', type: 'hard' } })).status).toBe(200)
    expect(await statusOf(fay.id)).toBe('Bounced')
  })

  test('stops all mail to the address after a complaint', async () => {
    const gus = await contact('gus')
    await ann.post(uri, { form: { ...text, contacts: gus.id } })
    await world.runJobs()
    await ann.post(bounces, { form: { recipient: 'gus@example.net', type: 'complaint' } })
    expect((await ann.get(gus.contact_uri)).body.unsubscribed).toBe(true)
    const zoe = await contact('zoe')
    await ann.post(uri, { form: { ...text, contacts: zoe.id } })
    await world.runJobs()
    await ann.delete(zoe.contact_uri)
    await ann.post(bounces, { form: { recipient: '\u200bZOE@example.net ', type: 'complaint' } })
    expect((await contact('zoe')).unsubscribed).toBe(true)
  })

  test('returns an error if message_id and recipient are missing, and for an unknown message or a message of another account', async () => {
    expect((await ann.post(bounces, { form: { type: 'hard' } })).status).toBe(400)
    expect((await ann.post(bounces, { form: { recipient: 'x@example.net', type: 'lost' } })).status).toBe(400)
    const unknown = { status: 404, body: { code: 'message_not_found' } }
    const invalidIds = ['<1.abc@x>', 'nonsense', ' '].map((id) => ({ message_id: id }))
    for (const json of [{ recipient: 'unknown@example.net' }, { recipient: ' ' }, ...invalidIds])
      expect(await ann.post(bounces, { json })).toMatchObject(unknown)
    const hal = await contact('hal')
    await ann.post(uri, { form: { ...text, contacts: hal.id } })
    await world.runJobs()
    const other = await world.person()
    expect(await other.post(bounces, { form: { recipient: 'hal@example.net' } })).toMatchObject(unknown)
    expect((await world.anonymous.post(bounces, { form: { recipient: 'hal@example.net' } })).status).toBe(401)
  })
})

describe('eraseContact', () => {
  test('deletes and counts invitations and logged messages', async () => {
    const ida = await contact('ida')
    for (let times = 0; times < 2; times++) await ann.post(uri, { form: { ...text, contacts: ida.id } })
    await world.runJobs()
    const { body } = await ann.post(`${ida.contact_uri}erase/`)
    expect(body).toMatchObject({ contact: 1, invites: 1, messages: 2 })
    expect(JSON.stringify((await ann.get(`${uri}?page_size=100`)).body)).not.toContain('ida')
  })
})
