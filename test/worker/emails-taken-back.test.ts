import { expect, test } from '@jest/globals'
import { deliverEmail } from '../../src/domain/email/deliver.ts'
import type { Mailer } from '../../src/lib/mailer.ts'
import { Visitor } from '../support/http-browser.ts'
import { useMailbox } from '../support/mailbox.ts'
import { useWorld } from '../support/world.ts'

const mailbox = useMailbox()
const world = useWorld({ smtp: () => mailbox.url })

/** An e-mail to twelve people that is due. */
async function handedIn() {
  const ann = await world.person()
  const survey = (await ann.post('/api/v2/surveys/', { json: { title: 'Tea' } })).body
  const browser = new Visitor(world.base)
  await browser.signIn(ann.actor.username, ann.password)
  const root = `/account/surveys/${survey.id}/invitations/`
  const fields = { from_name: 'Ann', from_email: 'ann@example.org', message: '[Invite Link]' }
  const { to } = await browser.post(`${root}new/`, { ...fields, subject: 'Old words' })
  const path = to!.replace('recipients/', '')
  const people = Array.from({ length: 12 }, (_, at) => `person${at}@example.net`)
  await browser.post(to!, { how: 'paste', addresses: people.join('\n') })
  await browser.post(`${path}send/`, { when: 'now' })
  return { browser, path, fields, people }
}

test('an e-mail of which a run has a message in hand cannot be taken back, and goes out to everyone', async () => {
  const { browser, path, people } = await handedIn()
  let refused: number | undefined
  /** While its server takes the first message, the writer wants the e-mail back. */
  const mailer: Mailer = {
    send: async (message) => {
      refused ??= (await browser.post(`${path}unschedule/`)).status
      await world.application.services.mailer.send(message)
    },
    deleteMessagesTo: async () => 0,
    close: async () => undefined,
  }
  const context = world.context()
  const id = Number(/(\d+)\/$/.exec(path)![1])
  await deliverEmail({ ...context, services: { ...context.services, mailer } }, id, AbortSignal.timeout(20_000))
  expect(refused).toBe(409)
  await world.runJobs()
  expect(mailbox.messages.map(({ to }) => to).sort()).toEqual([...people].sort())
})

test('an e-mail that is taken back before its run begins is written anew and goes out in the new words alone', async () => {
  const { browser, path, fields, people } = await handedIn()
  expect((await browser.post(`${path}unschedule/`)).status).toBe(303)
  world.now = new Date(world.now.getTime() + 1000)
  await browser.post(`${path}edit/`, { ...fields, subject: 'New words' })
  await browser.post(`${path}send/`, { when: 'now' })
  mailbox.messages = []
  await world.runJobs()
  expect(mailbox.messages.map(({ to }) => to).sort()).toEqual([...people].sort())
  expect(new Set(mailbox.messages.map(({ headers }) => headers.subject))).toEqual(new Set(['New words']))
})
