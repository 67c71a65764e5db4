import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, describe, expect, test } from '@jest/globals'
import { insertContacts } from '../support/contacts.ts'
import { useMailbox } from '../support/mailbox.ts'
import { type RunningProgram, startProcess } from '../support/process.ts'
import { useWorld } from '../support/world.ts'

const mailbox = useMailbox()
const world = useWorld({ realTime: true, smtp: () => mailbox.url })
const RECIPIENTS = 500
const started: RunningProgram[] = []
const startWorker = async () => {
  const worker = startProcess(world, 'src/main.ts', 'work')
  started.push(worker)
  await worker.waitForOutput('Canvass is running background jobs')
  return worker
}
afterAll(async () => {
  for (const one of started) await one.kill('SIGKILL')
})

async function until(holds: () => boolean | Promise<boolean>, millis: number): Promise<void> {
  for (const deadline = Date.now() + millis; !(await holds()); await pause(10))
    if (Date.now() > deadline) throw new Error(`not within ${millis} ms`)
}

/** An e-mail to so many contacts, not yet sent. */
async function draftTo(count: number) {
  const ann = await world.person()
  const list = await insertContacts(world, ann, count, ann.actor.username)
  const survey = (await ann.post('/api/v2/surveys/', { json: { title: 'Tea' } })).body
  const json = { subject: 'Tea?', sender: 'Ann <ann@example.org>', message: '[Full Name], come: [Invite Link]' }
  const email = (await ann.post(`/api/v2/emails/?survey=${survey.id}`, { json })).body
  await ann.post(email.recipients_uri, { form: { contact_list: list } })
  return { ann, email }
}

describe('a killed worker', () => {
  test('in the middle of a send to 500: another worker continues within seconds, every recipient gets the message, and a double has the same Message-ID', async () => {
    const { ann, email } = await draftTo(RECIPIENTS)
    // The server has a message for a while before it says so: the worker dies with some in that state.
    mailbox.delayMs = 50
    await ann.post(email.send_uri)
    const victim = await startWorker()
    await until(() => mailbox.messages.length > 0, 30_000)
    const survivor = await startWorker()
    await until(() => mailbox.messages.length >= 150, 30_000)
    await victim.kill('SIGKILL')
    const sentByVictim = mailbox.messages.length
    expect(sentByVictim).toBeLessThan(RECIPIENTS)
    // By its heartbeat alone the job would be noticed after 20 to 30 seconds.
    await until(() => mailbox.messages.length > sentByVictim + 4, 15_000)
    await until(async () => (await ann.get(email.uri)).body.status === 'sent', 90_000)
    await survivor.kill('SIGTERM')
    expect(new Set(mailbox.messages.map(({ to }) => to)).size).toBe(RECIPIENTS)
    expect(new Set(mailbox.messages.map(({ headers }) => headers['message-id'])).size).toBe(RECIPIENTS)
    // Four messages of an e-mail are under way at a time.
    expect(mailbox.messages.length).toBeLessThanOrEqual(RECIPIENTS + 4)
    expect((await ann.get(email.uri)).body).toMatchObject({
      num_recipients: RECIPIENTS,
      num_sent: RECIPIENTS,
      num_failed: 0,
    })
  }, 150_000)

  test('just after it noted a message as handed over: the message is sent, not only called sent', async () => {
    const { ann, email } = await draftTo(3)
    mailbox.messages = []
    mailbox.delayMs = 0
    await ann.post(email.send_uri)
    // What a worker leaves in the database that dies between its note and the end of the message.
    const { pool } = world.application.services
    const { rowCount } = await pool.query(
      `update email_message set state = 'sending', run = gen_random_uuid(), handed_at = now()
       where id = (select min(id) from email_message where email_id = $1)`,
      [email.id],
    )
    expect(rowCount).toBe(1)
    await startWorker()
    await until(async () => (await ann.get(email.uri)).body.status === 'sent', 30_000)
    expect(mailbox.messages).toHaveLength(3)
  }, 60_000)
})
