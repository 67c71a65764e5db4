import { beforeEach, describe, expect, test } from '@jest/globals'
import { insertContacts } from '../support/contacts.ts'
import { Visitor } from '../support/http-browser.ts'
import { type Person, useWorld } from '../support/world.ts'

const world = useWorld()
const BOOK = '/account/contacts/'
let ann: Person
let browser: Visitor

beforeEach(async () => {
  ann = await world.person()
  browser = new Visitor(world.base)
  await browser.signIn(ann.actor.username, ann.password)
  await browser.get(BOOK)
})

const seen = async (path: string) => {
  const page = await browser.get(path)
  expect(page.status).toBe(200)
  return page.text
}
const stored = async (search = '') => (await ann.get(`/api/v3/contacts/?search=${search}`)).body.results
const create = async (name: string, more: object = {}): Promise<number> =>
  (await ann.post('/api/v3/contacts/', { json: { name, email: `${name.toLowerCase()}@example.net`, ...more } })).body.id

describe('the address book', () => {
  test('adds, searches, changes and deletes contacts with custom fields', async () => {
    expect(await seen(BOOK)).toContain('Your address book is empty')
    const wrong = await browser.post(`${BOOK}new/`, { name: '', email: 'bob', 'field.new': 'id', 'custom.new': '7' })
    expect(wrong.status).toBe(422)
    expect(wrong.text).toMatch(/id="name-error">Name must not be blank/)
    expect(wrong.text).toMatch(/id="email-error">Enter an email address/)
    expect(wrong.text).toMatch(/id="field.new-error">New field name is a standard field of contacts/)
    const bob = { name: 'Bob <b>', email: 'bob@example.net' }
    await browser.post(`${BOOK}new/`, { ...bob, 'field.new': 'shoe size', 'custom.new': '43' })
    const [{ id, ...contact }] = await stored()
    expect(contact).toMatchObject({ ...bob, 'shoe size': '43' })
    expect((await browser.post(`${BOOK}new/`, bob)).status).toBe(422)
    expect(await seen(`${BOOK}?search=43`)).toContain('Bob &lt;b&gt;')
    expect(await seen(`${BOOK}?search=44`)).toContain('No contacts match your search.')
    expect(await seen(`${BOOK}${id}/`)).toMatch(/name="field.0" value="shoe size"/)
    await browser.post(`${BOOK}${id}/`, {
      ...bob,
      'field.0': 'shoe size',
      'custom.0': '',
      'field.new': 'city',
      'custom.new': 'Oslo',
    })
    const [changed] = await stored()
    expect(changed).toMatchObject({ city: 'Oslo' })
    expect(changed).not.toHaveProperty('shoe size')
    await browser.get(`${BOOK}${id}/delete/`)
    await browser.post(`${BOOK}${id}/delete/`)
    expect(await stored()).toEqual([])
    expect((await browser.get(`${BOOK}${id}/`)).status).toBe(404)
  })

  test('shows fifty contacts on a page', async () => {
    await insertContacts(world, ann, 120)
    expect(await seen(BOOK)).toContain('120 contacts')
    const last = await seen(`${BOOK}?page=3`)
    expect(last.match(/type="checkbox"/g)).toHaveLength(20)
    expect(last).toContain('Page 3 of 3')
  })

  test('erases personal data after a confirmation, with an anonymous receipt', async () => {
    const id = await create('Eve')
    await seen(`${BOOK}${id}/delete/`)
    const unsure = await browser.post(`${BOOK}${id}/erase/`)
    expect(unsure.status).toBe(422)
    expect(await stored()).toHaveLength(1)
    const receipt = await browser.post(`${BOOK}${id}/erase/`, { sure: 'yes' })
    expect(receipt.text).toContain('<dt>Contacts</dt><dd>1</dd>')
    expect(receipt.text).not.toContain('eve@example.net')
    expect(await stored()).toEqual([])
  })
})

