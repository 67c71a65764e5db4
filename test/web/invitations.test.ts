import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { summariseEmail } from '../../src/domain/email/queries.ts'
import { addMember, shareWith } from '../support/groups.ts'
import { type HttpBrowser, signInAs } from '../support/http-browser.ts'
import { useMailbox } from '../support/mailbox.ts'
import { makeSurvey } from '../support/responses.ts'
import { addSurvey, pageOf, text } from '../support/surveys.ts'
import { type Person, useWorld } from '../support/world.ts'

const mailbox = useMailbox()
const world = useWorld({ smtp: () => mailbox.url })
let ann: Person
let browser: HttpBrowser
let survey: { id: number }
let root: string

beforeAll(async () => {
  ann = await world.person({ name: 'Ann Example' })
  browser = await signInAs(ann)
})
beforeEach(async () => {
  mailbox.messages = []
  survey = (await addSurvey(ann, { title: 'Tea', form: [pageOf(text('q'))] })).survey
  root = `/account/surveys/${survey.id}/invitations/`
})

const invitation = {
  subject: 'Tea, [Full Name]?',
  sender: 'Ann Boss <ann@example.org>',
  message: 'Hello <b>[Full Name]</b>\r\n\r\n[Invite Link]',
}

/** Creates a draft with these recipients. @returns its path */
async function createDraft(...addresses: string[]): Promise<string> {
  await browser.get(`${root}new/`)
  const { to } = await browser.post(`${root}new/`, invitation)
  const path = to!.replace('recipients/', '')
  if (addresses.length) await browser.post(`${path}recipients/`, { how: 'paste', addresses: addresses.join('\n') })
  return path
}

const textOf = async (path: string) => {
  const page = await browser.get(path)
  expect(page.status).toBe(200)
  return page.text
}

describe('the form of an invitation', () => {
  test('shows errors at their fields and keeps the input', async () => {
    expect(await textOf(root)).toContain('No invitations yet')
    await textOf(`${root}new/`)
    const invalid = await browser.post(`${root}new/`, { ...invitation, message: 'Come!', sender: 'ann' })
    expect(invalid.status).toBe(422)
    expect(invalid.text).toMatch(/id="message-error">Message must contain \[Invite Link\]/)
    expect(invalid.text).toMatch(/id="sender-error">Sender must be a name and an email address/)
    expect(invalid.text).toContain('value="ann"')
    const saved = await browser.post(`${root}new/`, invitation)
    expect(saved).toMatchObject({ status: 303, to: expect.stringMatching(/\/invitations\/\d+\/recipients\/$/) })
    const path = saved.to!.replace('recipients/', '')
    await browser.post(`${path}edit/`, { ...invitation, subject: 'Coffee?' })
    const page = await textOf(path)
    expect(page).toContain('<h1>Coffee?</h1>')
    expect(page).toContain('Hello &lt;b&gt;[Full Name]&lt;/b&gt;')
    expect(page).toContain('Ann Boss &lt;ann@example.org&gt;')
  })

  test('takes recipients at once, and stores nothing if an address is invalid', async () => {
    const addresses = `Bob <bob-${survey.id}@example.net>\nnobody`
    const invalid = await browser.post(`${root}new/`, { ...invitation, addresses })
    expect(invalid.status).toBe(422)
    expect(invalid.text).toMatch(/id="addresses-error">Line 2: “nobody” is not an email address/)
    expect(invalid.text).toContain(`bob-${survey.id}@example.net&gt;\nnobody</textarea>`)
    expect(await textOf(root)).toContain('No invitations yet')
    const saved = await browser.post(`${root}new/`, { ...invitation, addresses: addresses.replace('nobody', '') })
    expect(saved).toMatchObject({ status: 303, to: expect.stringMatching(/\/invitations\/\d+\/$/) })
    const page = await textOf(saved.to!)
    expect(page).toContain('1 recipient<')
    expect(page.indexOf('Send invitation')).toBeLessThan(page.indexOf('Automatic reminders'))
  })

  test('previews the message to a recipient, with the HTML version in a sandbox', async () => {
    const path = await createDraft('Bob <bob@example.net>')
    const preview = await textOf(`${path}preview/`)
    expect(preview).toContain('Tea, Sam Sample?')
    const [, contact] = /<option value="(\d+)">Bob &lt;bob@example.net&gt;/.exec(preview)!
    const bobsPreview = await textOf(`${path}preview/?contact=${contact}`)
    expect(bobsPreview).toContain('Tea, Bob?')
    expect(bobsPreview).toContain('?code=preview')
    const html = await browser.get(`${path}preview/html/?contact=${contact}`)
    expect(html.text).toContain('Hello <b>Bob</b><br />')
    expect(bobsPreview).toContain('role="region" aria-label="Plain text version of the message">Hello Bob\n\nhttp')
    expect(html.headers.get('content-security-policy')).toMatch(/default-src 'none'.*frame-ancestors 'self'.*sandbox/)
    expect(html.headers.get('x-frame-options')).toBe('SAMEORIGIN')
    expect((await browser.get(`${path}preview/?contact=999999`)).status).toBe(404)
  })

  test('sends a test message to the user only', async () => {
    const path = await createDraft('bob@example.net')
    expect((await browser.post(`${path}test/`)).status).toBe(303)
    await world.runJobs()
    const [message, ...others] = mailbox.messages
    expect(others).toEqual([])
    expect(message).toMatchObject({ to: ann.actor.email, headers: { subject: '[Test] Tea, Ann Example?' } })
    expect(message!.text).toContain('?code=preview')
    expect(await textOf(path)).toContain('Draft')
  })
})

