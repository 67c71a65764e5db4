import { gzipSync } from 'node:zlib'
import { beforeEach, describe, expect, test } from '@jest/globals'
import { insertContacts } from '../support/contacts.ts'
import { type HttpBrowser, signInAs } from '../support/http-browser.ts'
import { makeWorkbook } from '../support/workbook.ts'
import { type Person, useWorld } from '../support/world.ts'

const world = useWorld()
const BOOK = '/account/contacts/'
let ann: Person
let browser: HttpBrowser

beforeEach(async () => {
  ann = await world.person()
  browser = await signInAs(ann)
  await browser.get(BOOK)
})

const textOf = async (path: string) => {
  const page = await browser.get(path)
  expect(page.status).toBe(200)
  return page.text
}
const contacts = async () => (await ann.get('/api/v3/contacts/')).body.results
const addContact = async (name: string, more: object = {}): Promise<number> =>
  (await ann.post('/api/v3/contacts/', { json: { name, email: `${name.toLowerCase()}@example.net`, ...more } })).body.id

describe('the address book', () => {
  test('adds, searches, changes and deletes contacts with custom fields', async () => {
    expect(await textOf(BOOK)).toContain('Your address book is empty')
    const invalid = await browser.post(`${BOOK}new/`, { name: '', email: 'bob', 'field.new': 'id', 'custom.new': '7' })
    expect(invalid.status).toBe(422)
    expect(invalid.text).toMatch(/id="name-error">Name must not be blank/)
    expect(invalid.text).toMatch(/id="email-error">Enter an email address/)
    expect(invalid.text).toMatch(/id="field.new-error">New field name is a standard field of contacts/)
    const bob = { name: 'Bob <b>', email: 'bob@example.net' }
    await browser.post(`${BOOK}new/`, { ...bob, 'field.new': 'shoe size', 'custom.new': '43' })
    const [{ id, ...contact }] = await contacts()
    expect(contact).toMatchObject({ ...bob, 'shoe size': '43' })
    expect((await browser.post(`${BOOK}new/`, bob)).status).toBe(422)
    expect(await textOf(`${BOOK}?search=43`)).toContain('Bob &lt;b&gt;')
    expect(await textOf(`${BOOK}?search=44`)).toContain('No contacts match your search.')
    expect(await textOf(`${BOOK}${id}/`)).toMatch(/name="field.0" value="shoe size"/)
    await browser.post(`${BOOK}${id}/`, {
      ...bob,
      'field.0': 'shoe size',
      'custom.0': '',
      'field.new': 'city',
      'custom.new': 'Oslo',
    })
    const [updated] = await contacts()
    expect(updated).toMatchObject({ city: 'Oslo' })
    expect(updated).not.toHaveProperty('shoe size')
    await browser.get(`${BOOK}${id}/delete/`)
    await browser.post(`${BOOK}${id}/delete/`)
    expect(await contacts()).toEqual([])
    expect((await browser.get(`${BOOK}${id}/`)).status).toBe(404)
  })

  test('shows fifty contacts per page', async () => {
    await insertContacts(world, ann, 120)
    expect(await textOf(BOOK)).toContain('120 contacts')
    const last = await textOf(`${BOOK}?page=3`)
    expect(last.match(/type="checkbox"/g)).toHaveLength(20)
    expect(last).toContain('Page 3 of 3')
  })

  test('erases personal data after a confirmation, with an anonymous receipt', async () => {
    const id = await addContact('Eve')
    await textOf(`${BOOK}${id}/delete/`)
    const unconfirmed = await browser.post(`${BOOK}${id}/erase/`)
    expect(unconfirmed.status).toBe(422)
    expect(await contacts()).toHaveLength(1)
    const receipt = await browser.post(`${BOOK}${id}/erase/`, { sure: 'yes' })
    expect(receipt.text).toContain('<dt>Contacts</dt><dd>1</dd>')
    expect(receipt.text).not.toContain('eve@example.net')
    expect(await contacts()).toEqual([])
  })
})

