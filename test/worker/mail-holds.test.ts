import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { createDraft, emailProgress, sendDraft } from '../support/emails.ts'
import { signInAs } from '../support/http-browser.ts'
import { useMailbox } from '../support/mailbox.ts'
import { type Person, useWorld } from '../support/world.ts'

const mailbox = useMailbox()
const world = useWorld({ smtp: () => mailbox.url })
let ann: Person
let browser: Awaited<ReturnType<typeof signInAs>>
let survey: { id: number; send_invite_uri: string }
beforeAll(async () => {
  ann = await world.person({ username: 'ann' })
  browser = await signInAs(ann)
  survey = (await ann.post('/api/v3/surveys/', { form: { name: 'Tea' } })).body
})
beforeEach(async () => {
  // Each test has a mail server of its own, without a known limit.
  await world.application.services.pool.query('delete from mail_pace')
  mailbox.messages = []
  mailbox.behaviour = () => 'accept'
  mailbox.senderReply = ''
})

let count = 0
/** Sends an email to new contacts. @returns its ID */
async function send(names: string[]): Promise<number> {
  const recipients = names.map((name) => ({ create: { name: `${name} ${++count}`, email: `${name}@example.net` } }))
  const email = await createDraft(ann, survey.id, recipients)
  await sendDraft(ann, email)
  return email
}
const people = (number: number) => Array.from({ length: number }, (_, index) => `p${index}`)
const progress = (email: number) => emailProgress(ann, email)
const advance = async (minutes: number) => {
  world.now = new Date(world.now.getTime() + minutes * 60_000)
  await world.runJobs()
}
const pageOf = async (email: number) => (await browser.get(`/account/surveys/${survey.id}/invitations/${email}/`)).text
const statuses = async () => {
  const { results } = (await ann.get(survey.send_invite_uri)).body
  return new Set(results.map(({ status }: { status: string }) => status))
}
/** Returns the highest number of attempts of the messages that wait. */
async function attempts(email: number): Promise<number> {
  const { rows } = await world.application.services.pool.query(
    `select max(attempts)::int as attempts from email_message where email_id = $1 and state = 'queued'`,
    [email],
  )
  return rows[0].attempts
}

describe('a mail server that refuses this installation', () => {
  test.each([
    ['RCPT TO', '554 5.7.1 Relay access denied'],
    ['RCPT TO', '553 5.7.1 Sender address rejected: not owned by user ann'],
    ['RCPT TO', '550 I cannot deliver mail for you'],
    ['MAIL FROM', '550 5.7.1 Client host blocked using zen.spamhaus.org'],
    ['MAIL FROM', '530 5.7.0 Authentication required'],
    ['MAIL FROM', '552 5.3.4 Message size exceeds fixed limit'],
  ])('at %s with %s keeps all messages queued, tells the owner, and continues later', async (stage, reply) => {
    if (stage === 'MAIL FROM') mailbox.senderReply = reply
    else mailbox.behaviour = () => reply as `5${string}`
    const email = await send(people(9))
    await world.runJobs()
    expect(await progress(email)).toMatchObject({ status: 'scheduled', sent: 0, failed: 0, skipped: 0 })
    expect(await attempts(email)).toBe(0)
    expect(await statuses()).not.toContain('Bounced')
    const page = await pageOf(email)
    expect(page).toContain('sending has stopped')
    expect(page).toContain(reply)
    mailbox.senderReply = ''
    mailbox.behaviour = () => 'accept'
    await advance(6)
    expect(await progress(email)).toMatchObject({ status: 'sent', sent: 9, failed: 0 })
    expect(await pageOf(email)).not.toContain('sending has stopped')
  })

  test('for more than a day ends no message, and asks it less and less often', async () => {
    let asked = 0
    mailbox.behaviour = () => {
      asked += 1
      return '554 5.7.1 Relay access denied'
    }
    const email = await send(['patient'])
    await world.runJobs()
    for (let hour = 0; hour < 30; hour += 1) await advance(60)
    expect(await progress(email)).toMatchObject({ status: 'scheduled', failed: 0 })
    expect(asked).toBeLessThan(12)
    mailbox.behaviour = () => 'accept'
    await advance(400)
    expect(await progress(email)).toMatchObject({ status: 'sent', sent: 1 })
  })

  test('but accepts other messages: only the refused message is retried, and fails in the end', async () => {
    mailbox.behaviour = (address) => (address.startsWith('refused') ? '554 5.7.1 policy' : 'accept')
    const email = await send(['fine0', 'fine1', 'fine2', 'fine3', 'fine4', 'refused'])
    await world.runJobs()
    expect(await progress(email)).toMatchObject({ status: 'scheduled', sent: 5, failed: 0 })
    for (let day = 0; day < 8; day += 1) {
      expect(await pageOf(email)).not.toContain('sending has stopped')
      await advance(1600)
    }
    expect(await progress(email)).toMatchObject({ status: 'sent', sent: 5, failed: 1 })
  })
})

