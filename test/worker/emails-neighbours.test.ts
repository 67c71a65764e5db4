import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import type { Worker } from '../../src/worker/worker.ts'
import { insertContacts } from '../support/contacts.ts'
import { useMailbox } from '../support/mailbox.ts'
import { useReceiver } from '../support/receiver.ts'
import { makeSurvey } from '../support/responses.ts'
import { type Person, useWorld } from '../support/world.ts'

const mailbox = useMailbox()
const receiver = useReceiver()
const world = useWorld({ realTime: true, smtp: () => mailbox.url })
let worker: Worker
beforeAll(async () => {
  worker = await world.application.startWorker()
})
afterEach(() => {
  mailbox.behaviour = () => 'accept'
})
// Whoever waits for a mail server that never answers is let go.
afterAll(() => worker.stop(), 60_000)

async function until(holds: () => boolean | Promise<boolean>, millis = 60_000): Promise<number> {
  const began = performance.now()
  for (; !(await holds()); await pause(5))
    if (performance.now() > began + millis) throw new Error(`not within ${millis} ms`)
  return Math.round(performance.now() - began)
}

/** Hands an e-mail to many in. @returns its address */
async function send(who: Person, name: string, count: number): Promise<string> {
  const list = await insertContacts(world, who, count, name)
  const survey = await makeSurvey(who)
  const json = { subject: 'Tea?', sender: 'Ann <ann@example.org>', message: 'Come: [Invite Link]' }
  const email = (await who.post(`/api/v2/emails/?survey=${survey}`, { json })).body
  await who.post(email.recipients_uri, { form: { contact_list: list } })
  expect((await who.post(email.send_uri)).status).toBe(200)
  return email.uri
}

describe('send-email', () => {
  test('a message that is due is handed over', async () => {
    const ann = await world.person()
    await send(ann, 'swift', 1)
    await until(() => mailbox.sentTo('swift0@example.net').length === 1)
  }, 90_000)

  test('ten thousand recipients are queued in a few seconds, and sent beside everything else', async () => {
    const ann = await world.person()
    const list = await insertContacts(world, ann, 10_000, 'many')
    const survey = await makeSurvey(ann)
    const json = { subject: 'Tea?', sender: 'Ann <ann@example.org>', message: 'Come: [Invite Link]' }
    const email = (await ann.post(`/api/v2/emails/?survey=${survey}`, { json })).body
    const began = performance.now()
    expect((await ann.post(email.recipients_uri, { form: { contact_list: list } })).body).toEqual({ added: 10_000 })
    const added = performance.now()
    const { body } = await ann.post(email.send_uri)
    const queued = performance.now()
    expect(body).toMatchObject({ status: 'scheduled', num_recipients: 10_000 })
    const progress = async () => (await ann.get(email.uri)).body.num_sent as number
    await until(async () => (await progress()) >= 200)
    const [first, at] = [await progress(), performance.now()]
    await until(async () => (await progress()) >= first + 500)
    const rate = Math.round((500 / (performance.now() - at)) * 1000)
    console.log(
      `10,000 recipients: added in ${Math.round(added - began)} ms, queued in ${Math.round(queued - added)} ms, ${rate} sent a second`,
    )
    expect(queued - began).toBeLessThan(30_000)
    expect(new Set(mailbox.messages.map(({ to }) => to)).size).toBe(mailbox.messages.length)
  }, 180_000)

  test('recipients whose server stalls, or is dead, delay neither another e-mail nor webhooks', async () => {
    const [ann, bob] = [await world.person(), await world.person()]
    await send(ann, 'alone', 50)
    const alone = await until(() => mailbox.messages.filter(({ to }) => to.startsWith('alone')).length === 50)
    mailbox.behaviour = (address) =>
      address.startsWith('stalled') ? 'stall' : address.startsWith('dead') ? 'drop' : 'accept'
    await send(bob, 'stalled', 20)
    await send(bob, 'dead', 20)
    await pause(500)
    await send(ann, 'beside', 50)
    const beside = await until(() => mailbox.messages.filter(({ to }) => to.startsWith('beside')).length === 50)
    const survey = await makeSurvey(ann)
    await ann.post('/api/v3/webhooks/', {
      json: { subscription_url: receiver.url('/hook'), event: 'response_complete' },
    })
    await ann.post(`/api/v2/surveys/${survey}/responses/`, { form: { q1: '0' } })
    const hook = await until(() => receiver.received('/hook').length === 1)
    console.log(`50 messages: ${alone} ms alone, ${beside} ms beside stalled and dead ones; a webhook in ${hook} ms`)
    expect(beside).toBeLessThan(alone + 15_000)
    expect(hook).toBeLessThan(15_000)
  }, 180_000)
})