describe('contact lists', () => {
  test('are created, filled, renamed and deleted, and the contacts of a deleted list stay in the address book', async () => {
    const ids = [await addContact('Bob'), await addContact('Cleo')]
    expect((await browser.post(`${BOOK}lists/`, { name: ' ' })).text).toMatch(/id="name-error">Name must not be blank/)
    const { to: list } = await browser.post(`${BOOK}lists/`, { name: 'Friends' })
    const [, number] = /(\d+)\/$/.exec(list!)!
    const selected = ids.map((id): [string, string] => ['contact', String(id)])
    const added = await browser.post(BOOK, [['list', number!], ['back', `${BOOK}?search=o`], ...selected])
    expect(added.to).toBe(`${BOOK}?search=o`)
    expect(await textOf(list!)).toContain('2 contacts')
    const rejected = await browser.post(`${list}add/`, { addresses: 'Dan <dan@example.net>\ninvalid' })
    expect(rejected.text).toContain('Line 2: “invalid” is not an email address')
    await browser.post(`${list}add/`, { addresses: 'Dan <dan@example.net>\nbob@example.net' })
    expect(await textOf(list!)).toContain('3 contacts')
    await browser.post(`${list}remove/`)
    expect(await textOf(list!)).toContain('Select at least one contact.')
    await browser.post(`${list}remove/`, { contact: String(ids[0]) })
    expect((await browser.post(list!, { name: 'Pals', color: 'red' })).text).toMatch(/id="color-error"/)
    await browser.post(list!, { name: 'Pals', color: '#00ff00' })
    expect(await textOf(`${BOOK}lists/`)).toMatch(/fill="#00ff00".*Pals.*2 contacts/s)
    await browser.post(`${list}delete/`)
    expect((await browser.get(list!)).status).toBe(404)
    expect(await contacts()).toHaveLength(3)
  })
})

