import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { removeMember } from '../../src/domain/group/commands.ts'
import { enqueueDueNotifications } from '../../src/domain/notification/enqueue-due.ts'
import type { Tables } from '../../src/domain/tables.ts'
import { addMember, shareWith } from '../support/groups.ts'
import { useMailbox } from '../support/mailbox.ts'
import { recordStatements } from '../support/record-statements.ts'
import { respond } from '../support/respondents.ts'
import { makeSurvey, TWO_PAGES } from '../support/responses.ts'
import { type Person, useWorld } from '../support/world.ts'

const MINUTE_MS = 60_000
const mailbox = useMailbox()
const world = useWorld({ smtp: () => mailbox.url })
let ann: Person
let survey: number
let path: string
let start: number
beforeAll(async () => {
  ann = await world.person()
})
beforeEach(async () => {
  mailbox.messages = []
  mailbox.behaviour = () => 'accept'
  start = new Date('2026-01-15T12:00:00Z').getTime() + (survey ?? 0) * 7 * 86_400_000
  world.now = new Date(start)
  survey = await makeSurvey(ann, { ...TWO_PAGES, title: 'Lunch' })
  path = `/api/v3/surveys/${survey}/notification/`
})

const ask = (frequency: string, person = ann) => person.put(path, { json: { frequency } })

const changeAccount = (change: { language?: string | null; time_zone?: string | null }) =>
  ann.act(({ em }) =>
    em.getKysely<Tables>().updateTable('account').set(change).where('id', '=', ann.actor.id).execute(),
  )

const enqueueDue = () => recordStatements(() => enqueueDueNotifications(world.context(), new AbortController().signal))

/** Runs the jobs a number of minutes after the start. @returns the messages that they sent */
async function messagesAfter(minutes: number) {
  const before = mailbox.messages.length
  world.now = new Date(start + minutes * MINUTE_MS)
  await enqueueDue()
  await world.runJobs()
  return mailbox.messages.slice(before)
}
const subjectsAfter = async (minutes: number) => (await messagesAfter(minutes)).map(({ headers }) => headers.subject)

describe('an immediate notification', () => {
  test('is sent at most every ten minutes, and counts all responses since the last email [spec 5.15]', async () => {
    await respond(world, survey)
    await ask('immediate')
    expect(await subjectsAfter(1)).toEqual([])
    await respond(world, survey)
    expect(await subjectsAfter(2)).toEqual(['1 new response: Lunch'])
    expect(await subjectsAfter(3)).toEqual([])
    await Promise.all(Array.from({ length: 1200 }, () => respond(world, survey)))
    expect(await subjectsAfter(11.9)).toEqual([])
    expect(await subjectsAfter(12)).toEqual(['1,200 new responses: Lunch'])
    expect(await subjectsAfter(22)).toEqual([])
    await respond(world, survey)
    expect(await subjectsAfter(40)).toEqual(['1 new response: Lunch'])
  })

  test('contains the survey and links, and no answers [spec 5.15]', async () => {
    await ask('immediate')
    const { id } = await respond(world, survey, { answers: { first: 'a secret answer' }, username: 'kay' })
    const [message] = await messagesAfter(1)
    const list = `${world.base}/account/surveys/${survey}/responses/`
    expect(message!.to).toBe(ann.actor.email)
    expect(message!.text).toContain('There is 1 new response to the survey “Lunch”.')
    expect(message!.text).toContain(`View the response:\n${list}${id}/\n\nView all responses:\n${list}\n`)
    expect(message!.raw).not.toMatch(/secret|kay|203\.0\.113\.7/)
    await Promise.all([respond(world, survey), respond(world, survey)])
    const [both] = await messagesAfter(11)
    expect(both!.text).not.toContain('View the response:')
  })

  test('counts a response when it becomes complete, and only once', async () => {
    await ask('immediate')
    const responses = `/api/v3/surveys/${survey}/responses/`
    const { id } = (await ann.post(responses, { json: {} })).body
    const { id: deleted } = await respond(world, survey)
    await ann.delete(`${responses}${deleted}/`)
    expect(await subjectsAfter(1)).toEqual([])
    await ann.put(`${responses}${id}/`, { json: { _completed: 1 } })
    expect(await subjectsAfter(2)).toEqual(['1 new response: Lunch'])
    world.now = new Date(start + 20 * MINUTE_MS)
    await ann.put(`${responses}${id}/`, { json: { _completed: 1 } })
    expect(await subjectsAfter(21)).toEqual([])
  })

  test('is sent once by several servers', async () => {
    await ask('immediate')
    await respond(world, survey)
    world.now = new Date(start + MINUTE_MS)
    await Promise.all([1, 2, 3].map(enqueueDue))
    await world.runJobs()
    expect(mailbox.messages).toHaveLength(1)
  })

  test('is in the language of the account', async () => {
    await changeAccount({ language: 'de' })
    await ask('immediate')
    await respond(world, survey)
    const [message] = await messagesAfter(1)
    await changeAccount({ language: null })
    expect(message!.headers.subject).toBe('1 neue Antwort: Lunch')
    expect(message!.text).toContain('Es gibt 1 neue Antwort auf die Umfrage „Lunch“.')
  })

  test('is sent again if the mail server defers it, but not if the server rejects it', async () => {
    await ask('immediate')
    await respond(world, survey)
    mailbox.behaviour = () => '451 busy'
    world.now = new Date(start + MINUTE_MS)
    await enqueueDue()
    expect((await world.runJobs('failures')).filter(({ error }) => error)).toHaveLength(1)
    mailbox.behaviour = () => 'accept'
    expect(await subjectsAfter(4)).toEqual(['1 new response: Lunch'])
    await respond(world, survey)
    mailbox.behaviour = () => '550 unknown'
    expect(await subjectsAfter(15)).toEqual([])
    mailbox.behaviour = () => 'accept'
    expect(await subjectsAfter(200)).toEqual([])
  })
})

