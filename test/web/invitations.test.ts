import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { Visitor } from '../support/http-browser.ts'
import { useMailbox } from '../support/mailbox.ts'
import { pageOf, text } from '../support/surveys.ts'
import { type Person, useWorld } from '../support/world.ts'

const mailbox = useMailbox()
const world = useWorld({ smtp: () => mailbox.url })
let ann: Person
let browser: Visitor
let survey: { id: number; uri: string }
let root: string

beforeAll(async () => {
  ann = await world.person({ name: 'Ann Example' })
  browser = new Visitor(world.base)
  await browser.signIn(ann.actor.username, ann.password)
})
beforeEach(async () => {
  mailbox.messages = []
  survey = (await ann.post('/api/v2/surveys/', { json: { title: 'Tea', form: [pageOf(text('q'))] } })).body
  root = `/account/surveys/${survey.id}/invitations/`
})

const writing = {
  subject: 'Tea, [Full Name]?',
  from_name: 'Ann <"Boss">',
  from_email: 'ann@example.org',
  message: 'Hello <b>[Full Name]</b>\r\n\r\n[Invite Link]',
}

/** Writes a draft with these recipients. @returns its address */
async function drafted(...addresses: string[]): Promise<string> {
  await browser.get(`${root}new/`)
  const { to } = await browser.post(`${root}new/`, writing)
  const path = to!.replace('recipients/', '')
  if (addresses.length) await browser.post(`${path}recipients/`, { how: 'paste', addresses: addresses.join('\n') })
  return path
}

const seen = async (path: string) => {
  const page = await browser.get(path)
  expect(page.status).toBe(200)
  return page.text
}

describe('writing an invitation', () => {
  test('shows errors at their fields and keeps the input', async () => {
    expect(await seen(root)).toContain('No invitations yet')
    await seen(`${root}new/`)
    const refused = await browser.post(`${root}new/`, { ...writing, message: 'Come!', from_email: 'ann' })
    expect(refused.status).toBe(422)
    expect(refused.text).toMatch(/id="message-error">Message must contain \[Invite Link\]/)
    expect(refused.text).toMatch(/id="from_email-error">From \(email\) must be a name and an email address/)
    expect(refused.text).toContain('value="Ann &lt;&quot;Boss&quot;&gt;"')
    const saved = await browser.post(`${root}new/`, writing)
    expect(saved).toMatchObject({ status: 303, to: expect.stringMatching(/\/invitations\/\d+\/recipients\/$/) })
    const path = saved.to!.replace('recipients/', '')
    await browser.post(`${path}edit/`, { ...writing, subject: 'Coffee?' })
    const page = await seen(path)
    expect(page).toContain('<h1>Coffee?</h1>')
    expect(page).toContain('Hello &lt;b&gt;[Full Name]&lt;/b&gt;')
    expect(page).toContain('Ann Boss &lt;ann@example.org&gt;')
  })

  test('previews the message of a recipient; the HTML version is sandboxed', async () => {
    const path = await drafted('Bob <bob@example.net>')
    const preview = await seen(`${path}preview/`)
    expect(preview).toContain('Tea, Sam Sample?')
    const [, contact] = /<option value="(\d+)">Bob &lt;bob@example.net&gt;/.exec(preview)!
    const bobs = await seen(`${path}preview/?contact=${contact}`)
    expect(bobs).toContain('Tea, Bob?')
    expect(bobs).toContain('?code=preview')
    const part = await browser.get(`${path}preview/html/?contact=${contact}`)
    expect(part.text).toContain('Hello <b>Bob</b><br />')
    expect(bobs).toContain('role="region" aria-label="Plain text version of the message">Hello Bob\n\nhttp')
    expect(part.headers.get('content-security-policy')).toMatch(/default-src 'none'.*frame-ancestors 'self'.*sandbox/)
    expect(part.headers.get('x-frame-options')).toBe('SAMEORIGIN')
    expect((await browser.get(`${path}preview/?contact=999999`)).status).toBe(404)
  })

  test('sends a test to the user and to no recipient', async () => {
    const path = await drafted('bob@example.net')
    expect((await browser.post(`${path}test/`)).status).toBe(303)
    await world.runJobs()
    const [letter, ...more] = mailbox.messages
    expect(more).toEqual([])
    expect(letter).toMatchObject({ to: ann.actor.email, headers: { subject: '[Test] Tea, Ann Example?' } })
    expect(letter!.text).toContain('?code=preview')
    expect(await seen(path)).toContain('Draft')
  })
})

