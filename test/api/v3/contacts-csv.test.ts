import { beforeEach, describe, expect, test } from '@jest/globals'
import { parse } from 'csv-parse/sync'
import type { Reply } from '../../support/client.ts'
import fc from '../../support/fast-check.ts'
import { makeWorkbook, makeZip, type SheetCells, WORKBOOK_TYPE, workbookFiles } from '../../support/workbook.ts'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
const CONTACTS = '/api/v3/contacts/'
const CSV = '/api/v3/contacts/csv/'
let ann: Person
beforeEach(async () => {
  ann = await world.person()
})

const send = (caller: Person, ...rows: string[]): Promise<Reply> =>
  caller.post(CSV, { body: rows.join('\r\n'), headers: { 'content-type': 'text/csv' } })
const customFields = async (caller: Person): Promise<string[]> =>
  Object.keys(parse((await caller.get(CSV)).text, { columns: true, to_line: 2 })[0] ?? {}).slice(3)
const all = async (caller: Person): Promise<Reply['body'][]> =>
  (await caller.get(`${CONTACTS}?page_size=100`)).body.results.map(
    ({ id: _, contact_uri: __, ...rest }: Reply['body']) => rest,
  )

/** Names cannot contain control characters; custom fields can. */
const withoutControl = (text: string) => text.replace(/\p{Cc}/gu, '')