describe('a notification of an anonymous survey', () => {
  test('is sent on the hour, with the number of responses and no link to a response [spec 5.15]', async () => {
    await ann.put(`/api/v3/surveys/${survey}/settings/`, { json: { anonymous: true } })
    world.now = new Date(start + 5 * MINUTE_MS)
    await ask('immediate')
    await respond(world, survey, { createdAt: new Date(start) })
    expect([...(await subjectsAfter(11)), ...(await subjectsAfter(59))]).toEqual([])
    const [message] = await messagesAfter(60)
    expect(message!.headers.subject).toBe('1 new response: Lunch')
    expect(message!.text).not.toContain('View the response:')
    const { id } = (await ann.post(`/api/v3/surveys/${survey}/responses/`, { json: {} })).body
    expect(await subjectsAfter(120)).toEqual([])
    await ann.put(`/api/v3/surveys/${survey}/responses/${id}/`, { json: { _completed: 1 } })
    expect([...(await subjectsAfter(122)), ...(await subjectsAfter(200))]).toEqual([])
    expect(await subjectsAfter(240)).toEqual(['1 new response: Lunch'])
  })

  test('counts a response that is completed after its first page', async () => {
    await ann.put(`/api/v3/surveys/${survey}/settings/`, { json: { anonymous: true } })
    await ask('daily')
    const { id } = (await ann.post(`/api/v3/surveys/${survey}/responses/`, { json: {} })).body
    expect(await subjectsAfter(19 * 60)).toEqual([])
    await ann.put(`/api/v3/surveys/${survey}/responses/${id}/`, { json: { _completed: 1 } })
    expect(await subjectsAfter(43 * 60)).toEqual(['1 new response: Lunch'])
  })
})

describe('a daily notification', () => {
  test('is sent at 07:00 in the time zone of the account, on days with new responses [spec 5.15]', async () => {
    await changeAccount({ time_zone: 'Asia/Tokyo' })
    await ask('daily')
    await changeAccount({ time_zone: null })
    await Promise.all([respond(world, survey), respond(world, survey)])
    // 07:00 in Tokyo is 22:00 UTC, ten hours after the start.
    expect(await subjectsAfter(10 * 60 - 1)).toEqual([])
    expect(await subjectsAfter(10 * 60)).toEqual(['2 new responses: Lunch'])
    // Now the time zone is UTC. In UTC, it is 07:00 after 19 hours, 43 hours and 67 hours.
    await respond(world, survey)
    expect(await subjectsAfter(19 * 60)).toEqual(['1 new response: Lunch'])
    expect(await subjectsAfter(43 * 60)).toEqual([])
    await respond(world, survey)
    expect(await subjectsAfter(44 * 60)).toEqual([])
    expect(await subjectsAfter(67 * 60)).toEqual(['1 new response: Lunch'])
  })
})