describe('contact lists', () => {
  test('are created, filled, renamed and deleted without deleting contacts', async () => {
    const ids = [await create('Bob'), await create('Cleo')]
    expect((await browser.post(`${BOOK}lists/`, { name: ' ' })).text).toMatch(/id="name-error">Name must not be blank/)
    const { to: list } = await browser.post(`${BOOK}lists/`, { name: 'Friends' })
    const [, number] = /(\d+)\/$/.exec(list!)!
    const chosen = ids.map((id): [string, string] => ['contact', String(id)])
    const put = await browser.post(BOOK, [['list', number!], ['back', `${BOOK}?search=o`], ...chosen])
    expect(put.to).toBe(`${BOOK}?search=o`)
    expect(await seen(list!)).toContain('2 contacts')
    const refused = await browser.post(`${list}add/`, { addresses: 'Dan <dan@example.net>\nnobody' })
    expect(refused.text).toContain('Line 2: “nobody” is not an email address')
    await browser.post(`${list}add/`, { addresses: 'Dan <dan@example.net>\nbob@example.net' })
    expect(await seen(list!)).toContain('3 contacts')
    await browser.post(`${list}remove/`, { contact: String(ids[0]) })
    expect((await browser.post(list!, { name: 'Pals', color: 'red' })).text).toMatch(/id="color-error"/)
    await browser.post(list!, { name: 'Pals', color: '#00ff00' })
    expect(await seen(`${BOOK}lists/`)).toMatch(/fill="#00ff00".*Pals.*2 contacts/s)
    await browser.post(`${list}delete/`)
    expect((await browser.get(list!)).status).toBe(404)
    expect(await stored()).toHaveLength(3)
  })
})

describe('a contact file', () => {
  test('is imported as a whole, or reports the errors of each row', async () => {
    await create('Bob')
    await seen(`${BOOK}import/`)
    const wrong = await browser.upload(`${BOOK}import/`, 'name,email,city\nBob,bob@example.net,Oslo\nEve,eve,\n"x')
    expect(wrong.status).toBe(422)
    expect(wrong.text).toContain('Nothing was imported')
    const rows = await browser.upload(
      `${BOOK}import/`,
      'name,email,city\nBob,bob@example.net,Oslo\nEve,eve,\n,x@y.z,<b>',
    )
    expect(rows.text).toContain('<strong>Row 3: email</strong> must be an email address')
    expect(rows.text).toContain('<strong>Row 4: name</strong> must not be blank')
    expect(await stored()).toHaveLength(1)
    const done = await browser.upload(
      `${BOOK}import/`,
      '\ufeffname,email,city\r\nBob,bob@example.net,Oslo\r\nEve,eve@example.net,\r\n',
    )
    expect(done.to).toBe(BOOK)
    expect(await seen(BOOK)).toContain('1 contact added, 1 updated.')
    expect((await browser.upload(`${BOOK}import/`, '')).text).toContain('is empty')
  })

  test('is exported in the format of the import', async () => {
    await create('Bob', { city: '=1+1' })
    const file = await browser.get(`${BOOK}export/`)
    expect(file.headers.get('content-disposition')).toBe('attachment; filename="contacts.csv"')
    expect(file.text).toBe('name,email,unsubscribed,city\r\nBob,bob@example.net,false,=1+1\r\n')
    expect((await browser.get(`${BOOK}export/?formula_guard=1`)).text).toContain("'=1+1")
  })
})

test('contacts and lists return 404 to other accounts', async () => {
  const id = await create('Bob')
  const list = (await ann.post('/api/v3/contact-lists/', { json: { name: 'Friends' } })).body.id
  const eve = await world.person()
  const theirs = new Visitor(world.base)
  await theirs.signIn(eve.actor.username, eve.password)
  for (const path of [`${id}/`, `${id}/delete/`, `lists/${list}/`])
    expect((await theirs.get(BOOK + path)).status).toBe(404)
  for (const path of [`${id}/`, `${id}/delete/`, `lists/${list}/`, `lists/${list}/delete/`])
    expect((await theirs.post(BOOK + path, { name: 'x', email: 'x@example.net' })).status).toBe(404)
  expect((await theirs.post(`${BOOK}${id}/erase/`, { sure: 'yes' })).status).toBe(404)
  expect((await theirs.post(BOOK, { list: String(list), contact: String(id) })).status).toBe(404)
  expect(await stored()).toHaveLength(1)
})