describe('recipients', () => {
  test('adds pasted addresses as contacts, and reports an invalid line', async () => {
    const path = await drafted()
    const addresses = `Bob Example <bob-${survey.id}@example.net>\nnobody\neve-${survey.id}@example.net`
    const refused = await browser.post(`${path}recipients/`, { how: 'paste', addresses })
    expect(refused.status).toBe(422)
    expect(refused.text).toMatch(/id="addresses-error">Line 2: “nobody” is not an email address/)
    expect(refused.text).toContain(`eve-${survey.id}@example.net</textarea>`)
    await browser.post(`${path}recipients/`, { how: 'paste', addresses: addresses.replace('nobody', '') })
    const page = await seen(`${path}recipients/`)
    expect(page).toContain('2 recipients')
    const [, eve] = new RegExp(`value="(\\d+)" aria-label="Remove eve-${survey.id}`).exec(page)!
    await browser.post(`${path}recipients/remove/`, { contact: eve! })
    expect(await seen(`${path}recipients/`)).toContain('1 recipient<')
    expect((await ann.get(`/api/v3/contacts/?search=eve-${survey.id}`)).body.count).toBe(1)
  })

  test('adds a contact list and selected contacts', async () => {
    const path = await drafted()
    const list = (await ann.post('/api/v3/contact-lists/', { json: { name: 'Friends' } })).body.id
    const named = (name: string) => ({ name, email: `${name}${survey.id}@example.net` })
    await ann.post(`/api/v3/contact-lists/${list}/contacts/`, { json: named('Lea') })
    const ids: number[] = []
    for (const name of ['Max', 'Mia']) ids.push((await ann.post('/api/v3/contacts/', { json: named(name) })).body.id)
    expect(await seen(`${path}recipients/`)).toContain('Friends (1)')
    await browser.post(`${path}recipients/`, { how: 'list', list: String(list) })
    expect(await seen(`${path}recipients/?search=Mia${survey.id}`)).toContain(`name="contacts" value="${ids[1]}"`)
    await browser.post(`${path}recipients/`, [
      ['how', 'contacts'],
      ...ids.map((id): [string, string] => ['contacts', String(id)]),
    ])
    expect(await seen(`${path}recipients/`)).toContain('3 recipients')
    const none = await browser.post(`${path}recipients/`, { how: 'contacts' })
    expect(none.status).toBe(422)
    expect(none.text).toContain('must have at least one contact')
  })
})

