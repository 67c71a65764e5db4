import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { useMailbox } from '../support/mailbox.ts'
import { type Person, useWorld } from '../support/world.ts'

const mailbox = useMailbox()
const world = useWorld({ smtp: () => mailbox.url })
let ann: Person
let survey: { id: number; deploy_uri: string }
beforeAll(async () => {
  ann = await world.person({ username: 'ann' })
  survey = (await ann.post('/api/v2/surveys/', { json: { title: 'Tea' } })).body
})
beforeEach(() => {
  mailbox.messages = []
  mailbox.behaviour = () => 'accept'
})

let count = 0
/** Sends an e-mail to new contacts. @returns its address */
async function sent(names: string[], more: object = {}): Promise<string> {
  const json = { subject: 'Tea?', sender: 'Ann <ann@example.org>', message: 'Come: [Invite Link]', ...more }
  const { uri, recipients_uri, send_uri } = (await ann.post(`/api/v2/emails/?survey=${survey.id}`, { json })).body
  for (const name of names) {
    count += 1
    await ann.post(recipients_uri, { json: { name: `${name} ${count}`, email: `${name}@example.net` } })
  }
  expect((await ann.post(send_uri)).status).toBe(200)
  return uri
}
const progress = async (uri: string) => {
  const { status, num_sent, num_failed, num_skipped } = (await ann.get(uri)).body
  return { status, num_sent, num_failed, num_skipped }
}
const pass = async (minutes: number) => {
  world.now = new Date(world.now.getTime() + minutes * 60_000)
  await world.runJobs()
}

describe('send-email', () => {
  test('text and HTML part, a Message-ID of its own, a way out by one click', async () => {
    await sent(['grüße'.replace('ü', 'u').replace('ß', 'ss')], {
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
    expect(link.startsWith(survey.deploy_uri)).toBe(true)
    expect(headers['message-id']).toMatch(/^<\d+\.[0-9a-f]{24}@127\.0\.0\.1>$/)
    expect(headers.from).toMatch(/^=\?UTF-8\?\S+\?= <no-reply@127\.0\.0\.1>$/)
    expect(headers['reply-to']).toMatch(/^=\?UTF-8\?\S+\?= <ann@example\.org>$/)
    expect(headers['list-unsubscribe-post']).toBe('List-Unsubscribe=One-Click')
    const [, way] = /^<(http\S+\/unsubscribe\/\S+)>$/.exec(headers['list-unsubscribe']!)!
    expect(text).toContain(way)
  })

  test('a reply of 4xx: again after about a minute, with the same Message-ID; nobody else waits', async () => {
    mailbox.behaviour = (address) => (address.startsWith('late') ? '451 try later' : 'accept')
    const uri = await sent(['late', 'early'])
    await world.runJobs()
    expect(await progress(uri)).toMatchObject({ status: 'scheduled', num_sent: 1, num_failed: 0 })
    mailbox.behaviour = () => 'accept'
    await pass(0.5)
    expect(mailbox.sentTo('late@example.net')).toHaveLength(0)
    await pass(0.6)
    expect(mailbox.sentTo('late@example.net')).toHaveLength(1)
    expect(mailbox.sentTo('early@example.net')).toHaveLength(1)
    expect(await progress(uri)).toMatchObject({ status: 'sent', num_sent: 2 })
  })

  test('4xx for ever: given up after two days, and counted', async () => {
    mailbox.behaviour = () => '421 not now'
    const uri = await sent(['never'])
    for (const minutes of [0, 2, 6, 16, 70, 200, 400, 800]) await pass(minutes)
    expect(await progress(uri)).toMatchObject({ status: 'scheduled', num_failed: 0 })
    await pass(1600)
    expect(await progress(uri)).toEqual({ status: 'sent', num_sent: 0, num_failed: 1, num_skipped: 0 })
  })

  test('a reply of 5xx: failed at once, and the contact is Bounced', async () => {
    mailbox.behaviour = (address) => (address.startsWith('gone') ? '550 no such user' : 'accept')
    const uri = await sent(['gone', 'there'])
    await world.runJobs()
    expect(await progress(uri)).toEqual({ status: 'sent', num_sent: 1, num_failed: 1, num_skipped: 0 })
    const { contacts } = (await ann.get(`/api/v2/contacts/?survey=${survey.id}&search=gone`)).body
    expect(contacts).toMatchObject([{ status: 'Bounced' }])
    await pass(1500)
    expect(mailbox.sentTo('there@example.net')).toHaveLength(1)
  })

  test('a server that drops the line, before or after the message, gets it again', async () => {
    mailbox.behaviour = (address) =>
      address.startsWith('before') ? 'drop' : address.startsWith('after') ? 'drop after the message' : 'accept'
    const uri = await sent(['before', 'after', 'fine'])
    await world.runJobs()
    expect(await progress(uri)).toMatchObject({ status: 'scheduled', num_sent: 1 })
    mailbox.behaviour = () => 'accept'
    await pass(2)
    expect(await progress(uri)).toMatchObject({ status: 'sent', num_sent: 3 })
    expect(mailbox.messages).toHaveLength(3)
  })

  test('whoever has unsubscribed, or left the address book, is skipped and counted', async () => {
    const uri = await sent(['stay', 'leave', 'vanish'])
    const found = async (name: string) => (await ann.get(`/api/v2/contacts/?search=${name}@`)).body.contacts[0]
    await ann.delete((await found('vanish')).uri)
    await world.runJobs()
    const [{ headers }] = mailbox.sentTo('leave@example.net') as [(typeof mailbox.messages)[0]]
    const way = headers['list-unsubscribe']!.slice(1, -1)
    expect(await progress(uri)).toEqual({ status: 'sent', num_sent: 2, num_failed: 0, num_skipped: 1 })

    const asked = await world.anonymous.get(way)
    expect(asked.text).toContain('method="post"')
    expect((await found('leave')).unsubscribed).toBe(false)
    const click = await world.anonymous.post(way, { form: { 'List-Unsubscribe': 'One-Click' } })
    expect(click.status).toBe(200)
    expect((await found('leave')).unsubscribed).toBe(true)
    const again = await sent(['stay', 'leave'])
    await world.runJobs()
    expect(await progress(again)).toEqual({ status: 'sent', num_sent: 1, num_failed: 0, num_skipped: 1 })
    expect(mailbox.sentTo('leave@example.net')).toHaveLength(1)
    expect((await world.anonymous.get(way.replace(/.\/\?/, 'x/?'))).status).toBe(404)
  })

  test('a mail server that lets nobody in loses nothing, and costs the recipients hardly a try', async () => {
    mailbox.accepting = false
    const names = Array.from({ length: 12 }, (_, at) => `patient${at}`)
    const uri = await sent(names)
    await world.runJobs()
    expect(await progress(uri)).toEqual({ status: 'scheduled', num_sent: 0, num_failed: 0, num_skipped: 0 })
    const { rows } = await world.application.services.pool.query(
      `select count(*)::int as tried from email_message where state = 'queued' and attempts > 0`,
    )
    expect(rows[0].tried).toBeLessThanOrEqual(6)
    mailbox.accepting = true
    await pass(2)
    expect(await progress(uri)).toMatchObject({ status: 'sent', num_sent: 12 })
    expect(new Set(mailbox.messages.map(({ to }) => to)).size).toBe(12)
  })
})
