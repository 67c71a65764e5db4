import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { sendDueReminders } from '../../src/domain/email/reminders.ts'
import type { Tables } from '../../src/domain/tables.ts'
import { useMailbox } from '../support/mailbox.ts'
import { makeSurvey } from '../support/responses.ts'
import { type Person, useWorld } from '../support/world.ts'

const DAY_MS = 86_400_000
const mailbox = useMailbox()
const world = useWorld({ smtp: () => mailbox.url })
let ann: Person
let survey: number
let uri: string
let start: number
/** The addresses that this test invited. */
let invited: string[]
beforeAll(async () => {
  ann = await world.person()
})
beforeEach(async () => {
  mailbox.messages = []
  invited = []
  survey = await makeSurvey(ann)
  uri = `/api/v3/surveys/${survey}/`
  start = world.now.getTime()
})

let count = 0
/** Invites people with automatic reminders. @returns the ID of the email and the addresses */
async function invite(people: number, reminders: object = { remind_after_days: 3, remind_times: 2 }) {
  const addresses = Array.from({ length: people }, () => `p${++count}@example.net`)
  invited.push(...addresses)
  const ids: number[] = []
  for (const email of addresses) ids.push((await ann.post('/api/v3/contacts/', { json: { name: 'P', email } })).body.id)
  const json = { subject: 'Tea?', sender: 'Ann <ann@example.org>', message: '[Invite Link]', contacts: ids.join(',') }
  const { body } = await ann.post(`${uri}invites/`, { json: { ...json, ...reminders } })
  await world.runJobs()
  return { email: `${uri}emails/${body.email}/`, addresses }
}

/** Lets time pass and sends the reminders that are due. @returns the addresses that got a message */
async function afterDays(days: number): Promise<string[]> {
  mailbox.messages = []
  world.now = new Date(start + days * DAY_MS)
  await sendDueReminders(world.context(), new AbortController().signal)
  await world.runJobs()
  return mailbox.messages.flatMap(({ to }) => (invited.includes(to) ? [to] : [])).sort()
}
const codeOf = (address: string) => /\?code=(\w{8})/.exec(mailbox.sentTo(address)[0]!.text)![1]!

describe('automatic reminders', () => {
  test('wait while the survey is in the trash, and continue when it is restored [spec 5.4]', async () => {
    const { addresses } = await invite(1)
    await ann.delete(uri)
    expect(await afterDays(4)).toEqual([])
    expect((await ann.post(`/api/v3/deleted-surveys/${survey}/`)).status).toBe(201)
    expect(await afterDays(5)).toEqual(addresses)
  })

  test('no message is sent of a survey in the trash, and the messages that were due are sent when it is restored [spec 5.4]', async () => {
    const { body } = await ann.post('/api/v3/contacts/', { json: { name: 'P', email: 'late@example.net' } })
    const json = {
      subject: 'Tea?',
      sender: 'Ann <ann@example.org>',
      message: '[Invite Link]',
      contacts: String(body.id),
    }
    expect((await ann.post(`${uri}invites/`, { json })).status).toBeLessThan(300)
    await ann.delete(uri)
    await world.runJobs()
    expect(mailbox.sentTo('late@example.net')).toEqual([])
    await ann.post(`/api/v3/deleted-surveys/${survey}/`)
    await world.runJobs()
    expect(mailbox.sentTo('late@example.net')).toHaveLength(1)
  })

  test('are sent after the set number of days, at most as often as set, and only to people who have not responded [spec 9.3]', async () => {
    const { email, addresses } = await invite(3)
    const [answers, unsubscribes, waits] = addresses as [string, string, string]
    expect((await ann.get(email)).body).toMatchObject({
      remind_after_days: 3,
      remind_times: 2,
      reminders_sent: 0,
      next_reminder_at: new Date(start + 3 * DAY_MS).toISOString(),
      funnel: { recipients: 3, sent: 3, delivered: 3, bounced: 0, opened: 0, started: 0, completed: 0 },
    })
    const code = codeOf(answers)
    await ann.act(({ em, now }) =>
      em
        .getKysely<Tables>()
        .updateTable('invite')
        .set({ viewed_at: now, used_on: '2026-01-15' })
        .where('code', '=', code)
        .execute(),
    )
    const unsubscribe = mailbox.sentTo(unsubscribes)[0]!.headers['list-unsubscribe']!.slice(1, -1)
    await fetch(unsubscribe, { method: 'POST', body: new URLSearchParams('List-Unsubscribe=One-Click') })

    expect(await afterDays(2.9)).toEqual([])
    expect(await afterDays(3)).toEqual([waits])
    expect(mailbox.messages[0]!.headers.subject).toBe('Reminder: Tea?')
    expect(await afterDays(3.1)).toEqual([])
    expect(await afterDays(6)).toEqual([waits])
    expect((await ann.get(email)).body).toMatchObject({
      reminders_sent: 2,
      next_reminder_at: null,
      funnel: { recipients: 3, opened: 1, started: 1, completed: 1 },
    })
    expect(await afterDays(30)).toEqual([])
  })

  test('are sent once by several servers [spec 9.3]', async () => {
    const { email, addresses } = await invite(2)
    mailbox.messages = []
    world.now = new Date(start + 3 * DAY_MS)
    const { signal } = new AbortController()
    await Promise.all([1, 2, 3].map(() => sendDueReminders(world.context(), signal)))
    await world.runJobs()
    expect(mailbox.messages.flatMap(({ to }) => (invited.includes(to) ? [to] : [])).sort()).toEqual(
      [...addresses].sort(),
    )
    expect((await ann.get(email)).body.reminders_sent).toBe(1)
    expect((await ann.get(`${uri}emails/`)).body.count).toBe(2)
  })

  test('end when the survey is closed [spec 9.3]', async () => {
    const { email } = await invite(1)
    await ann.put(uri, { json: { live: 0 } })
    expect(await afterDays(3)).toEqual([])
    expect((await ann.get(email)).body.next_reminder_at).toBe(null)
  })

  test('end when the survey is full', async () => {
    const { email } = await invite(1)
    expect((await ann.post(`${uri}responses/`, { json: { q1: 0, _completed: 1 } })).status).toBe(201)
    await ann.put(`${uri}settings/`, { json: { max_responses: 1 } })
    expect(await afterDays(3)).toEqual([])
    expect((await ann.get(email)).body.next_reminder_at).toBe(null)
  })

  test('wait until the survey opens', async () => {
    const { email, addresses } = await invite(1)
    await ann.put(`${uri}settings/`, { json: { open_at: new Date(start + 4 * DAY_MS).toISOString() } })
    expect(await afterDays(3)).toEqual([])
    expect((await ann.get(email)).body.next_reminder_at).toBe(new Date(start + 6 * DAY_MS).toISOString())
    expect(await afterDays(6)).toEqual(addresses)
  })

  test('end when no recipient is left to remind, and leave no empty email', async () => {
    const { email, addresses } = await invite(1)
    const code = codeOf(addresses[0]!)
    await ann.act(({ em }) =>
      em.getKysely<Tables>().updateTable('invite').set({ used_on: '2026-01-15' }).where('code', '=', code).execute(),
    )
    expect(await afterDays(3)).toEqual([])
    expect((await ann.get(email)).body.next_reminder_at).toBe(null)
    expect((await ann.get(`${uri}emails/`)).body.count).toBe(1)
  })
})

