import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { recordReturnedMail } from '../../src/domain/email/bounce.ts'
import { listMessages } from '../../src/domain/email/progress.ts'
import { bounceNotification, createDraft, emailProgress, sendDraft } from '../support/emails.ts'
import { signInAs } from '../support/http-browser.ts'
import { useMailbox } from '../support/mailbox.ts'
import { type Person, useWorld, type World } from '../support/world.ts'

const mailbox = useMailbox()
const smtp = () => mailbox.url
const world = useWorld({ smtp, settings: { BOUNCE_ADDRESS: 'bounces@example.org' } })
const withoutAddress = useWorld({ smtp })

let ann: Person
let survey: { id: number }
beforeAll(async () => {
  ann = await world.person({ username: 'ann' })
  survey = (await ann.post('/api/v3/surveys/', { form: { name: 'Tea' } })).body
})
beforeEach(() => {
  mailbox.messages = []
  mailbox.behaviour = () => 'accept'
})

let count = 0
/** Sends an email to a new contact with an address of its own. @returns the ID of the email, the contact, and the message */
async function send(name: string, author = ann, { id } = survey, owner: World = world) {
  count += 1
  const address = `${name}${count}@example.net`
  const email = await createDraft(author, id, [{ create: { name: `${name} ${count}`, email: address } }])
  await sendDraft(author, email)
  await owner.runJobs()
  const [contact] = (await author.get(`/api/v3/contacts/?search=${address}`)).body.results
  return { email, address, contact, message: mailbox.sentTo(address)[0]! }
}
type Sent = Awaited<ReturnType<typeof send>>

/** Sends another email to the same contact. @returns the ID of the email */
async function invite({ contact }: Sent): Promise<number> {
  const email = await createDraft(ann, survey.id, [{ ids: [contact.id], field: 'contacts' }])
  await sendDraft(ann, email)
  await world.runJobs()
  return email
}

const receive = (source: string, recipients: string[] = []) =>
  recordReturnedMail(world.context(), Buffer.from(source), recipients)
const messageOf = async ({ email }: Sent) =>
  (await ann.act((context) => listMessages(context, email, { offset: 0, limit: 1 }))).messages[0]!
const statusOf = async (sent: Sent) => (await messageOf(sent)).status

describe('the envelope sender of an invitation', () => {
  test('names the message if there is a BOUNCE_ADDRESS, and has at most 64 characters before the @', async () => {
    const { message, address } = await send('bob')
    expect(message.from).toMatch(/^bounces\+\d+-[0-9a-f]{20}@example\.org$/)
    expect(message.headers.from).not.toContain('bounces')
    expect((await send('eve')).message.from).not.toBe(message.from)
    expect(`${'b'.repeat(24)}+${Number.MAX_SAFE_INTEGER}-${'f'.repeat(20)}`.length).toBeLessThanOrEqual(64)
    expect(mailbox.sentTo(address)).toHaveLength(1)
  })

  test('is the From address without one', async () => {
    const ben = await withoutAddress.person()
    const { body } = await ben.post('/api/v3/surveys/', { form: { name: 'Tea' } })
    const { message } = await send('bob', ben, body, withoutAddress)
    expect(message.headers.from).toContain(`<${message.from}>`)
  })
})

