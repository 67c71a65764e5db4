import { describe, expect, it } from '@jest/globals'
import { openWorkbook, readWorkbook } from '../../src/lib/xlsx/workbook.ts'
import { makeWorkbook, makeZip, workbookFiles } from '../support/workbook.ts'

const cellsOf = async (file: Buffer, sheet = 'survey') =>
  ((await readWorkbook(file, [sheet])).sheets.get(sheet) ?? []).map(({ number, cells }) => [number, ...cells])

/** Returns a workbook whose sheet `survey` has the given XML. */
const withSheet = (xml: string, more: Record<string, string | Buffer> = {}) =>
  makeZip({
    ...workbookFiles({ survey: [] }),
    'xl/worksheets/sheet1.xml': `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>${xml}</sheetData></worksheet>`,
    ...more,
  })

const refusal = (reason: string) => expect.objectContaining({ reason })

describe('openWorkbook', () => {
  it('says which sheets are hidden', async () => {
    const files = workbookFiles({ Lists: [['a']], Old: [['b']], People: [['name'], ['Ann']] })
    const name = 'xl/workbook.xml'
    files[name] = files[name]!.replace('<sheet name="Lists"', '<sheet state="hidden" name="Lists"').replace(
      '<sheet name="Old"',
      '<sheet state="veryHidden" name="Old"',
    )
    const sheets = await openWorkbook(await makeZip(files))
    expect(sheets.map((sheet) => [sheet.name, sheet.isHidden])).toEqual([
      ['Lists', true],
      ['Old', true],
      ['People', false],
    ])
    expect((await sheets[2]!.read())!.map(({ cells }) => [...cells.values()])).toEqual([['name'], ['Ann']])
  })
})

