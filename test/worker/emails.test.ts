import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { EmailDraft } from '../../src/domain/email/email.ts'
import { createDraft, emailProgress, sendDraft } from '../support/emails.ts'
import { useMailbox } from '../support/mailbox.ts'
import { type Person, useWorld } from '../support/world.ts'

const mailbox = useMailbox()
const world = useWorld({ smtp: () => mailbox.url })
let ann: Person
let survey: { id: number; deploy_url: string; send_invite_uri: string }
beforeAll(async () => {
  ann = await world.person({ username: 'ann' })
  survey = (await ann.post('/api/v3/surveys/', { form: { name: 'Tea' } })).body
})
beforeEach(() => {
  mailbox.messages = []
  mailbox.behaviour = () => 'accept'
})

let count = 0
/** Sends an email to new contacts. @returns its ID */
async function send(names: string[], fields: Partial<EmailDraft> = {}): Promise<number> {
  const recipients = names.map((name) => ({ create: { name: `${name} ${++count}`, email: `${name}@example.net` } }))
  const email = await createDraft(ann, survey.id, recipients, fields)
  await sendDraft(ann, email)
  return email
}
const progress = (email: number) => emailProgress(ann, email)
const advance = async (minutes: number) => {
  world.now = new Date(world.now.getTime() + minutes * 60_000)
  await world.runJobs()
}