describe('a message to the bounce address', () => {
  test('ends the recipient if the address does not exist, as a refusal of the mail server does', async () => {
    const sent = await send('gone')
    expect(await statusOf(sent)).toBe('Sent')
    expect(await receive(bounceNotification(sent.message.from))).toBe('bounced')
    expect(await statusOf(sent)).toBe('Bounced')
    expect(await emailProgress(ann, sent.email)).toMatchObject({ status: 'sent', sent: 0, failed: 1 })
    expect(await messageOf(sent)).toMatchObject({ state: 'bounced', error: expect.stringContaining('550 5.1.1') })
    expect(await receive(bounceNotification(sent.message.from))).toBe('bounced')
  })

  test.each([
    ['the recipient of the message', (from: string) => [bounceNotification('postmaster@example.org'), from]],
    [
      'the returned message',
      (from: string) => [bounceNotification('x@y.example', '5.1.1', 'failed', `Return-Path: <${from}>`)],
    ],
    ['a return path in upper case', (from: string) => [bounceNotification(from.toUpperCase())]],
    [
      'the Message-ID of the returned message',
      (_: string, id: string) => [bounceNotification('x@y.example', '5.1.1', 'failed', `Message-ID: ${id}`)],
    ],
  ])('is recognised by %s', async (_, make) => {
    const { message } = await send('bob')
    const [source = '', ...recipients] = make(message.from, message.headers['message-id']!)
    expect(await receive(source, recipients)).toBe('bounced')
  })

  test('fails the message if the mail was not delivered for another reason; the address gets later mail', async () => {
    const sent = await send('bob')
    expect(await receive(bounceNotification(sent.message.from, '5.7.1'))).toBe('failed')
    expect(await emailProgress(ann, sent.email)).toMatchObject({ failed: 1 })
    mailbox.messages = []
    await invite(sent)
    expect(mailbox.messages).toHaveLength(1)
  })

  test.each([
    ['a delay', (from: string) => bounceNotification(from, '4.4.1', 'delayed'), 'ignored'],
    [
      'an out-of-office notice',
      (from: string) =>
        `From: bob@example.net\r\nTo: ${from}\r\nAuto-Submitted: auto-replied\r\n\r\nBack on Monday. 550 5.1.1`,
      'ignored',
    ],
    ['mail of strangers', () => bounceNotification('bounces@example.org'), 'foreign'],
    ['a forged token', (from: string) => bounceNotification(from.replace(/-[0-9a-f]{4}/, '-0000')), 'ignored'],
    [
      'the token of another message',
      (from: string) => bounceNotification(from.replace(/\+\d+/, (id) => `+${Number(id.slice(1)) - 1}`)),
      'ignored',
    ],
    ['an unknown message', (from: string) => bounceNotification(from.replace(/\+\d+/, '+999999999999999')), 'ignored'],
    ['an empty message', () => '', 'foreign'],
  ])('changes nothing if it is %s', async (_, make, result) => {
    const sent = await send('bob')
    expect(await receive(make(sent.message.from))).toBe(result)
    expect(await statusOf(sent)).toBe('Sent')
  })

  test('does not concern an address that has been corrected since', async () => {
    const sent = await send('typo')
    await receive(bounceNotification(sent.message.from))
    await ann.put(sent.contact.contact_uri, { json: { email: `right${count}@example.net` } })
    await ann.post(`/api/v3/surveys/${survey.id}/emails/${sent.email}/resend/`, {})
    await world.runJobs()
    expect(mailbox.sentTo(`right${count}@example.net`)).toHaveLength(1)
    expect(await receive(bounceNotification(sent.message.from))).toBe('ignored')
    expect(await emailProgress(ann, sent.email)).toMatchObject({ sent: 1, failed: 0 })
  })

  test('is refused for now while the message is still being sent', async () => {
    const sent = await send('bob')
    const { pool } = world.application.services
    const id = Number(/\+(\d+)-/.exec(sent.message.from)![1])
    await pool.query(`update email_message set state = 'sending', address = null where id = $1`, [id])
    const waiting = receive(bounceNotification(sent.message.from))
    await pool.query(`update email_message set state = 'sent', address = $2 where id = $1`, [id, sent.address])
    expect(await waiting).toBe('bounced')
    await pool.query(`update email_message set state = 'sending' where id = $1`, [id])
    expect(await receive(bounceNotification(sent.message.from))).toBe('early')
    await pool.query(`update email_message set state = 'sent' where id = $1`, [id])
  })

  test('unsubscribes a recipient who complains', async () => {
    const { message, contact } = await send('bob')
    const report = [
      'Content-Type: multipart/report; boundary=b',
      '',
      '--b',
      'Content-Type: message/feedback-report',
      '',
      'Feedback-Type: abuse',
      '--b',
      'Content-Type: message/rfc822',
      '',
      `Message-ID: ${message.headers['message-id']}`,
      '--b--',
    ]
    expect(await receive(report.join('\r\n'))).toBe('complaint')
    expect((await ann.get(contact.contact_uri)).body.unsubscribed).toBe(true)
  })
})

