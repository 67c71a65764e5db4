import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { Tables } from '../../src/domain/tables.ts'
import { createDraft, emailProgress, sendDraft } from '../support/emails.ts'
import { signInAs } from '../support/http-browser.ts'
import { useMailbox } from '../support/mailbox.ts'
import { makeSurvey } from '../support/responses.ts'
import { type Person, useWorld } from '../support/world.ts'

const mailbox = useMailbox()
const world = useWorld({ smtp: () => mailbox.url })
const CONTACTS = '/api/v3/contacts/'
const CSV = `${CONTACTS}csv/`
let ann: Person
let survey: number
beforeAll(async () => {
  ann = await world.person({ username: 'ann' })
  survey = await makeSurvey(ann)
})
let email: string
let count = 0
beforeEach(() => {
  mailbox.messages = []
  email = `leave${++count}@example.net`
})

const create = async (name: string, address = email, owner = ann) =>
  (await owner.post(CONTACTS, { json: { name, email: address } })).body
const read = async ({ contact_uri }: { contact_uri: string }) => (await ann.get(contact_uri)).body.unsubscribed
const importCsv = (...rows: string[]) =>
  ann.post(CSV, { body: rows.join('\n'), headers: { 'content-type': 'text/csv' } })

/** Sends an email to a contact. @returns its unsubscribe link; undefined if no mail went out */
async function sendTo({ id }: { id: number }): Promise<string | undefined> {
  mailbox.messages = []
  const draft = await createDraft(ann, survey, [{ ids: [id], field: 'contacts' }])
  await sendDraft(ann, draft)
  await world.runJobs()
  const [message] = mailbox.messages
  expect(await emailProgress(ann, draft)).toMatchObject({ sent: message ? 1 : 0, skipped: message ? 0 : 1 })
  return message?.headers['list-unsubscribe']?.slice(1, -1)
}
const unsubscribe = async (link: string | undefined) =>
  expect((await world.anonymous.post(link!, { form: { 'List-Unsubscribe': 'One-Click' } })).status).toBe(200)
/** Creates a contact that has unsubscribed with the link of an email. */
async function unsubscribed(name: string) {
  const contact = await create(name)
  await unsubscribe(await sendTo(contact))
  return contact
}

describe('an address that has unsubscribed [spec 8.1]', () => {
  test.each(['', 'erase/'])(
    'is remembered when its contact is deleted and created again (DELETE, POST %s)',
    async (path) => {
      const contact = await unsubscribed('Bob')
      if (path) await ann.post(`${contact.contact_uri}${path}`)
      else await ann.delete(contact.contact_uri)
      const again = await create('Bob', `  ${email.toUpperCase()}\u200b`)
      expect(again.unsubscribed).toBe(true)
      expect(await sendTo(again)).toBeUndefined()
      const page = await (await signInAs(ann)).get(`/account/contacts/${again.id}/`)
      expect(page.text).toContain('This person has unsubscribed.')
      expect((await create('Bob', email, await world.person())).unsubscribed).toBe(false)
    },
  )

  test('is remembered in an import after all contacts were deleted, and in later names', async () => {
    const contact = await unsubscribed('Bob')
    await ann.delete(contact.contact_uri)
    const rows = [`Bob,${email},Oslo`, `Robert,${email.toUpperCase()},Oslo`, 'Eve,eve@example.net,Oslo']
    expect((await importCsv('name,email,city', ...rows)).body).toMatchObject({ created: 3 })
    const { results } = (await ann.get(`${CONTACTS}?search=oslo`)).body
    expect(results.map((one: { unsubscribed: boolean }) => one.unsubscribed)).toEqual([true, true, false])
    expect(await sendTo(results[1])).toBeUndefined()
  })

  test('shows at all contacts with this address, also at those that exist already', async () => {
    const robert = await create('Robert', email.toUpperCase())
    await unsubscribed('Bob')
    expect(await read(robert)).toBe(true)
    expect((await create('Bobby')).unsubscribed).toBe(true)
    const list = await (await signInAs(ann)).get(`/account/contacts/?search=${email}`)
    expect(list.text.split('<span class="tag">Unsubscribed</span>')).toHaveLength(4)
  })

  test('is remembered if the contact has been deleted before the person uses the link, or has another address now', async () => {
    const contact = await create('Bob')
    const link = await sendTo(contact)
    await ann.delete(contact.contact_uri)
    const again = await create('Bob')
    await ann.delete(again.contact_uri)
    await unsubscribe(link)
    expect((await create('Bob')).unsubscribed).toBe(true)

    email = `moved${email}`
    const moving = await create('Eve')
    const second = await sendTo(moving)
    await ann.put(moving.contact_uri, { json: { email: `new${email}` } })
    await unsubscribe(second)
    expect(await read(moving)).toBe(true)
    expect((await create('Eve')).unsubscribed).toBe(true)
  })

  test('is remembered if the contact gets another address, which is unsubscribed too', async () => {
    const contact = await unsubscribed('Bob')
    const changed = await ann.put(contact.contact_uri, { json: { email: `new${email}`, unsubscribed: false } })
    expect(changed.body.unsubscribed).toBe(false)
    expect((await create('Bob')).unsubscribed).toBe(true)
    expect((await ann.put(contact.contact_uri, { json: { name: 'Bo', email } })).body.unsubscribed).toBe(true)
  })

  test.each([
    ['an update', (uri: string) => ann.put(uri, { json: { unsubscribed: true } })],
    ['an import', () => importCsv('name,email,unsubscribed', `Bob,${email},yes`)],
  ])('is remembered if the owner says so in %s', async (_, change) => {
    const contact = await create('Bob')
    const other = await create('Robert')
    expect((await change(contact.contact_uri)).status).toBe(200)
    expect([await read(contact), await read(other)]).toEqual([true, true])
    for (const one of [contact, other]) await ann.delete(one.contact_uri)
    expect((await create('Bob')).unsubscribed).toBe(true)
  })

  test('gets mail again, under every name, if the owner sets unsubscribed to false', async () => {
    const contact = await unsubscribed('Bob')
    const other = await create('Robert')
    expect((await ann.put(other.contact_uri, { json: { unsubscribed: false } })).body.unsubscribed).toBe(false)
    expect(await read(contact)).toBe(false)
    expect(await sendTo(contact)).toBeDefined()
    await ann.delete(contact.contact_uri)
    expect((await create('Bob')).unsubscribed).toBe(false)
  })

  test('is stored as a keyed hash only, and is deleted with the account', async () => {
    const owner = await world.person()
    const contact = await create('Bob', email, owner)
    const accountId = await owner.act(async ({ actor }) => actor.id)
    await owner.put(contact.contact_uri, { json: { unsubscribed: true } })
    await owner.delete(contact.contact_uri)
    const stored = () =>
      world
        .em()
        .getKysely<Tables>()
        .selectFrom('unsubscribed_address')
        .selectAll()
        .where('account_id', '=', accountId)
        .execute()
    expect(await stored()).toEqual([{ account_id: accountId, digest: expect.any(Buffer) }])
    await world.em().getKysely<Tables>().deleteFrom('account').where('id', '=', accountId).execute()
    expect(await stored()).toEqual([])
  })
})