describe('the send-email job [spec 9.8]', () => {
  test('sends a text and an HTML part with a unique Message-ID and one-click unsubscription', async () => {
    await send(['grusse'], {
      message: 'Grüße!\n\n[Invite Link]',
      sender: 'Änn <ann@example.org>',
    })
    await world.runJobs()
    const [{ headers, text, html, from }] = mailbox.messages as [(typeof mailbox.messages)[0]]
    expect(from).toBe('no-reply@127.0.0.1')
    expect(headers['content-type']).toMatch(/^multipart\/alternative/)
    const link = /http:\S+\?code=\w{8}/.exec(text)![0]
    expect(text).toMatch(/^Grüße!\n\nhttp/)
    expect(html).toContain(`<p>Grüße!</p>`)
    expect(html).toContain(`<a href="${link}" style=`)
    expect(link.startsWith(survey.deploy_url)).toBe(true)
    expect(headers['message-id']).toMatch(/^<\d+\.[0-9a-f]{24}@127\.0\.0\.1>$/)
    expect(headers.from).toMatch(/^=\?UTF-8\?\S+\?= <no-reply@127\.0\.0\.1>$/)
    expect(headers['reply-to']).toMatch(/^=\?UTF-8\?\S+\?= <ann@example\.org>$/)
    expect(headers['list-unsubscribe-post']).toBe('List-Unsubscribe=One-Click')
    const [, unsubscribeLink] = /^<(http\S+\/unsubscribe\/\S+)>$/.exec(headers['list-unsubscribe']!)!
    expect(text).toContain(unsubscribeLink)
  })

  test('retries about a minute after a 4xx reply, and does not delay messages to other recipients', async () => {
    mailbox.behaviour = (address) => (address.startsWith('late') ? '451 try later' : 'accept')
    const email = await send(['late', 'early'])
    await world.runJobs()
    expect(await progress(email)).toMatchObject({ status: 'scheduled', sent: 1, failed: 0 })
    mailbox.behaviour = () => 'accept'
    await advance(0.5)
    expect(mailbox.sentTo('late@example.net')).toHaveLength(0)
    await advance(0.6)
    expect(mailbox.sentTo('late@example.net')).toHaveLength(1)
    expect(mailbox.sentTo('early@example.net')).toHaveLength(1)
    expect(await progress(email)).toMatchObject({ status: 'sent', sent: 2 })
  })

  test('marks a message as failed after two days of 4xx replies', async () => {
    mailbox.behaviour = () => '451 not now'
    const email = await send(['never'])
    for (const minutes of [0, 2, 6, 16, 70, 200, 400, 800]) await advance(minutes)
    expect(await progress(email)).toMatchObject({ status: 'scheduled', failed: 0 })
    await advance(1600)
    expect(await progress(email)).toMatchObject({ status: 'sent', sent: 0, failed: 1, skipped: 0 })
  })

  test('marks a message as failed immediately for a 5xx reply, and its invitation as Bounced', async () => {
    mailbox.behaviour = (address) => (address.startsWith('gone') ? '550 no such user' : 'accept')
    const email = await send(['gone', 'there'])
    await world.runJobs()
    expect(await progress(email)).toMatchObject({ status: 'sent', sent: 1, failed: 1, skipped: 0 })
    const invites: { email: string; status: string }[] = (await ann.get(survey.send_invite_uri)).body.results
    expect(invites.find((invite) => invite.email === 'gone@example.net')?.status).toBe('Bounced')
    await advance(1500)
    expect(mailbox.sentTo('there@example.net')).toHaveLength(1)
  })

  test('sends a message again if the mail server disconnected before or after the message', async () => {
    mailbox.behaviour = (address) =>
      address.startsWith('before') ? 'drop' : address.startsWith('after') ? 'drop after the message' : 'accept'
    const email = await send(['before', 'after', 'fine'])
    await world.runJobs()
    expect(await progress(email)).toMatchObject({ status: 'scheduled', sent: 1 })
    mailbox.behaviour = () => 'accept'
    await advance(2)
    expect(await progress(email)).toMatchObject({ status: 'sent', sent: 3 })
    expect(mailbox.messages).toHaveLength(3)
  })

  test('skips recipients who have unsubscribed or whose contact was deleted', async () => {
    const email = await send(['stay', 'leave', 'vanish'])
    const contact = async (name: string) => (await ann.get(`/api/v3/contacts/?search=${name}@`)).body.results[0]
    await ann.delete((await contact('vanish')).contact_uri)
    await world.runJobs()
    const [{ headers }] = mailbox.sentTo('leave@example.net') as [(typeof mailbox.messages)[0]]
    const link = headers['list-unsubscribe']!.slice(1, -1)
    expect(await progress(email)).toMatchObject({ status: 'sent', sent: 2, failed: 0, skipped: 1 })

    const page = await world.anonymous.get(link)
    expect(page.text).toContain('method="post"')
    expect((await contact('leave')).unsubscribed).toBe(false)
    const click = await world.anonymous.post(link, { form: { 'List-Unsubscribe': 'One-Click' } })
    expect(click.status).toBe(200)
    expect((await contact('leave')).unsubscribed).toBe(true)
    const again = await send(['stay', 'leave'])
    await world.runJobs()
    expect(await progress(again)).toMatchObject({ status: 'sent', sent: 1, failed: 0, skipped: 1 })
    expect(mailbox.sentTo('leave@example.net')).toHaveLength(1)
    expect((await world.anonymous.get(link.replace(/.\/\?/, 'x/?'))).status).toBe(404)
  })

  test('keeps all messages while the mail server accepts no connection, and attempts to send only a few of them', async () => {
    mailbox.accepting = false
    const names = Array.from({ length: 12 }, (_, index) => `patient${index}`)
    const email = await send(names)
    await world.runJobs()
    expect(await progress(email)).toMatchObject({ status: 'scheduled', sent: 0, failed: 0, skipped: 0 })
    const { rows } = await world.application.services.pool.query(
      `select count(*)::int as tried from email_message where state = 'queued' and attempts > 0`,
    )
    expect(rows[0].tried).toBeLessThanOrEqual(6)
    mailbox.accepting = true
    await advance(2)
    expect(await progress(email)).toMatchObject({ status: 'sent', sent: 12 })
    expect(new Set(mailbox.messages.map(({ to }) => to)).size).toBe(12)
  })
})