describe('the recipients page', () => {
  test('adds pasted addresses as contacts, and reports an invalid line', async () => {
    const path = await createDraft()
    const addresses = `Bob Example <bob-${survey.id}@example.net>\ninvalid\neve-${survey.id}@example.net`
    const invalid = await browser.post(`${path}recipients/`, { how: 'paste', addresses })
    expect(invalid.status).toBe(422)
    expect(invalid.text).toMatch(/id="addresses-error">Line 2: “invalid” is not an email address/)
    expect(invalid.text).toContain(`eve-${survey.id}@example.net</textarea>`)
    await browser.post(`${path}recipients/`, { how: 'paste', addresses: addresses.replace('invalid', '') })
    const page = await textOf(`${path}recipients/`)
    expect(page).toContain('2 recipients')
    const [, eve] = new RegExp(`value="(\\d+)" aria-label="Remove eve-${survey.id}`).exec(page)!
    await browser.post(`${path}recipients/remove/`, { contact: eve! })
    expect(await textOf(`${path}recipients/`)).toContain('1 recipient<')
    expect((await ann.get(`/api/v3/contacts/?search=eve-${survey.id}`)).body.count).toBe(1)
  })

  test('adds a contact list and selected contacts', async () => {
    const path = await createDraft()
    const list = (await ann.post('/api/v3/contact-lists/', { json: { name: 'Friends' } })).body.id
    const contact = (name: string) => ({ name, email: `${name}${survey.id}@example.net` })
    await ann.post(`/api/v3/contact-lists/${list}/contacts/`, { json: contact('Lea') })
    const ids: number[] = []
    for (const name of ['Max', 'Mia']) ids.push((await ann.post('/api/v3/contacts/', { json: contact(name) })).body.id)
    expect(await textOf(`${path}recipients/`)).toContain('Friends (1)')
    await browser.post(`${path}recipients/`, { how: 'list', list: String(list) })
    expect(await textOf(`${path}recipients/?search=Mia${survey.id}`)).toContain(`name="contacts" value="${ids[1]}"`)
    await browser.post(`${path}recipients/`, [
      ['how', 'contacts'],
      ...ids.map((id): [string, string] => ['contacts', String(id)]),
    ])
    expect(await textOf(`${path}recipients/`)).toContain('3 recipients')
    const withoutContacts = await browser.post(`${path}recipients/`, { how: 'contacts' })
    expect(withoutContacts.status).toBe(422)
    expect(withoutContacts.text).toContain('Select at least one contact.')
  })
})