describe('a contact file', () => {
  /** Uploads a file, and submits the page that shows its columns. */
  const importFile = async (file: string | Buffer<ArrayBuffer>, changes: Record<string, string> = {}) => {
    await textOf(`${BOOK}import/`)
    const columns = await browser.upload(`${BOOK}import/`, file)
    expect(columns.status).toBe(200)
    return browser.multipart(`${BOOK}import/`, { ...fieldsOf(columns.text), ...changes })
  }
  /** Returns the fields that a browser submits with the page that shows the columns. */
  const fieldsOf = (page: string): Record<string, string> => ({
    table: /name="table" value="([^"]*)"/.exec(page)![1]!,
    ...Object.fromEntries(
      [...page.matchAll(/<select[^>]* name="(column\.\d+)"[^>]*>(.*?)<\/select>/gs)].map(([, name, options]) => [
        name!,
        /value="(\w+)" selected/.exec(options!)![1]!,
      ]),
    ),
  })

  test('is imported as a whole, or reports the errors of each row', async () => {
    await addContact('Bob')
    await textOf(`${BOOK}import/`)
    const unreadable = await browser.upload(`${BOOK}import/`, 'name,email,city\nBob,bob@example.net,Oslo\n"x"y,z,')
    expect(unreadable.status).toBe(422)
    expect(unreadable.text).toContain('Nothing was imported')
    const invalid = await importFile('name,email,city\nBob,bob@example.net,Oslo\nEve,eve,\n,x@y.z,<b>')
    expect(invalid.text).toContain('<strong>Row 3: email</strong> must be an email address')
    expect(invalid.text).toContain('<strong>Row 4: name</strong> must not be blank')
    const headed = await importFile('Vorname;Nachname;E-Mail\nEve;Moor;eve\n;;x@example.net')
    expect(headed.text).toContain('<strong>Row 2: E-Mail</strong> must be an email address')
    expect(headed.text).toContain('<strong>Row 3: Name</strong> must not be blank')
    expect(invalid.text).toContain('<td data-title="city">&lt;b&gt;</td>')
    expect(await contacts()).toHaveLength(1)
    const imported = await importFile(
      '\ufeffname,email,city\r\nBob,bob@example.net,Oslo\r\n,,\r\nEve,eve@example.net,\r\n',
    )
    expect(imported.to).toBe(BOOK)
    expect(await textOf(BOOK)).toContain('1 contact added, 1 updated. 1 row without any value skipped.')
    expect((await browser.upload(`${BOOK}import/`, '')).text).toContain('is empty')
    expect((await browser.upload(`${BOOK}import/`, Buffer.from([0xff, 0xfe, 0]))).text).toContain('neither a CSV file')
  })

  test.each([
    [
      'semicolons in Windows-1252',
      Buffer.from('Vorname;Nachname;E-Mail;Größe\r\nJörg;Bär;j@x.example;1,5\r\n;;;\r\n', 'latin1'),
    ],
    [
      'tabs in UTF-16',
      Buffer.from('\ufeffFirst name\tSurname\tMail\tGröße\r\nJörg\tBär\tj@x.example\t1,5\r\n', 'utf16le'),
    ],
  ])('with %s has its columns recognised', async (_, file) => {
    expect((await importFile(file)).to).toBe(BOOK)
    expect(await contacts()).toMatchObject([{ name: 'Jörg Bär', email: 'j@x.example', Größe: '1,5' }])
  })

  test('that is a workbook shows its first rows, and is imported with the columns that the owner chooses', async () => {
    const people = [
      ['Who', 'Where to', 'Where <b>', 'Secret', ''],
      ...'ABCDEFG'.split('').map((name) => [`${name} <i>`, `${name}@x.example`, 'Oslo', 's']),
    ]
    const file = await makeWorkbook({ People: people })
    await textOf(`${BOOK}import/`)
    const { text } = await browser.upload(`${BOOK}import/`, file)
    expect(text).toContain('<th scope="col">Where &lt;b&gt;</th>')
    expect(text.match(/<td data-title="Who">\w &lt;i&gt;<\/td>/g)).toHaveLength(5)
    expect(text).toContain('<option value="custom" selected>Custom field “Secret”</option>')
    const fields = fieldsOf(text)
    const unnamed = await browser.multipart(`${BOOK}import/`, fields)
    expect(unnamed.status).toBe(422)
    expect(unnamed.text).toContain('<strong>Email</strong> has no column')
    const chosen = { ...fields, 'column.0': 'name', 'column.1': 'email', 'column.3': 'ignored' }
    const rejected = await browser.multipart(`${BOOK}import/`, { ...chosen, 'column.2': 'email' })
    expect(rejected.text).toContain('<strong>Column 3</strong>: “email” is a duplicate')
    expect(fieldsOf(rejected.text)).toMatchObject({ ...chosen, 'column.2': 'email' })
    const { to } = await browser.multipart(`${BOOK}import/`, { ...chosen, 'column.2': 'custom' })
    expect(to).toBe(BOOK)
    const [first, ...others] = await contacts()
    expect(first).toEqual({
      id: expect.any(Number),
      contact_uri: expect.any(String),
      name: 'A <i>',
      email: 'A@x.example',
      unsubscribed: false,
      'Where <b>': 'Oslo',
    })
    expect(others).toHaveLength(6)
  })

  test('is rejected if the table that the page keeps is damaged or larger than 64 MB', async () => {
    const table = gzipSync(Buffer.alloc(65 * 1024 * 1024, 'a')).toString('base64url')
    for (const value of [table, 'nonsense'])
      expect((await browser.multipart(`${BOOK}import/`, { table: value })).status).toBe(422)
  })

  test('is exported in the format of the import', async () => {
    await addContact('Bob', { city: '=1+1' })
    const file = await browser.get(`${BOOK}export/`)
    expect(file.headers.get('content-disposition')).toBe('attachment; filename="contacts.csv"')
    expect(file.text).toBe('name,email,unsubscribed,city\r\nBob,bob@example.net,false,=1+1\r\n')
    expect((await browser.get(`${BOOK}export/?formula_guard=1`)).text).toContain("'=1+1")
  })
})

describe('the contacts pages', () => {
  test('return 404 to other accounts', async () => {
    const id = await addContact('Bob')
    const list = (await ann.post('/api/v3/contact-lists/', { json: { name: 'Friends' } })).body.id
    const eve = await world.person()
    const otherBrowser = await signInAs(eve)
    for (const path of [`${id}/`, `${id}/delete/`, `lists/${list}/`])
      expect((await otherBrowser.get(BOOK + path)).status).toBe(404)
    for (const path of [`${id}/`, `${id}/delete/`, `lists/${list}/`, `lists/${list}/delete/`])
      expect((await otherBrowser.post(BOOK + path, { name: 'x', email: 'x@example.net' })).status).toBe(404)
    expect((await otherBrowser.post(`${BOOK}${id}/erase/`, { sure: 'yes' })).status).toBe(404)
    expect((await otherBrowser.post(BOOK, { list: String(list), contact: String(id) })).status).toBe(404)
    expect(await contacts()).toHaveLength(1)
  })
})