describe('getContactBounce, deleteContactBounce: an address from which mail came back', () => {
  const bounceUri = ({ contact }: Sent) => `${contact.contact_uri}bounce/`

  test('gets no more mail of the account until its owner permits it', async () => {
    const sent = await send('gone')
    expect((await ann.get(bounceUri(sent))).body).toEqual({ bounced_at: null, reason: null })
    await receive(bounceNotification(sent.message.from))
    expect((await ann.get(bounceUri(sent))).body).toEqual({
      bounced_at: world.now.toISOString(),
      reason: '550 5.1.1 <…> text of the server',
    })
    mailbox.messages = []
    const second = await invite(sent)
    expect(mailbox.messages).toEqual([])
    expect(await emailProgress(ann, second)).toMatchObject({ status: 'sent', sent: 0, failed: 1 })
    // Also for a new contact with this address, but not for another account.
    await ann.delete(sent.contact.contact_uri)
    const [again] = [
      (await ann.post('/api/v3/contacts/', { form: { name: 'Again', email: sent.address.toUpperCase() } })).body,
    ]
    await invite({ ...sent, contact: again })
    expect(mailbox.messages).toEqual([])
    expect((await ann.get(`${again.contact_uri}bounce/`)).body.bounced_at).not.toBeNull()
    const ben = await world.person()
    const foreign = await createDraft(ben, (await ben.post('/api/v3/surveys/', { form: { name: 'Tea' } })).body.id, [
      { create: { name: 'Gone', email: sent.address } },
    ])
    await sendDraft(ben, foreign)
    await world.runJobs()
    expect(mailbox.messages).toHaveLength(1)
    expect((await ann.delete(`${again.contact_uri}bounce/`)).body).toBe('OK')
    expect((await ann.get(`${again.contact_uri}bounce/`)).body.bounced_at).toBeNull()
    await invite({ ...sent, contact: again })
    expect(mailbox.messages).toHaveLength(2)
  })

  test('is shown to the owner, who permits mail to it on the page of the contact', async () => {
    const sent = await send('gone')
    const browser = await signInAs(ann)
    const page = `/account/contacts/${sent.contact.id}/`
    expect((await browser.get(page)).text).not.toContain('came back')
    await receive(bounceNotification(sent.message.from))
    expect((await browser.get(page)).text).toContain('came back')
    expect((await browser.get(`/account/contacts/?search=${sent.address}`)).text).toContain('Undeliverable')
    expect((await browser.post(`${page}allow/`)).status).toBe(303)
    expect((await browser.get(page)).text).not.toContain('came back')
  })

  test('is remembered after a refusal at SMTP time and a report of a provider, but not for a full mailbox', async () => {
    const replies = { gone: '550 5.1.1 user unknown', full: '552 5.2.2 over quota' } as const
    mailbox.behaviour = (address) => replies[address.slice(0, 4) as 'gone' | 'full'] ?? 'accept'
    const bouncedAt = async (sent: Sent) => (await ann.get(bounceUri(sent))).body.bounced_at
    const [gone, full, reported] = [await send('gone'), await send('full'), await send('told')]
    expect(await emailProgress(ann, full.email)).toMatchObject({ failed: 1 })
    await ann.post('/api/v3/bounces/', { json: { type: 'hard', recipient: reported.address } })
    expect([await bouncedAt(gone), await bouncedAt(full), await bouncedAt(reported)]).toEqual([
      world.now.toISOString(),
      null,
      world.now.toISOString(),
    ])
    await ann.post(`${gone.contact.contact_uri}erase/`)
    const { body } = await ann.post('/api/v3/contacts/', { form: { name: 'New', email: gone.address } })
    expect((await ann.get(`${body.contact_uri}bounce/`)).body.bounced_at).toBeNull()
  })

  test('gets mail again when the owner sends again to failed recipients', async () => {
    const sent = await send('gone')
    await receive(bounceNotification(sent.message.from))
    mailbox.messages = []
    await ann.post(`/api/v3/surveys/${survey.id}/emails/${sent.email}/resend/`, {})
    await world.runJobs()
    expect(mailbox.messages).toHaveLength(1)
    expect((await ann.get(bounceUri(sent))).body.bounced_at).toBeNull()
  })
})
