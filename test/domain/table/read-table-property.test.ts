import { describe, expect, test } from '@jest/globals'
import { isBlank, readTable } from '../../../src/domain/table/read-table.ts'
import { decodeText } from '../../../src/lib/text-encoding.ts'
import fc from '../../support/fast-check.ts'

const RUNS = Number(process.env.PROPERTY_RUNS ?? 500)

const NAMES = ['name', 'email', 'city']
const DELIMITERS = [',', ';', '\t'] as const
/** What people write, with every delimiter, quotation marks and line breaks. */
const cell = fc
  .array(fc.constantFrom('a', 'B', 'ä', 'é', '€', '1', ' ', ',', ';', '\t', '"', '\n', '\r\n', '=', 'name'), {
    maxLength: 6,
  })
  .map((parts) => parts.join(''))
const heading = fc.constantFrom(...NAMES, 'a; b', 'x,y', '"q"', 'Größe')

const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`
const written = (text: string, delimiter: string, isQuoted: boolean) =>
  isQuoted || text.includes(delimiter) || /["\r\n]/.test(text) ? quoted(text) : text

/** Writes a text as spreadsheet programs do. */
const ENCODINGS: Readonly<Record<string, (text: string) => Buffer>> = {
  'UTF-8': (text) => Buffer.from(text),
  'UTF-8 with a mark': (text) => Buffer.from(`\ufeff${text}`),
  'UTF-16': (text) => Buffer.from(`\ufeff${text}`, 'utf16le'),
  'UTF-16 big endian': (text) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16(),
  'Windows-1252': (text) => Buffer.from(text.replaceAll('€', '\x80'), 'latin1'),
}

async function read(text: string) {
  let header: readonly string[] = []
  const rows: (readonly string[])[] = []
  const { skipped } = await readTable(text, {
    isHeading: (name) => NAMES.includes(name),
    readHeader: (cells) => {
      header = cells
    },
    readRow: (_, cells) => {
      rows.push(cells)
      return []
    },
  })
  return { header, rows, skipped }
}

describe('a table', () => {
  test('is read as it was written, with every delimiter, encoding, line break and quotation', async () => {
    const table = fc.record({
      delimiter: fc.constantFrom(...DELIMITERS),
      encoding: fc.constantFrom(...Object.keys(ENCODINGS)),
      namesDelimiter: fc.boolean(),
      quotesAll: fc.boolean(),
      lineBreak: fc.constantFrom('\r\n', '\n'),
      others: fc.array(heading, { maxLength: 4 }),
      rows: fc.array(fc.array(cell, { minLength: 6, maxLength: 6 }), { maxLength: 6 }),
      blankLines: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(
        table,
        async ({ delimiter, encoding, namesDelimiter, quotesAll, lineBreak, others, ...more }) => {
          // A file has at least two columns that the import knows, as the import of contacts requires.
          const header = ['name', 'email', ...others]
          const rows = more.rows.map((cells) => cells.slice(0, header.length))
          const line = (cells: readonly string[]) =>
            cells.map((text) => written(text, delimiter, quotesAll)).join(delimiter)
          const lines = [header, ...rows].flatMap((cells) => (more.blankLines ? ['', line(cells)] : [line(cells)]))
          const text = `${namesDelimiter ? `sep=${delimiter}${lineBreak}` : ''}${lines.join(lineBreak)}${lineBreak}`
          const filled = rows.filter((cells) => !cells.every(isBlank))
          expect(await read(decodeText(ENCODINGS[encoding]!(text))!)).toEqual({
            header,
            rows: filled,
            skipped: rows.length - filled.length,
          })
        },
      ),
      { numRuns: RUNS },
    )
  })

  test.each([
    [',', 'name,email,a; b; c; d\nAnn,a@x,1; 2\n', 3],
    [';', 'name;email;a, b, c, d\nAnn;a@x;"1, 2"\n', 3],
    ['\t', 'name\ta, b\tx; y\nAnn\t1\t2\n', 3],
    [',', 'first,last\nAnn,"B; C"\n', 2],
    [';', 'first;last\nAnn;B, C\n', 2],
    [',', 'one\na;b;c\n', 1],
  ])('has the delimiter %j in %j', async (_, text, columns) => {
    expect((await read(text)).header).toHaveLength(columns)
  })
})