describe('notifications end', () => {
  test('when they are turned off. If they are turned on again, earlier responses are not counted', async () => {
    await ask('immediate')
    await respond(world, survey)
    await ask('off')
    expect(await subjectsAfter(1)).toEqual([])
    await ask('immediate')
    expect(await subjectsAfter(2)).toEqual([])
  })

  test('by one click in the mail program and by the link in the email, without a session [spec 5.15]', async () => {
    await ask('immediate')
    await respond(world, survey)
    const [message] = await messagesAfter(1)
    const link = message!.headers['list-unsubscribe']!.slice(1, -1)
    expect(message!.headers['list-unsubscribe-post']).toBe('List-Unsubscribe=One-Click')
    expect(message!.text).toContain(link)
    const shown = await fetch(link)
    expect([shown.status, await shown.text()]).toEqual([200, expect.stringContaining('Turn off notifications?')])
    expect((await ann.get(path)).body.frequency).toBe('immediate')
    const forged = link.replace(/.{5}\/$/, '00000/')
    expect((await fetch(forged, { method: 'POST' })).status).toBe(404)
    expect((await ann.get(path)).body.frequency).toBe('immediate')
    const done = await fetch(link, { method: 'POST', body: new URLSearchParams('List-Unsubscribe=One-Click') })
    expect([done.status, await done.text()]).toEqual([200, expect.stringContaining('Notifications are off')])
    expect((await ann.get(path)).body.frequency).toBe('off')
    await respond(world, survey)
    expect(await subjectsAfter(20)).toEqual([])
  })

  test('when a member loses the role Analyze or leaves the group, also between the count and the email [spec 5.15]', async () => {
    const bob = await world.person()
    const group = await shareWith(ann, survey, bob, 'Analyze')
    await ask('immediate', bob)
    await respond(world, survey)
    expect((await messagesAfter(1)).map(({ to }) => to)).toEqual([bob.actor.email])
    await addMember(ann, group, bob, 'Edit')
    await respond(world, survey)
    expect(await messagesAfter(20)).toEqual([])
    await addMember(ann, group, bob, 'Analyze')
    expect((await bob.get(path)).body.frequency).toBe('off')

    await ask('immediate', bob)
    await respond(world, survey)
    world.now = new Date(start + 40 * MINUTE_MS)
    await enqueueDue()
    await ann.act((context) => removeMember(context, group, bob.actor.email))
    await world.runJobs()
    expect(mailbox.sentTo(bob.actor.email)).toHaveLength(1)
  })

  test('when the survey or the account is deleted [spec 5.15]', async () => {
    const bob = await world.person()
    await shareWith(ann, survey, bob, 'Analyze')
    await Promise.all([ask('immediate'), ask('immediate', bob)])
    await respond(world, survey)
    world.now = new Date(start + MINUTE_MS)
    await enqueueDue()
    const account = await bob.delete(`/api/v3/users/${bob.actor.id}/`, { json: { password: bob.password } })
    expect(account.status).toBe(200)
    await world.runJobs()
    expect(mailbox.messages.map(({ to }) => to)).toEqual([ann.actor.email])
    await respond(world, survey)
    await ann.delete(`/api/v3/surveys/${survey}/`)
    expect(await subjectsAfter(20)).toEqual([])
  })

  test('when the survey is closed, after a last notification about the responses until then', async () => {
    await ask('immediate')
    await respond(world, survey)
    await ann.put(`/api/v3/surveys/${survey}/`, { json: { live: 0 } })
    expect(await subjectsAfter(1)).toEqual(['1 new response: Lunch'])
    expect(await subjectsAfter(20)).toEqual([])
  })
})
