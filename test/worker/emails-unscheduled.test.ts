import { expect, test } from '@jest/globals'
import { deliverEmail } from '../../src/domain/email/deliver.ts'
import type { Mailer } from '../../src/lib/mailer.ts'
import { signInAs } from '../support/http-browser.ts'
import { useMailbox } from '../support/mailbox.ts'
import { makeSurvey } from '../support/responses.ts'
import { useWorld } from '../support/world.ts'

const mailbox = useMailbox()
const world = useWorld({ smtp: () => mailbox.url })

/** Schedules an email to twelve people for immediate sending. */
async function scheduleEmail() {
  const ann = await world.person()
  const survey = await makeSurvey(ann)
  const browser = await signInAs(ann)
  const root = `/account/surveys/${survey}/invitations/`
  const fields = { sender: 'Ann <ann@example.org>', message: '[Invite Link]' }
  const { to } = await browser.post(`${root}new/`, { ...fields, subject: 'Old subject' })
  const path = to!.replace('recipients/', '')
  const people = Array.from({ length: 12 }, (_, index) => `person${index}@example.net`)
  await browser.post(to!, { how: 'paste', addresses: people.join('\n') })
  await browser.post(`${path}send/`, { when: 'now' })
  return { browser, path, fields, people }
}

test('unscheduling an email returns 409 while the worker sends one of its messages, and all recipients get the email', async () => {
  const { browser, path, people } = await scheduleEmail()
  let status: number | undefined
  /** Unschedules the email while the first message is sent. */
  const mailer: Mailer = {
    send: async (message) => {
      status ??= (await browser.post(`${path}unschedule/`)).status
      await world.application.services.mailer.send(message)
    },
    deleteMessagesTo: async () => 0,
    close: async () => undefined,
  }
  const context = world.context()
  const id = Number(/(\d+)\/$/.exec(path)![1])
  await deliverEmail({ ...context, services: { ...context.services, mailer } }, id, AbortSignal.timeout(20_000))
  expect(status).toBe(409)
  await world.runJobs()
  expect(mailbox.messages.map(({ to }) => to).sort()).toEqual([...people].sort())
})

test('an email that is unscheduled before its run can be edited and is sent with the new subject only', async () => {
  const { browser, path, fields, people } = await scheduleEmail()
  expect((await browser.post(`${path}unschedule/`)).status).toBe(303)
  world.now = new Date(world.now.getTime() + 1000)
  await browser.post(`${path}edit/`, { ...fields, subject: 'New subject' })
  await browser.post(`${path}send/`, { when: 'now' })
  mailbox.messages = []
  await world.runJobs()
  expect(mailbox.messages.map(({ to }) => to).sort()).toEqual([...people].sort())
  expect(new Set(mailbox.messages.map(({ headers }) => headers.subject))).toEqual(new Set(['New subject']))
})
