import { describe, expect, test } from '@jest/globals'
import { insertContacts } from '../support/contacts.ts'
import { createDraft, emailProgress, sendDraft } from '../support/emails.ts'
import { useMailbox } from '../support/mailbox.ts'
import { makeSurvey } from '../support/responses.ts'
import { usePrograms } from '../support/use-programs.ts'
import { waitUntil } from '../support/wait-until.ts'
import { useWorld } from '../support/world.ts'

const mailbox = useMailbox()
const world = useWorld({ realTime: true, smtp: () => mailbox.url })
const { startWorker } = usePrograms(world)
const RECIPIENTS = 500

/** Creates a draft email to a number of contacts. @returns functions that send it and return its progress */
async function draftTo(count: number) {
  const ann = await world.person()
  const list = await insertContacts(world, ann, count, ann.actor.username)
  const email = await createDraft(ann, await makeSurvey(ann), [{ list }])
  return { email, send: () => sendDraft(ann, email), progress: () => emailProgress(ann, email) }
}

describe('an email of a killed worker', () => {
  test('is continued by another worker within seconds: every recipient gets the message, and a repeated one has the same Message-ID', async () => {
    const { send, progress } = await draftTo(RECIPIENTS)
    // The server delays its replies, so that messages are under way when the worker is killed.
    mailbox.delayMs = 50
    await send()
    const victim = await startWorker()
    await waitUntil(() => mailbox.messages.length > 0, 30_000)
    const survivor = await startWorker()
    await waitUntil(() => mailbox.messages.length >= 150, 30_000)
    await victim.kill('SIGKILL')
    const sentByVictim = mailbox.messages.length
    expect(sentByVictim).toBeLessThan(RECIPIENTS)
    // The other worker would notice the missing heartbeat only after 20 to 30 seconds.
    await waitUntil(() => mailbox.messages.length > sentByVictim + 4, 15_000)
    await waitUntil(async () => (await progress()).status === 'sent', 90_000)
    await survivor.kill('SIGTERM')
    expect(new Set(mailbox.messages.map(({ to }) => to)).size).toBe(RECIPIENTS)
    expect(new Set(mailbox.messages.map(({ headers }) => headers['message-id'])).size).toBe(RECIPIENTS)
    // At most four messages of an email are under way at a time.
    expect(mailbox.messages.length).toBeLessThanOrEqual(RECIPIENTS + 4)
    expect(await progress()).toMatchObject({ recipients: RECIPIENTS, sent: RECIPIENTS, failed: 0 })
  }, 150_000)

  test('is sent completely if the worker was killed after it marked a message as handed off', async () => {
    const { email, send, progress } = await draftTo(3)
    mailbox.messages = []
    mailbox.delayMs = 0
    await send()
    // The state in the database after a worker is killed between marking a message and sending it.
    const { pool } = world.application.services
    const { rowCount } = await pool.query(
      `update email_message set state = 'sending', run = gen_random_uuid(), handed_at = now()
       where id = (select min(id) from email_message where email_id = $1)`,
      [email],
    )
    expect(rowCount).toBe(1)
    await startWorker()
    await waitUntil(async () => (await progress()).status === 'sent', 30_000)
    expect(mailbox.messages).toHaveLength(3)
  }, 60_000)
})
