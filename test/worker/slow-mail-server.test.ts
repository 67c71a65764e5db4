import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import type { Worker } from '../../src/worker/worker.ts'
import { insertContacts } from '../support/contacts.ts'
import { createDraft, emailProgress, sendDraft } from '../support/emails.ts'
import { useMailbox } from '../support/mailbox.ts'
import { useReceiver } from '../support/receiver.ts'
import { makeSurvey } from '../support/responses.ts'
import { waitUntil } from '../support/wait-until.ts'
import { type Person, useWorld } from '../support/world.ts'

const mailbox = useMailbox()
const receiver = useReceiver()
let worker: Worker
// Before the application closes. Stopping waits for the connections to the mail server that never replies.
afterAll(() => worker.stop(), 60_000)
const world = useWorld({ realTime: true, smtp: () => mailbox.url })
beforeAll(async () => {
  worker = await world.application.startWorker()
})
afterEach(() => {
  mailbox.behaviour = () => 'accept'
})

/** Sends an email to a number of contacts. */
async function send(author: Person, name: string, count: number): Promise<void> {
  const list = await insertContacts(world, author, count, name)
  await sendDraft(author, await createDraft(author, await makeSurvey(author), [{ list }]))
}
const sentTo = (name: string) => mailbox.messages.filter(({ to }) => to.startsWith(name)).length

describe('the send-email job', () => {
  test('sends a message that is due', async () => {
    const ann = await world.person()
    await send(ann, 'swift', 1)
    await waitUntil(() => sentTo('swift0@') === 1, 60_000)
  }, 90_000)

  test('queues an email to 10,000 recipients within 30 seconds, and sends no message twice', async () => {
    const ann = await world.person()
    const list = await insertContacts(world, ann, 10_000, 'many')
    const survey = await makeSurvey(ann)
    const start = performance.now()
    const email = await createDraft(ann, survey, [{ list }])
    const added = performance.now()
    await sendDraft(ann, email)
    const queued = performance.now()
    expect(await emailProgress(ann, email)).toMatchObject({ status: 'scheduled', recipients: 10_000 })
    const progress = async () => (await emailProgress(ann, email)).sent
    await waitUntil(async () => (await progress()) >= 200, 60_000)
    const sentBefore = await progress()
    const rate = Math.round(500_000 / (await waitUntil(async () => (await progress()) >= sentBefore + 500, 60_000)))
    console.log(
      `10,000 recipients: added in ${Math.round(added - start)} ms, queued in ${Math.round(queued - added)} ms, ${rate} sent per second`,
    )
    expect(queued - start).toBeLessThan(30_000)
    expect(new Set(mailbox.messages.map(({ to }) => to)).size).toBe(mailbox.messages.length)
  }, 180_000)

  test('does not delay other emails and webhooks if a mail server stalls or disconnects', async () => {
    const [ann, bob] = [await world.person(), await world.person()]
    await send(ann, 'alone', 50)
    const alone = await waitUntil(() => sentTo('alone') === 50, 60_000)
    mailbox.behaviour = (address) =>
      address.startsWith('stalled') ? 'stall' : address.startsWith('disconnected') ? 'drop' : 'accept'
    await send(bob, 'stalled', 20)
    await send(bob, 'disconnected', 20)
    await pause(500)
    await send(ann, 'concurrent', 50)
    const concurrent = await waitUntil(() => sentTo('concurrent') === 50, 60_000)
    const survey = await makeSurvey(ann)
    await ann.post('/api/v3/webhooks/', {
      json: { subscription_url: receiver.url('/hook'), event: 'response_complete' },
    })
    await ann.post(`/api/v3/surveys/${survey}/responses/`, { json: { q1: 0, _completed: 1 } })
    const webhook = await waitUntil(() => receiver.received('/hook').length === 1, 60_000)
    console.log(
      `50 messages: ${alone} ms alone, ${concurrent} ms with other servers failing; a webhook in ${webhook} ms`,
    )
    expect(concurrent).toBeLessThan(alone + 15_000)
    expect(webhook).toBeLessThan(15_000)
  }, 180_000)

  test('sends the emails of other accounts while those of one account are stalled', async () => {
    const [ann, bob] = [await world.person(), await world.person()]
    mailbox.behaviour = (address) => (address.startsWith('held') ? 'stall' : 'accept')
    for (let email = 0; email < 4; email += 1) await send(bob, `held${email}-`, 4)
    const stuck = async () =>
      (await world.em().execute<{ id: number }[]>(`select id from email_message where state = 'sending'`)).length
    await waitUntil(async () => (await stuck()) >= 8, 30_000)
    await send(ann, 'other', 4)
    // A stalled attempt ends after 45 seconds.
    await waitUntil(() => sentTo('other') === 4, 40_000)
    expect(await stuck()).toBeGreaterThan(0)
  }, 90_000)
})