describe('importContacts', () => {
  test('reads name, email and custom field columns and counts created and updated contacts', async () => {
    const first = await send(ann, 'Email,name,city,"Shoe, size"', 'a@x.example,Ann,Bergen,38', 'b@x.example,Bob,,', '')
    expect(first).toMatchObject({ status: 200, body: { created: 2, updated: 0 } })
    expect(await all(ann)).toEqual([
      { name: 'Ann', email: 'a@x.example', unsubscribed: false, city: 'Bergen', 'Shoe, size': '38' },
      { name: 'Bob', email: 'b@x.example', unsubscribed: false },
    ])
    const second = await send(ann, 'name,email,city,team', 'Ann,A@X.example,,Blue', 'Carl,a@x.example,Oslo,')
    expect(second.body).toEqual({ created: 1, updated: 1, skipped: 0 })
    expect(await all(ann)).toEqual([
      { name: 'Ann', email: 'a@x.example', unsubscribed: false, 'Shoe, size': '38', team: 'Blue' },
      { name: 'Bob', email: 'b@x.example', unsubscribed: false },
      { name: 'Carl', email: 'a@x.example', unsubscribed: false, city: 'Oslo' },
    ])
    expect(await customFields(ann)).toEqual(['Shoe, size', 'city', 'team'])
    expect((await ann.get(`${CONTACTS}?search=blue`)).body.count).toBe(1)
  })

  test('stores one contact for several rows with the same name and address, with the values of the last row at the position of the first row', async () => {
    const reply = await send(ann, 'name,email,city', 'A,a@x.example,One', 'B,b@x.example,', 'A,A@x.example,Two')
    expect(reply.body).toEqual({ created: 2, updated: 0, skipped: 0 })
    expect((await all(ann)).map(({ name, city }) => [name, city])).toEqual([
      ['A', 'Two'],
      ['B', undefined],
    ])
  })

  test('can set unsubscribed, but not reset it', async () => {
    await send(ann, 'name,email,unsubscribed', 'A,a@x.example,true', 'B,b@x.example,')
    await send(ann, 'name,email,unsubscribed', 'A,a@x.example,false', 'B,b@x.example,no')
    expect((await all(ann)).map(({ unsubscribed }) => unsubscribed)).toEqual([true, false])
  })

  const TABLE = ['name;email;Größe', 'Jörg;j@x.example;1,5', ';;', 'Zoë, B.;z@x.example;', ' ;\u200b;'].join('\r\n')
  const TABBED = TABLE.replaceAll(';', '\t')
  test.each([
    ['semicolons in UTF-8', Buffer.from(TABLE), 'text/csv'],
    ['semicolons in UTF-8 with a mark', Buffer.from(`\ufeff${TABLE}`), 'text/csv; charset=utf-8'],
    ['tabs in UTF-16', Buffer.from(`\ufeff${TABBED}`, 'utf16le'), 'text/csv'],
    ['tabs in UTF-16, big endian', Buffer.from(`\ufeff${TABBED}`, 'utf16le').swap16(), 'text/csv'],
    ['a line sep=', Buffer.from(`sep=;\r\n${TABLE}`), 'text/csv'],
    ['a marked line sep= of tabs', Buffer.from(`\ufeffsep=\t\r\n${TABBED}`), 'text/csv'],
  ])('reads %s, and skips blank rows', async (_, body, type) => {
    const reply = await ann.post(CSV, { body: new Uint8Array(body), headers: { 'content-type': type } })
    expect(reply.body).toEqual({ created: 2, updated: 0, skipped: 2 })
    expect(await all(ann)).toEqual([
      { name: 'Jörg', email: 'j@x.example', unsubscribed: false, Größe: '1,5' },
      { name: 'Zoë, B.', email: 'z@x.example', unsubscribed: false },
    ])
  })

  test('reads Windows-1252 if the bytes are not UTF-8 and no encoding is declared', async () => {
    const body = new Uint8Array(Buffer.from('name;email\r\nJ\xf6rg \x80;j@x.example\r\n', 'latin1'))
    expect((await ann.post(CSV, { body, headers: { 'content-type': 'text/csv' } })).status).toBe(200)
    expect(await all(ann)).toMatchObject([{ name: 'Jörg €' }])
    const declared = await ann.post(CSV, { body, headers: { 'content-type': 'text/csv; charset=UTF-8' } })
    expect(declared).toMatchObject({ status: 400, body: { detail: 'The body is not UTF-8.' } })
    const half = new Uint8Array([0xff, 0xfe, 0x41])
    expect((await ann.post(CSV, { body: half, headers: { 'content-type': 'text/csv' } })).status).toBe(400)
  })

  const workbook = (rows: SheetCells) =>
    makeWorkbook({ People: rows, Notes: [['name', 'email']] }).then((body) =>
      ann.post(CSV, { body: new Uint8Array(body), headers: { 'content-type': WORKBOOK_TYPE } }),
    )

  test('reads the first sheet of a workbook, with the numbers of its rows', async () => {
    const reply = await workbook([
      [],
      ['Name', 'E-Mail', 'City, town', ''],
      ['Jörg "J"', 'j@x.example', ''],
      [],
      ['\u200b', ''],
      ['Zoë', 'z@x.example', 'Oslo\nNorth _x00e9_'],
    ])
    expect(reply).toMatchObject({ status: 200, body: { created: 2, updated: 0, skipped: 1 } })
    expect(await all(ann)).toEqual([
      { name: 'Jörg "J"', email: 'j@x.example', unsubscribed: false },
      { name: 'Zoë', email: 'z@x.example', unsubscribed: false, 'City, town': 'Oslo\nNorth é' },
    ])
    const invalid = await workbook([['name', 'email'], [], ['A', 'none'], ['B', 'b@x.example', '', '', 'far']])
    expect(invalid.body.errors.map(({ field }: { field: string }) => field)).toEqual(['row 3: email', 'row 4'])
  })

  test('reads the first sheet that is not hidden, and dates as people see them', async () => {
    const files = workbookFiles({
      Lists: [['name', 'email']],
      People: [
        ['name', 'email', 'born'],
        ['A', 'a@x.example'],
      ],
    })
    const sheet = 'xl/worksheets/sheet2.xml'
    files[sheet] = files[sheet]!.replace('</row></sheetData>', '<c r="C2" s="1"><v>30000</v></c></row></sheetData>')
    files['xl/workbook.xml'] = files['xl/workbook.xml']!.replace(
      '<sheet name="Lists"',
      '<sheet state="hidden" name="Lists"',
    )
    files['xl/styles.xml'] =
      '<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>'
    const relationships = 'xl/_rels/workbook.xml.rels'
    files[relationships] = files[relationships]!.replace(
      '</Relationships>',
      '<Relationship Id="rIdS" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles" Target="styles.xml"/></Relationships>',
    )
    const body = new Uint8Array(await makeZip(files))
    expect((await ann.post(CSV, { body, headers: { 'content-type': WORKBOOK_TYPE } })).status).toBe(200)
    expect(await all(ann)).toMatchObject([{ name: 'A', born: '1982-02-18' }])
  })

  test('returns 400 for a file that is no workbook, has too many cells, or is a CSV file', async () => {
    for (const [body, code] of [
      [Buffer.from('PK\x03\x04 nonsense'), 'not_a_workbook'],
      [Buffer.from('d0cf11e0a1b11ae1', 'hex'), 'old_workbook'],
      [Buffer.from([0xff, 0xfe, 0]), 'invalid_csv'],
      [Buffer.from('\0'), 'invalid_csv'],
      [Buffer.from(' \r\n'), 'blank'],
    ] as const) {
      const headers = { 'content-type': WORKBOOK_TYPE }
      expect(await ann.post(CSV, { body: new Uint8Array(body), headers })).toMatchObject({
        status: 400,
        body: { code: 'invalid_csv', errors: [{ field: 'body', code }] },
      })
    }
    const wide = [...['name', 'email'], ...Array.from({ length: 998 }, (_, index) => `f${index}`)]
    const rows = Array.from({ length: 5_001 }, (_, index) => (index ? ['A'] : wide))
    expect(await workbook(rows)).toMatchObject({ status: 400, body: { errors: [{ code: 'workbook_too_large' }] } })
    expect(await workbook([])).toMatchObject({ status: 400, body: { errors: [{ field: 'body', code: 'blank' }] } })
  })

  test.each([
    ['E-Mail,Name', 'a@x.example,A'],
    ['"E-mail Address",Full name', 'a@x.example,A'],
    ['NAME;"Mail"', 'A;a@x.example'],
    [' name , eMail ,,', 'A,a@x.example'],
    ['E-Mail-Adresse\tVollständiger Name', 'a@x.example\tA'],
    ['Vorname;Nachname;E-Mail', 'A;;a@x.example'],
    ['Last name,Email,First name', ',a@x.example,A'],
  ])('accepts the header %p', async (header, row) => {
    expect((await send(ann, header, row)).body).toEqual({ created: 1, updated: 0, skipped: 0 })
    expect(await all(ann)).toEqual([{ name: 'A', email: 'a@x.example', unsubscribed: false }])
  })

  test('joins a first and a last name, but keeps them as custom fields beside a name', async () => {
    expect(
      (await send(ann, 'First name,Surname,Email', 'Ann,Lee,a@x.example', ',,b@x.example')).body.errors,
    ).toMatchObject([{ field: 'row 3: name', code: 'blank' }])
    await send(ann, 'First name,Surname,Email', 'Ann,Lee,a@x.example')
    await send(ann, 'Name,Email,First name', 'Bo Lee,b@x.example,Bo')
    expect((await all(ann)).map(({ name, 'First name': first }) => [name, first])).toEqual([
      ['Ann Lee', undefined],
      ['Bo Lee', 'Bo'],
    ])
  })

  test('keeps other headings beside the name itself as custom fields, and rejects two of them without it', async () => {
    await send(ann, 'name,email,Full name,Mail', 'A,a@x.example,Ann A,m')
    expect(await all(ann)).toEqual([
      { name: 'A', email: 'a@x.example', unsubscribed: false, 'Full name': 'Ann A', Mail: 'm' },
    ])
    expect((await send(ann, 'name,Mail,E-Mail', 'A,a@x.example,b@x.example')).body.errors).toMatchObject([
      { field: 'column 3', code: 'duplicate' },
    ])
  })

  test('lists all errors by row and stores nothing', async () => {
    const long = 'x'.repeat(2001)
    const rows = ['Good,g@x.example,', ',a@x.example,', 'B,b at x,', 'C,c@x.example', `D,d@x.example,${long}`]
    const reply = await send(ann, 'name,email,note', ...rows)
    expect(reply).toMatchObject({ status: 400, body: { code: 'invalid_csv' } })
    expect(reply.body.errors.map(({ field }: { field: string }) => field)).toEqual([
      'row 3: name',
      'row 4: email',
      'row 5',
      'row 6: note',
    ])
    expect(await all(ann)).toEqual([])
    expect((await ann.get(CSV)).text).toBe('name,email,unsubscribed\r\n')
  })

  test.each([
    ['no column for the name', ['email,city', 'a@x.example,Oslo'], 'name'],
    ['a column twice', ['name,email,Name', 'A,a@x.example,B'], 'column 3'],
    ['a column with the name of a standard field', ['name,email,id', 'A,a@x.example,7'], 'column 3'],
    ['a column without a name', ['name,email,', 'A,a@x.example,7'], 'column 3'],
    ['an unclosed quote', ['name,email', 'A,a@x.example', '"B,b@x.example'], 'row 3'],
    ['a value other than true or false', ['name,email,unsubscribed', 'A,a@x.example,maybe'], 'row 2: unsubscribed'],
  ])('returns 400 with the position for %s', async (_, rows, field) => {
    const reply = await send(ann, ...rows)
    expect(reply).toMatchObject({ status: 400, body: { errors: [{ field }] } })
    expect(await all(ann)).toEqual([])
  })

  test('returns 400 without a body and 415 for another type than text/csv', async () => {
    expect((await send(ann, '')).status).toBe(400)
    expect((await ann.post(CSV, { json: [] })).status).toBe(415)
  })

  test('causes no deadlock between two imports of the same contacts in different orders', async () => {
    const rows = Array.from({ length: 300 }, (_, index) => `N${index},n${index}@x.example`)
    const replies = await Promise.all([
      send(ann, 'name,email', ...rows),
      send(ann, 'name,email', ...[...rows].reverse()),
      ann.post(CONTACTS, { form: { name: 'Concurrent', email: 'concurrent@x.example' } }),
    ])
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 201])
    const counts = replies.slice(0, 2).map(({ body }) => body.created)
    expect(counts.sort((a, b) => a - b)).toEqual([0, 300])
  })
})