describe('updateSurveyEmail, getSurveyEmail, listSurveyEmails', () => {
  test('starts, changes and stops reminders of an email that was sent [spec 9.3]', async () => {
    const { email } = await invite(1, {})
    expect((await ann.get(email)).body).toMatchObject({ remind_after_days: null, next_reminder_at: null })
    const started = await ann.put(email, { form: { remind_after_days: 5, remind_times: 1 } })
    expect(started.body.next_reminder_at).toBe(new Date(start + 5 * DAY_MS).toISOString())
    const stopped = await ann.put(email, { json: { remind_after_days: null } })
    expect(stopped.body).toMatchObject({ remind_after_days: null, next_reminder_at: null })
    expect(await afterDays(5)).toEqual([])
  })

  test('stops reminders if their number is 0', async () => {
    const { email } = await invite(1)
    const stopped = await ann.put(email, { json: { remind_after_days: 3, remind_times: 0 } })
    expect([stopped.status, stopped.body]).toEqual([
      200,
      expect.objectContaining({ remind_after_days: null, remind_times: 0, next_reminder_at: null }),
    ])
    expect(await afterDays(3)).toEqual([])
  })

  test('returns 400 for a number out of range, and for an email that is a reminder itself', async () => {
    const { email } = await invite(1)
    const reply = await ann.put(email, { json: { remind_after_days: 61 } })
    expect([reply.status, reply.body.errors[0].field]).toEqual([400, 'remind_after_days'])
    await afterDays(3)
    const [reminder] = (await ann.get(`${uri}emails/`)).body.results
    expect(reminder.reminder_of).toBeGreaterThan(0)
    const ofReminder = await ann.put(reminder.email_uri, { json: { remind_after_days: 1 } })
    expect([ofReminder.status, ofReminder.body.errors[0].code]).toEqual([400, 'not_allowed'])
  })

  test('returns 404 for an email of another survey and of another account', async () => {
    const { email } = await invite(1)
    const other = await makeSurvey(ann)
    const elsewhere = email.replace(uri, `/api/v3/surveys/${other}/`)
    expect((await ann.get(elsewhere)).status).toBe(404)
    expect((await (await world.person()).get(email)).status).toBe(404)
  })
})