describe('readWorkbook', () => {
  it('reads the filled cells of the requested sheets, and ignores the case of sheet names', async () => {
    const file = await makeWorkbook({
      Notes: [['x']],
      SURVEY: [['type', '', 'label'], [], ['text', '', 'A < B & "C"']],
    })
    const { names, sheets } = await readWorkbook(file, ['survey'])
    expect(names).toEqual(['Notes', 'SURVEY'])
    expect([...sheets.keys()]).toEqual(['survey'])
    expect(await cellsOf(file)).toEqual([
      [1, [0, 'type'], [2, 'label']],
      [3, [0, 'text'], [2, 'A < B & "C"']],
    ])
  })

  it('reads numbers, booleans, inline texts and stored results of formulas, and reads errors as empty cells', async () => {
    const file = await withSheet(
      '<row r="2"><c r="A2"><v>0.30000000000000004</v></c><c r="B2" t="b"><v>1</v></c><c r="C2" t="inlineStr"><is><t>in</t><r><t>line</t></r></is></c><c r="D2" t="str"><f>A2&amp;"x"</f><v>0.3x</v></c><c r="E2" t="e"><v>#REF!</v></c><c r="F2"><f>HYPERLINK("http://example.org")</f></c></row>',
    )
    expect(await cellsOf(file)).toEqual([[2, [0, '0.3'], [1, 'TRUE'], [2, 'inline'], [3, '0.3x']]])
  })

  const STYLES = `<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><numFmts count="4"><numFmt numFmtId="164" formatCode="[$-409]d\\-mmm;@"/><numFmt numFmtId="165" formatCode="[h]:mm"/><numFmt numFmtId="166" formatCode="0&quot; days&quot;"/><numFmt numFmtId="167" formatCode="[Red]0.0%"/></numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="20"/><xf numFmtId="165"/><xf numFmtId="9"/><xf numFmtId="166"/><xf numFmtId="167"/></cellXfs></styleSheet>`
  const withStyles = (xml: string, date1904 = false) => {
    const files = workbookFiles({ survey: [] })
    const [workbook, relationships] = ['xl/workbook.xml', 'xl/_rels/workbook.xml.rels']
    return withSheet(xml, {
      'xl/styles.xml': STYLES,
      [workbook]: date1904
        ? files[workbook]!.replace('<sheets>', '<workbookPr date1904="1"/><sheets>')
        : files[workbook]!,
      [relationships]: files[relationships]!.replace(
        '</Relationships>',
        '<Relationship Id="rIdStyles" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles" Target="styles.xml"/></Relationships>',
      ),
    })
  }
  it.each([
    ['a date', 1, '46053', '2026-01-31'],
    ['a date with a time', 1, '46053.3541666667', '2026-01-31 08:30:00'],
    ['a date in a format of its own', 2, '46024', '2026-01-02'],
    ['a time', 3, '0.354166666666667', '08:30:00'],
    ['a time in a format of its own', 4, '0.5', '12:00:00'],
    ['the first day of Excel', 1, '1', '1900-01-01'],
    ['the day after the day that does not exist', 1, '61', '1900-03-01'],
    ['a percentage', 5, '0.1', '10%'],
    ['a percentage in a format of its own', 7, '0.125', '12.5%'],
    ['a number with a text', 6, '3', '3'],
    ['a number without a format', 0, '46053', '46053'],
    ['a number that is no date', 1, '-1', '-1'],
    ['a style that does not exist', 99, '46053', '46053'],
  ])('reads %s as a spreadsheet shows it', async (_, style, value, text) => {
    const cell = `<row r="1"><c r="A1" s="${style}"><v>${value}</v></c></row>`
    expect(await cellsOf(await withStyles(cell))).toEqual([[1, [0, text]]])
  })

  it('reads dates that are counted from 1904, and dates that are written as texts', async () => {
    const row = '<row r="1"><c r="A1" s="1"><v>44591</v></c><c r="B1" t="d"><v>2026-01-31T00:00:00</v></c></row>'
    expect(await cellsOf(await withStyles(row, true))).toEqual([[1, [0, '2026-01-31'], [1, '2026-01-31']]])
  })

  it('reads the sole sheet of a workbook whatever its name', async () => {
    expect(await cellsOf(await makeWorkbook({ Sheet1: [['type']] }))).toEqual([[1, [0, 'type']]])
    expect(await cellsOf(await makeWorkbook({ Sheet1: [['type']], Sheet2: [['x']] }))).toEqual([])
  })

  it('assigns consecutive positions to rows and cells without references', async () => {
    const file = await withSheet(
      '<row><c t="str"><v>a</v></c><c t="str"><v>b</v></c></row><row><c t="str"><v>c</v></c></row>',
    )
    expect(await cellsOf(file)).toEqual([
      [1, [0, 'a'], [1, 'b']],
      [2, [0, 'c']],
    ])
  })

  it.each([
    ['a text', Buffer.from('type,name,label\n')],
    ['an empty file', Buffer.alloc(0)],
    ['an image', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')],
  ])('refuses %s', async (_, file) => {
    await expect(readWorkbook(file, ['survey'])).rejects.toEqual(refusal('not_a_workbook'))
  })

  it('refuses an archive that is not a workbook', async () => {
    await expect(readWorkbook(await makeZip({ 'word/document.xml': '<a/>' }), ['survey'])).rejects.toEqual(
      refusal('not_a_workbook'),
    )
  })

  it('returns different errors for a workbook of Excel 97 and for a workbook with a password', async () => {
    const container = Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(1024)])
    await expect(readWorkbook(container, ['survey'])).rejects.toEqual(refusal('old_format'))
    const encrypted = Buffer.concat([container, Buffer.from('EncryptedPackage', 'utf16le')])
    await expect(readWorkbook(encrypted, ['survey'])).rejects.toEqual(refusal('password_protected'))
  })

  it('refuses a sheet of more than 20 MB without decompressing it', async () => {
    const bomb = await withSheet('', { 'xl/worksheets/sheet1.xml': Buffer.alloc(200 * 1024 * 1024, ' ') })
    expect(bomb.length).toBeLessThan(1024 * 1024)
    await expect(readWorkbook(bomb, ['survey'])).rejects.toEqual(refusal('too_large'))
  })

  it('refuses a file whose declared size is smaller than its content', async () => {
    const file = await withSheet('', { 'xl/worksheets/sheet1.xml': Buffer.alloc(30 * 1024 * 1024, ' ') })
    const size = Buffer.alloc(4)
    size.writeUInt32LE(30 * 1024 * 1024)
    const forged = Buffer.from(file)
    for (let at = forged.indexOf(size); at >= 0; at = forged.indexOf(size, at + 4)) forged.writeUInt32LE(100, at)
    expect(forged.equals(file)).toBe(false)
    await expect(readWorkbook(forged, ['survey'])).rejects.toEqual(refusal('damaged'))
  })

  it.each([
    ['entities', '<!DOCTYPE w [<!ENTITY a "x"><!ENTITY b "&a;&a;&a;">]><worksheet>&b;</worksheet>'],
    ['an external entity', '<!DOCTYPE w [<!ENTITY a SYSTEM "file:///etc/passwd">]><worksheet>&a;</worksheet>'],
    ['XML that does not end', '<worksheet><sheetData>'],
    ['elements nested a thousand times', '<a>'.repeat(1000) + '</a>'.repeat(1000)],
    ['bytes that are not UTF-8', Buffer.from('<worksheet>\xff\xfe</worksheet>', 'latin1')],
  ])('refuses a sheet with %s', async (_, xml) => {
    await expect(readWorkbook(await withSheet('', { 'xl/worksheets/sheet1.xml': xml }), ['survey'])).rejects.toEqual(
      refusal('damaged'),
    )
  })

  it('refuses an archive whose end is missing', async () => {
    const file = await makeWorkbook({ survey: [['type']] })
    await expect(readWorkbook(file.subarray(0, file.length - 30), ['survey'])).rejects.toEqual(
      refusal('not_a_workbook'),
    )
  })

  it('refuses more than 200,000 cells', async () => {
    const row = `<row>${'<c><v>1</v></c>'.repeat(1000)}</row>`
    await expect(readWorkbook(await withSheet(row.repeat(201)), ['survey'])).rejects.toEqual(refusal('too_large'))
  })

  it('refuses a long text that many cells share', async () => {
    const shared = `<sst><si><t>${'x'.repeat(32_000)}</t></si></sst>`
    const row = `<row>${'<c t="s"><v>0</v></c>'.repeat(400)}</row>`
    await expect(readWorkbook(await withSheet(row, { 'xl/sharedStrings.xml': shared }), ['survey'])).rejects.toEqual(
      refusal('too_large'),
    )
  })

  it('reads a row with a high number without creating the empty rows above it', async () => {
    const file = await withSheet('<row r="1048576"><c r="XFD1048576" t="str"><v>last</v></c></row>')
    expect(await cellsOf(file)).toEqual([[1048576, [16383, 'last']]])
  })
})