describe('exportContacts', () => {
  test('returns name, email, unsubscribed and a column for each custom field, with the headers of a file', async () => {
    await send(ann, 'name,email,city,note', '"Ann ""A"", Lee",a@x.example,Bergen,"two\nlines"', 'Bob,b@x.example,,=1+1')
    const reply = await ann.get(CSV)
    expect(reply.status).toBe(200)
    expect(reply.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(reply.headers.get('content-disposition')).toBe('attachment; filename="contacts.csv"')
    expect(reply.text).toBe(
      'name,email,unsubscribed,city,note\r\n"Ann ""A"", Lee",a@x.example,false,Bergen,"two\nlines"\r\nBob,b@x.example,false,,=1+1\r\n',
    )
  })

  test('accepts search, formula_guard and bom', async () => {
    await send(ann, 'name,email,note', 'Ann,a@x.example,', 'Bob,b@x.example,=1+1')
    expect((await ann.get(`${CSV}?search=BOB&formula_guard`)).text).toBe(
      "name,email,unsubscribed,note\r\nBob,b@x.example,false,'=1+1\r\n",
    )
    const withMark = await fetch(new URL(`${CSV}?bom=1&search=unknown`, world.base), {
      headers: { authorization: ann.authorization! },
    })
    expect(Buffer.from(await withMark.arrayBuffer()).toString()).toBe('\ufeffname,email,unsubscribed,note\r\n')
  })

  test('returns only the header for an empty address book, no contacts of other accounts and no body for HEAD', async () => {
    expect((await ann.get(CSV)).text).toBe('name,email,unsubscribed\r\n')
    await send(ann, 'name,email', 'Ann,a@x.example')
    expect((await (await world.person()).get(CSV)).text).toBe('name,email,unsubscribed\r\n')
    expect(await ann.head(CSV)).toMatchObject({ status: 200, text: '' })
    expect((await world.anonymous.get(CSV)).status).toBe(401)
  })

  test('returns more contacts than one batch, each once and in order', async () => {
    const rows = Array.from({ length: 4_500 }, (_, index) => `N${index},n${index}@x.example,${index % 7}`)
    expect((await send(ann, 'name,email,day', ...rows)).body).toEqual({ created: 4_500, updated: 0, skipped: 0 })
    const lines = parse((await ann.get(CSV)).text, { columns: true }) as { name: string }[]
    expect(lines.map(({ name }) => name)).toEqual(rows.map((row) => row.split(',')[0]))
  })

  test('returns a file that imports to the same address book', async () => {
    const cell = fc
      .string({ unit: 'binary', maxLength: 30 })
      .map((text) => text.replaceAll('\0', '').toWellFormed().trim())
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 8 }), async (cells) => {
        const [from, to] = [await world.person(), await world.person()]
        for (const [index, [a, b]] of cells.entries()) {
          const json = { name: `N${withoutControl(a)}`, email: `n${index}@x.example`, one: a, two: b }
          expect((await from.post(CONTACTS, { json })).status).toBe(201)
        }
        const { text } = await from.get(CSV)
        expect((await to.post(CSV, { body: text, headers: { 'content-type': 'text/csv' } })).body).toEqual({
          created: cells.length,
          updated: 0,
          skipped: 0,
        })
        expect(await all(to)).toEqual(await all(from))
        expect((await to.get(CSV)).text.split('\r\n')[0]!.split(',').length).toBe(
          text.split('\r\n')[0]!.split(',').length,
        )
      }),
      { numRuns: 15 },
    )
  })
})