describe('an invitation', () => {
  const summaryOf = (path: string) => ann.act((context) => summariseEmail(context, Number(/(\d+)\/$/.exec(path)![1])))

  test('is scheduled after a delay or for a future time, and can be cancelled', async () => {
    const path = await createDraft('bob@example.net')
    await browser.post(`${path}send/`, { when: 'after', weeks: '1', days: '2', hours: '', minutes: '30' })
    expect(await summaryOf(path)).toMatchObject({ status: 'scheduled', scheduledAt: new Date('2026-01-24T12:30:00Z') })
    expect(await textOf(path)).toContain('Scheduled')
    expect(await textOf(root)).toContain('scheduled for')
    expect((await browser.get(`${path}edit/`)).status).toBe(409)
    await browser.post(`${path}unschedule/`)
    expect(await summaryOf(path)).toMatchObject({ status: 'draft' })
    const past = await browser.post(`${path}send/`, { when: 'at', date: '2026-01-14', time: '09:30' })
    expect(past.status).toBe(422)
    expect(past.text).toContain('must be in the future')
    const invalidTimes: Record<string, string>[] = [
      { when: 'after' },
      { when: 'after', days: 'x' },
      { when: 'at', date: '2026-02-31', time: '' },
    ]
    for (const fields of invalidTimes) expect((await browser.post(`${path}send/`, fields)).status).toBe(422)
    await browser.post(`${path}send/`, { when: 'at', date: '2026-02-01', time: '09:30' })
    expect(await summaryOf(path)).toMatchObject({ scheduledAt: new Date('2026-02-01T09:30:00Z') })
    await world.runJobs()
    expect(mailbox.messages).toEqual([])
    await browser.post(`${path}delete/`)
    expect((await browser.get(path)).status).toBe(404)
  })

  test('shows why an interval or a number of automatic reminders is rejected', async () => {
    const path = await createDraft('bob@example.net')
    for (const [days, times, message] of [
      ['3', '-1', 'must be at least 1'],
      ['0', '2', 'must be at least 1'],
      ['1.5', '2', 'must be a whole number'],
      ['3', '6', 'must be at most 5'],
    ] as const) {
      const reply = await browser.post(`${path}reminders/`, { remind_after_days: days, remind_times: times })
      expect([reply.status, reply.text]).toEqual([422, expect.stringContaining(message)])
    }
    expect((await browser.post(`${path}reminders/`, { remind_after_days: '3', remind_times: '0' })).status).toBe(303)
    expect(await textOf(path)).toContain('No reminders are planned.')
  })

  test('is sent immediately, shows failed recipients, and can remind the other recipients', async () => {
    mailbox.behaviour = (address) => (address === 'gone@example.net' ? '550 no such user' : 'accept')
    const path = await createDraft('bob@example.net', 'gone@example.net')
    await browser.post(`${path}send/`, { when: 'now' })
    await world.runJobs()
    const page = await textOf(path)
    expect(page).toContain('1 of 2 sent, 1 failed')
    expect(page).toMatch(/Bounced: .*550 no such user/)
    expect((await browser.post(`${path}unschedule/`)).status).toBe(409)
    for (const page of ['edit/', 'recipients/']) {
      const error = await browser.get(path + page)
      expect(error.status).toBe(409)
      expect(error.text).toContain(`<a class="button" href="${path}">Tea, [Full Name]?</a>`)
    }
    const invalid = await browser.post(`${path}remind/`, { subject: 'Again', message: 'Please!' })
    expect(invalid.text).toMatch(/id="message-error">Message must contain/)
    expect(await textOf(`${path}remind/`)).toContain('Reminder: Tea, [Full Name]?')
    mailbox.messages = []
    const reminder = await browser.post(`${path}remind/`, { subject: 'Again', message: 'Please! [Invite Link]' })
    await world.runJobs()
    expect(mailbox.messages.map(({ to }) => to)).toEqual(['bob@example.net'])
    expect(await textOf(reminder.to!)).toContain('1 of 1 sent')
    expect(await textOf(root)).toContain('Reminder, 1 recipient')
    mailbox.behaviour = () => 'accept'
  })
})

describe('invite codes', () => {
  test('are created and listed with their links and statuses', async () => {
    expect(await textOf(`${root}codes/`)).toContain('0 codes')
    const invalid = await browser.post(`${root}codes/`, { count: '1001' })
    expect(invalid.text).toMatch(/id="count-error">Number of codes must be a whole number from 1 to 1000/)
    const created = await browser.post(`${root}codes/`, { count: '3' })
    const [, links] = /<textarea[^>]* id="new-links"[^>]*>([^<]+)</.exec(created.text)!
    expect(links!.split('\n')).toHaveLength(3)
    await world.anonymous.get(links!.split('\n')[0]!)
    const page = await textOf(`${root}codes/`)
    expect(page.match(/>Unused</g)).toHaveLength(2)
    expect(page).toContain('>Viewed<')
  })
})

describe('the invitations pages', () => {
  test('return 404 without a role and 403 without Deploy, and hide invitations of other users', async () => {
    const path = await createDraft('bob@example.net')
    const member = await world.person()
    const group = await shareWith(ann, survey.id, member, 'Analyze')
    for (const [user, status] of [
      [await world.person(), 404],
      [member, 403],
    ] as const) {
      const other = await signInAs(user)
      for (const page of [root, path, `${root}codes/`, `${root}new/`])
        expect((await other.get(page)).status).toBe(status)
      expect((await other.post(`${path}send/`, { when: 'now' })).status).toBe(status)
      if (status === 403) expect((await other.get(`/account/surveys/${survey.id}/`)).text).not.toContain(root)
    }
    await addMember(ann, group, member, 'Deploy')
    const other = await signInAs(member)
    expect((await other.get(root)).text).toContain('No invitations yet')
    expect((await other.get(path)).status).toBe(404)
  })

  test('return 404 for an invitation of another survey', async () => {
    const path = await createDraft('bob@example.net')
    const [, email] = /(\d+)\/$/.exec(path)!
    const other = await makeSurvey(ann, { title: 'Other' })
    expect((await browser.get(`/account/surveys/${other}/invitations/${email}/`)).status).toBe(404)
  })
})
