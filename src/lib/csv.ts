import { pipeline, Readable, type Transform } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import type { CsvError, Options } from 'csv-parse'
import { lazy, loadPackage } from './lazy.ts'

const json2csv = lazy(() => {
  const { Parser } = loadPackage<typeof import('@json2csv/plainjs')>('@json2csv/plainjs')
  const { string } = loadPackage<typeof import('@json2csv/formatters')>('@json2csv/formatters')
  return { Parser, quoted: string() }
})

/** Returns a stream that parses CSV, with the options of csv-parse. */
export const csvParser = (options: Options = {}): Transform =>
  loadPackage<typeof import('csv-parse')>('csv-parse').parse(options)

/** The format of cells. RFC 4180: a field that contains the separator, a quotation mark or a line break is quoted. */
export interface CsvDialect {
  separator: ',' | '\t'
  /** Quotes every field. */
  quoteAll: boolean
}

/** Returns a field, quoted if RFC 4180 requires it. */
export function csvField(text: string, { separator, quoteAll }: CsvDialect): string {
  if (quoteAll || text.includes(separator) || /["\r\n]/.test(text)) return `"${text.replaceAll('"', '""')}"`
  return text
}

/**
 * Matches a cell that a spreadsheet would run as a formula, and a cell that begins with a tab or a line break. A
 * formula is recognised by the first character after white space; this character can also be in its full-width form
 * (OWASP, "CSV Injection").
 */
const FORMULA = /^(?:[\t\r\n]|\s*[=+\-@\uff1d\uff0b\uff0d\uff20])/u
const NUMBER = /^[+-]?\d+(?:[.,]\d+)?$/

/** Puts an apostrophe before a text that a spreadsheet would run as a formula. Plain numbers do not change. */
export const guardFormula = (text: string): string => (FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text)

/** Replaces each line break with the two characters `\n`. */
export const escapeNewlines = (text: string): string => text.replace(/\r\n|\r|\n/g, '\\n')

type Cell = string | number | boolean | null | undefined

/** The line break of RFC 4180. */
const EOL = '\r\n'
/** U+FEFF at the start of a file, for programs that detect its encoding. */
const BYTE_ORDER_MARK = '\ufeff'

interface CsvTableOptions {
  /** Puts an apostrophe before cells that a spreadsheet would run as a formula. */
  formulaGuard: boolean
  /** Begins the file with a byte order mark. */
  bom: boolean
}

/** Creates a writer for a CSV file (RFC 4180). @returns the header line, and a function that formats rows */
export function csvTable(columns: readonly string[], { formulaGuard, bom }: CsvTableOptions) {
  const { Parser, quoted } = json2csv()
  const quoteIfNeeded = (text: string): string => (/[",\r\n]/.test(text) ? quoted(text) : text)
  const format = (text: string) => quoteIfNeeded(formulaGuard ? guardFormula(text) : text)
  const parser = new Parser<readonly Cell[], readonly Cell[]>({
    fields: columns.map((_, index) => ({ label: '', value: (row: readonly Cell[]) => row[index] })),
    header: false,
    eol: EOL,
    formatters: { string: format },
  })
  const rows = (cells: readonly (readonly Cell[])[]) => (cells.length ? parser.parse([...cells]) + EOL : '')
  return { header: (bom ? BYTE_ORDER_MARK : '') + rows([columns]), rows }
}

/**
 * Number of characters that are parsed before the event loop handles other requests. A row takes about 20 µs, even if
 * it is a single character.
 */
const CHUNK_CHARACTERS = 8 * 1024

/**
 * Returns the rows of a CSV text (RFC 4180, any line break, with or without a byte order mark), the header included.
 * Iterating throws errors that {@link describeCsvError} describes.
 */
export function csvRows(text: string, delimiter = ','): AsyncIterable<string[]> {
  const parser = csvParser({ bom: true, delimiter, relax_column_count: true, record_delimiter: ['\r\n', '\n', '\r'] })
  return pipeline(Readable.from(chunksOf(text)), parser, () => undefined)
}

async function* chunksOf(text: string): AsyncGenerator<string> {
  for (let start = 0; start < text.length; start += CHUNK_CHARACTERS) {
    yield text.slice(start, start + CHUNK_CHARACTERS)
    // Lets the event loop handle other requests between two chunks.
    await turn()
  }
}

/** Why a row is not CSV. */
type CsvErrorReason = 'quote_not_closed' | 'quote_not_doubled'

/** A syntax error of a CSV text. */
interface CsvRowError {
  /** The invalid row; row 1 is the header. */
  row: number
  reason: CsvErrorReason
}

/**
 * Describes a parser error for the author of the file.
 * @throws any other error unchanged
 */
export function describeCsvError(error: unknown): CsvRowError {
  // `records`: rows that the parser had read completely.
  const { code, records } = error as CsvError & { records: number }
  return { row: records + 1, reason: reasonOf(code, error) }
}

function reasonOf(code: CsvError['code'], error: unknown): CsvErrorReason {
  switch (code) {
    case 'CSV_QUOTE_NOT_CLOSED':
      return 'quote_not_closed'
    case 'CSV_INVALID_CLOSING_QUOTE':
    case 'INVALID_OPENING_QUOTE':
    case 'CSV_INVALID_ARGUMENT':
    case 'CSV_NON_TRIMABLE_CHAR_AFTER_CLOSING_QUOTE':
      return 'quote_not_doubled'
    default:
      throw error
  }
}

/** The characters that spreadsheet programs write between two cells; which one depends on the country. */
const DELIMITERS = [',', ';', '\t'] as const
type CsvDelimiter = (typeof DELIMITERS)[number]

/** Number of characters and of rows that are compared. */
const MAX_CHARACTERS = 65_536
const MAX_ROWS = 20

/** The first line of a file for Excel, which names the delimiter and is not part of the table. */
const SEPARATOR_LINE = /^\ufeff?"?sep=([,;\t])"?(?:\r\n|\r|\n|$)/i

/**
 * Finds the delimiter of a CSV text: the one that a line `sep=;` names; otherwise the one that gives the most known
 * headings, then the one with which the most rows have as many cells as the header. A comma wins a tie.
 * @returns the delimiter, and the text without the line that names it
 */
export function findDelimiter(
  text: string,
  isHeading: (cell: string) => boolean,
): { delimiter: CsvDelimiter; table: string } {
  const [line, named] = SEPARATOR_LINE.exec(text) ?? []
  if (line !== undefined) return { delimiter: named as CsvDelimiter, table: text.slice(line.length) }
  const start = text.slice(0, MAX_CHARACTERS)
  let best: { delimiter: CsvDelimiter; known: number; alike: number } = { delimiter: ',', known: -1, alike: -1 }
  for (const delimiter of DELIMITERS) {
    const [header = [], ...rows] = firstRows(start, delimiter)
    const known = header.filter(isHeading).length
    const alike = header.length > 1 ? 1 + rows.filter(({ length }) => length === header.length).length : 0
    if (known > best.known || (known === best.known && alike > best.alike)) best = { delimiter, known, alike }
  }
  return { delimiter: best.delimiter, table: text }
}

/** Returns the first rows of a text that are not blank lines. Accepts every text; the parser reports errors later. */
function firstRows(text: string, delimiter: CsvDelimiter): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  let from = 0
  let isQuoted = false
  const endCell = (to: number) => {
    row.push(unquoted(text.slice(from, to)))
    from = to + 1
  }
  for (let at = 0; at < text.length && rows.length < MAX_ROWS; at += 1) {
    const character = text[at]
    if (character === '"') isQuoted = !isQuoted
    else if (!isQuoted && character === delimiter) endCell(at)
    else if (!isQuoted && (character === '\n' || character === '\r')) {
      endCell(at)
      if (row.length > 1 || row[0] !== '') rows.push(row)
      row = []
    }
  }
  if (rows.length < MAX_ROWS && text.length > from) {
    endCell(text.length)
    rows.push(row)
  }
  return rows
}

const unquoted = (cell: string): string => {
  const text = cell.replace(/^\ufeff/, '').trim()
  return text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1).replaceAll('""', '"') : text
}
