import { expect, test } from '@jest/globals'
import { deliverEmail } from '../../src/domain/email/deliver.ts'
import { MailError } from '../../src/lib/mail-error.ts'
import type { Mailer } from '../../src/lib/mailer.ts'
import { Visitor } from '../pages/visitor.ts'
import { useMailbox } from '../support/mailbox.ts'
import { useWorld } from '../support/world.ts'

const mailbox = useMailbox()
const world = useWorld({ smtp: () => mailbox.url })

test('an e-mail that is taken back and written anew while a run has it in hand goes out in the new words alone', async () => {
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

  const said: string[] = []
  let anew: Promise<void> | undefined
  /** Its server says, after all of this has happened, that it is too busy. */
  const mailer: Mailer = {
    send: async ({ subject }) => {
      said.push(subject)
      anew ??= (async () => {
        expect((await browser.post(`${path}unschedule/`)).status).toBe(303)
        world.now = new Date(world.now.getTime() + 1000)
        await browser.post(`${path}edit/`, { ...fields, subject: 'New words' })
        await browser.post(`${path}send/`, { when: 'now' })
      })()
      await anew
      throw new MailError('later', '451 busy')
    },
    close: async () => undefined,
  }
  const context = world.context()
  const id = Number(/(\d+)\/$/.exec(path)![1])
  await deliverEmail({ ...context, site: { ...context.site, mailer } }, id, AbortSignal.timeout(20_000))
  // Four at a time were in hand when it was taken back; none was begun afterwards.
  expect(said.length).toBeLessThanOrEqual(4)
  await world.workJobs()
  expect(mailbox.taken.map(({ to }) => to).sort()).toEqual([...people].sort())
  expect(new Set(mailbox.taken.map(({ headers }) => headers.subject))).toEqual(new Set(['New words']))
})