describe('sending', () => {
  const scheduledOf = async (path: string) =>
    (await ann.get(`/api/v2/emails/${/(\d+)\/$/.exec(path)![1]}/`)).body as { status: string; scheduled?: string }

  test('schedules after a delay or for a future time, and can be cancelled', async () => {
    const path = await drafted('bob@example.net')
    await browser.post(`${path}send/`, { when: 'after', weeks: '1', days: '2', hours: '', minutes: '30' })
    expect(await scheduledOf(path)).toMatchObject({ status: 'scheduled', scheduled: '2026-01-24T12:30:00.000Z' })
    expect(await seen(path)).toContain('Scheduled')
    expect(await seen(root)).toContain('scheduled for')
    expect((await browser.get(`${path}edit/`)).status).toBe(409)
    await browser.post(`${path}unschedule/`)
    expect(await scheduledOf(path)).toMatchObject({ status: 'draft' })
    const over = await browser.post(`${path}send/`, { when: 'at', date: '2026-01-14', time: '09:30' })
    expect(over.status).toBe(422)
    expect(over.text).toContain('must be in the future')
    const wrongs: Record<string, string>[] = [
      { when: 'after' },
      { when: 'after', days: 'x' },
      { when: 'at', date: '2026-02-31', time: '' },
    ]
    for (const wrong of wrongs) expect((await browser.post(`${path}send/`, wrong)).status).toBe(422)
    await browser.post(`${path}send/`, { when: 'at', date: '2026-02-01', time: '09:30' })
    expect(await scheduledOf(path)).toMatchObject({ scheduled: '2026-02-01T09:30:00.000Z' })
    await world.runJobs()
    expect(mailbox.messages).toEqual([])
    await browser.post(`${path}delete/`)
    expect((await browser.get(path)).status).toBe(404)
  })

  test('sends now, shows failed recipients, and reminds the others', async () => {
    mailbox.behaviour = (address) => (address === 'gone@example.net' ? '550 no such user' : 'accept')
    const path = await drafted('bob@example.net', 'gone@example.net')
    await browser.post(`${path}send/`, { when: 'now' })
    await world.runJobs()
    const page = await seen(path)
    expect(page).toContain('1 of 2 sent, 1 failed')
    expect(page).toMatch(/Bounced: .*550 no such user/)
    expect((await browser.post(`${path}unschedule/`)).status).toBe(409)
    const empty = await browser.post(`${path}remind/`, { subject: 'Again', message: 'Please!' })
    expect(empty.text).toMatch(/id="message-error">Message must contain/)
    expect(await seen(`${path}remind/`)).toContain('Reminder: Tea, [Full Name]?')
    mailbox.messages = []
    const reminded = await browser.post(`${path}remind/`, { subject: 'Again', message: 'Please! [Invite Link]' })
    await world.runJobs()
    expect(mailbox.messages.map(({ to }) => to)).toEqual(['bob@example.net'])
    expect(await seen(reminded.to!)).toContain('1 of 1 sent')
    expect(await seen(root)).toContain('Reminder, 1 recipient')
    mailbox.behaviour = () => 'accept'
  })
})

describe('invite codes', () => {
  test('are created and listed with their links and statuses', async () => {
    expect(await seen(`${root}codes/`)).toContain('0 codes')
    const refused = await browser.post(`${root}codes/`, { count: '1001' })
    expect(refused.text).toMatch(/id="count-error">Number of codes must be a whole number from 1 to 1000/)
    const made = await browser.post(`${root}codes/`, { count: '3' })
    const [, links] = /<textarea[^>]* id="new-links"[^>]*>([^<]+)</.exec(made.text)!
    expect(links!.split('\n')).toHaveLength(3)
    await world.anonymous.get(links!.split('\n')[0]!)
    const page = await seen(`${root}codes/`)
    expect(page.match(/>Unused</g)).toHaveLength(2)
    expect(page).toContain('>Viewed<')
  })
})

describe('access to invitations', () => {
  test('returns 404 to strangers, requires the role Deploy, and hides emails of others', async () => {
    const path = await drafted('bob@example.net')
    const stranger = await world.person()
    const member = await world.person()
    const { id } = (await ann.post('/api/v2/groups/', { json: { name: `Team${survey.id}` } })).body
    const give = (roles: string) =>
      ann.put(`/api/v2/groups/${id}/members/`, { json: { email: member.actor.email, roles } })
    await give('Analyze')
    await ann.put(`/api/v2/surveys/${survey.id}/groups/`, { json: { group: id } })
    for (const [who, status] of [
      [stranger, 404],
      [member, 403],
    ] as const) {
      const other = new Visitor(world.base)
      await other.signIn(who.actor.username, who.password)
      for (const where of [root, path, `${root}codes/`, `${root}new/`])
        expect((await other.get(where)).status).toBe(status)
      expect((await other.post(`${path}send/`, { when: 'now' })).status).toBe(status)
      if (status === 403) expect((await other.get(`/account/surveys/${survey.id}/`)).text).not.toContain(root)
    }
    await give('Deploy')
    const other = new Visitor(world.base)
    await other.signIn(member.actor.username, member.password)
    expect((await other.get(root)).text).toContain('No invitations yet')
    expect((await other.get(path)).status).toBe(404)
  })

  test('returns 404 for an email of another survey', async () => {
    const path = await drafted('bob@example.net')
    const [, email] = /(\d+)\/$/.exec(path)!
    const other = (await ann.post('/api/v2/surveys/', { json: { title: 'Other' } })).body
    expect((await browser.get(`/account/surveys/${other.id}/invitations/${email}/`)).status).toBe(404)
  })
})