describe('a mail server that rejects one person', () => {
  test.each(['550 5.1.1 user unknown', '552 5.2.2 over quota', '550 5.4.1 Access denied'] as const)(
    'with %s ends only this message',
    async (reply) => {
      mailbox.behaviour = (address) => (address.startsWith('gone') ? reply : 'accept')
      const email = await send(['gone', 'there'])
      await world.runJobs()
      expect(await progress(email)).toMatchObject({ status: 'sent', sent: 1, failed: 1 })
    },
  )
})

describe('a mail server with a limit', () => {
  test.each([
    ['MAIL FROM', '450 4.7.1 Error: too much mail from 127.0.0.1'],
    ['MAIL FROM', '421 4.7.0 Try again later'],
    ['RCPT TO', '452 4.5.3 Error: too many recipients'],
    ['RCPT TO', '451 4.7.0 Rate limit exceeded'],
    ['RCPT TO', '550 5.4.5 Daily user sending limit exceeded'],
  ])('at %s with %s: the messages wait without counted attempts', async (stage, reply) => {
    let allowed = 5
    const answer = () => (mailbox.messages.length < allowed ? '' : reply)
    if (stage === 'MAIL FROM') mailbox.senderReply = answer
    else mailbox.behaviour = () => (answer() || 'accept') as 'accept'
    const email = await send(people(20))
    await world.runJobs()
    expect((await progress(email)).sent).toBeLessThan(20)
    expect(await attempts(email)).toBe(0)
    expect(await pageOf(email)).toContain('limits how many messages')
    for (let minute = 0; minute < 8; minute += 1) {
      allowed += 3
      await advance(1.1)
    }
    expect(await progress(email)).toMatchObject({ status: 'sent', sent: 20, failed: 0 })
  })
})

describe('resendSurveyEmail', () => {
  const resend = (email: number) => ann.post(`/api/v3/surveys/${survey.id}/emails/${email}/resend/`, {})

  test('reaches the recipients whose messages failed, at their present addresses, and no others', async () => {
    mailbox.behaviour = (address) => (address.startsWith('typo') ? '550 5.1.1 user unknown' : 'accept')
    const email = await send(['typo', 'fine'])
    await world.runJobs()
    expect(await progress(email)).toMatchObject({ status: 'sent', sent: 1, failed: 1 })
    expect(await pageOf(email)).toContain('Send again to failed recipients')
    const [contact] = (await ann.get('/api/v3/contacts/?search=typo@')).body.results
    await ann.put(contact.contact_uri, { json: { name: contact.name, email: 'right@example.net' } })
    mailbox.messages = []
    const reply = await resend(email)
    expect(reply.status).toBe(200)
    expect(reply.body).toMatchObject({ status: 'scheduled', delivery_hold: null })
    await world.runJobs()
    expect(mailbox.messages.map(({ to }) => to)).toEqual(['right@example.net'])
    expect(await progress(email)).toMatchObject({ status: 'sent', sent: 2, failed: 0 })
    expect((await resend(email)).body).toMatchObject({ status: 'sent' })
    await world.runJobs()
    expect(mailbox.messages).toHaveLength(1)
  })

  test('makes a stopped email try again immediately; a draft cannot be sent again', async () => {
    mailbox.behaviour = () => '554 5.7.1 Relay access denied'
    const email = await send(people(5))
    await world.runJobs()
    const { body } = await ann.get(`/api/v3/surveys/${survey.id}/emails/${email}/`)
    expect(body.delivery_hold).toMatchObject({ failure: 'refused', reply: '554 5.7.1 Relay access denied' })
    mailbox.behaviour = () => 'accept'
    const page = `/account/surveys/${survey.id}/invitations/${email}/`
    expect((await browser.get(page)).text).toContain('Try again now')
    expect((await browser.post(`${page}resend/`)).status).toBe(303)
    await world.runJobs()
    expect(await progress(email)).toMatchObject({ status: 'sent', sent: 5 })
    const draft = await createDraft(ann, survey.id, [])
    expect((await resend(draft)).body).toMatchObject({ status: 409, code: 'email_not_sent' })
  })
})
