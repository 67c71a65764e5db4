import { beforeAll, beforeEach, expect, test } from '@jest/globals'
import { deliverEmail } from '../../src/domain/email/deliver.ts'
import type { Mailer } from '../../src/lib/mailer.ts'
import { insertContacts } from '../support/contacts.ts'
import { createDraft, emailProgress, sendDraft } from '../support/emails.ts'
import { useMailbox } from '../support/mailbox.ts'
import { countStatements } from '../support/record-statements.ts'
import { makeSurvey } from '../support/responses.ts'
import { waitUntil } from '../support/wait-until.ts'
import { type Person, useWorld } from '../support/world.ts'

const mailbox = useMailbox()
const world = useWorld({ smtp: () => mailbox.url })
let ann: Person
beforeAll(async () => {
  ann = await world.person()
})
beforeEach(() => {
  mailbox.messages = []
  mailbox.senderReply = ''
})

let lists = 0
/** Queues an email to a number of contacts. @returns its ID */
async function send(recipients: number): Promise<number> {
  lists += 1
  const list = await insertContacts(world, ann, recipients, `list${lists}-`)
  const email = await createDraft(ann, await makeSurvey(ann), [{ list }])
  await sendDraft(ann, email)
  return email
}

async function rowsOf(email: number): Promise<{ state: string; attempts: number; handed_at: Date | null }[]> {
  const query = 'select state, attempts, handed_at from email_message where email_id = $1'
  return (await world.application.services.pool.query(query, [email])).rows
}

const messageIds = () => new Set(mailbox.messages.map(({ headers }) => headers['message-id']))

test('an email is sent with less than two statements a recipient, and each recipient gets one message', async () => {
  const email = await send(150)
  const before = countStatements()
  await world.runJobs()
  const statements = countStatements() - before
  expect(new Set(mailbox.messages.map(({ to }) => to)).size).toBe(150)
  expect(mailbox.messages).toHaveLength(150)
  expect(messageIds().size).toBe(150)
  expect(await emailProgress(ann, email)).toMatchObject({ status: 'sent', sent: 150, failed: 0, skipped: 0 })
  // How many are recorded together depends on the machine.
  expect(statements).toBeLessThan(2 * 150)
})

test('claimed messages that a run does not begin to send are queued as before', async () => {
  let accepted = 0
  mailbox.senderReply = () => {
    accepted += 1
    return accepted <= 20 ? '' : '550 5.7.1 Sender not allowed'
  }
  const email = await send(100)
  await world.runJobs()
  const rows = await rowsOf(email)
  expect(mailbox.messages).toHaveLength(20)
  expect(rows.filter(({ state }) => state === 'sent')).toHaveLength(20)
  const others = rows.filter(({ state }) => state !== 'sent')
  expect(others.map(({ state, attempts, handed_at }) => ({ state, attempts, handed_at }))).toEqual(
    Array.from({ length: 80 }, () => ({ state: 'queued', attempts: 0, handed_at: null })),
  )
  mailbox.senderReply = ''
  world.now = new Date(world.now.getTime() + 86_400_000)
  await world.runJobs()
  expect(mailbox.messages).toHaveLength(100)
  expect(messageIds().size).toBe(100)
})

test('a result is recorded while another transaction locks the message of another result', async () => {
  const email = await send(12)
  const client = await world.application.services.pool.connect()
  let sent = 0
  const mailer: Mailer = {
    async send({ messageId }) {
      sent += 1
      if (sent !== 4) return
      await client.query('begin')
      const id = /^<(\d+)\./.exec(messageId)![1]
      await client.query('select from email_message where id = $1 for update', [id])
    },
    deleteMessagesTo: async () => 0,
    close: async () => undefined,
  }
  try {
    const context = world.context()
    const services = { ...context.services, mailer }
    const delivering = deliverEmail({ ...context, services }, email, AbortSignal.timeout(30_000))
    const unrecorded = async () => (await rowsOf(email)).filter(({ state }) => state !== 'sent').length
    await waitUntil(async () => (await unrecorded()) === 1, 20_000)
    await client.query('commit')
    await delivering
    expect(await unrecorded()).toBe(0)
    expect(sent).toBe(12)
  } finally {
    client.release(true)
  }
})
