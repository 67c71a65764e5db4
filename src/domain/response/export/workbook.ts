import { pipeline, type Readable } from 'node:stream'
import { csvParser } from '../../../lib/csv.ts'
import { stripTags } from '../../../lib/tags.ts'
import { type DateFormat, type WorkbookCell, writeWorkbook } from '../../../lib/xlsx/write-workbook.ts'
import { detail } from '../../error-details.ts'
import { problems } from '../../problem.ts'
import { parseIsoDatetime } from '../../structure/datetime.ts'
import { type MetaKey, metaFieldByKey, metaLabel } from '../../structure/meta-fields.ts'
import type { CellKind } from './columns.ts'
import type { FileColumn } from './file.ts'

/** Returns the name of the workbook with the responses of a CSV file. */
export const workbookName = (filename: string): string => filename.replace(/csv$/, 'xlsx')

/** The layout of a workbook for people: the questions first, metadata with labels, and a sheet with the codebook. */
export interface ReadingLayout {
  sheet: string
  codebookSheet: string
  /** The heading of a column with metadata. */
  metaHeading(key: MetaKey): string
  /** The rows of the codebook, the header first, each with the key of the column that it describes, if any. */
  codebook: readonly { column: string | undefined; cells: readonly string[] }[]
}

/** The words of the layout in English, as the API writes it. */
export const ENGLISH_LAYOUT: Omit<ReadingLayout, 'codebook'> = {
  sheet: 'Responses',
  codebookSheet: 'Codebook',
  metaHeading: (key) => `${metaLabel(key)}${metaFieldByKey.get(key)?.type === 'time' ? ' (UTC)' : ''}`,
}

/** Maximum length of a cell in Excel, in UTF-16 code units. */
const MAX_CELL_LENGTH = 32_767
/** Maximum number of columns of a sheet in Excel. */
const MAX_COLUMNS = 16_384
const TIME_WIDTH = 19

/**
 * Converts a CSV file with commas into an Excel workbook (Office Open XML, ECMA-376). The first line becomes the first
 * row of every sheet, without two equal headings; a sheet has at most 1,048,576 rows. Memory does not grow with the
 * number of rows.
 * @param csv the file in UTF-8 without byte order mark; destroyed if the workbook is destroyed, and on an error
 * @param layout absent: the columns are those of the CSV file
 * @throws {Problem} `invalid_request` for more columns than a sheet can have
 */
export function toWorkbook(csv: Readable, columns: readonly FileColumn[], layout?: ReadingLayout): Readable {
  if (columns.length > MAX_COLUMNS) {
    csv.destroy()
    throw problems.invalidField(
      'include',
      'too_many',
      { max: MAX_COLUMNS },
      detail('too_many_columns', { max: MAX_COLUMNS }),
    )
  }
  // Reports errors of the file to the reader of the rows.
  const records = pipeline(csv, csvParser(), () => undefined)
  const order = columns.map((_, index) => index)
  if (layout) order.sort((a, b) => Number(columns[a]!.meta !== undefined) - Number(columns[b]!.meta !== undefined))
  const headings = new Map<string, string>()
  const responses = {
    name: layout?.sheet ?? ENGLISH_LAYOUT.sheet,
    rows: cellRows(records, columns, order, layout, headings),
    widths: order.map((index) => (columns[index]!.kind === 'time' ? TIME_WIDTH : undefined)),
  }
  const codebook = layout && { name: layout.codebookSheet, rows: codebookRows(layout, headings), widths: [] }
  // Destroys the CSV stream when the workbook is closed, even if the workbook was never read.
  return writeWorkbook(codebook ? [responses, codebook] : [responses]).once('close', () => csv.destroy())
}

/** Yields the rows of responses. Adds the heading of each column to `headings`, by its key. */
async function* cellRows(
  records: AsyncIterable<string[]>,
  columns: readonly FileColumn[],
  order: readonly number[],
  layout: ReadingLayout | undefined,
  headings: Map<string, string>,
): AsyncGenerator<WorkbookCell[]> {
  let isHeader = true
  for await (const record of records) {
    yield isHeader
      ? uniqueHeadings(record, columns, order, layout, headings)
      : order.map((index) => cell(record[index]!, columns[index]!.kind, layout !== undefined))
    isHeader = false
  }
}

/** Returns the headings. A heading that is blank or that an earlier column has is followed by the key of its column. */
function uniqueHeadings(
  record: readonly string[],
  columns: readonly FileColumn[],
  order: readonly number[],
  layout: ReadingLayout | undefined,
  headings: Map<string, string>,
): string[] {
  const used = new Set<string>()
  return order.map((index) => {
    const { key, meta } = columns[index]!
    const text = cellText(
      layout ? (meta ? layout.metaHeading(meta) : stripTags(record[index]!)) : record[index]!,
    ).trim()
    const heading = text === '' || used.has(text) ? `${text} [${key}]`.trim() : text
    used.add(heading)
    headings.set(key, heading)
    return heading
  })
}

/** Yields the codebook after the responses, when the headings are known. */
function* codebookRows({ codebook }: ReadingLayout, headings: ReadonlyMap<string, string>): Generator<string[]> {
  for (const { column, cells } of codebook) {
    const heading = column === undefined ? undefined : headings.get(column)
    if (column === undefined) yield cells.map((text) => cellText(text))
    else if (heading !== undefined) yield [heading, ...cells.map((text) => cellText(text))]
  }
}

/** Returns a cell. A number that a double cannot represent with the same digits is written as text. */
function cell(text: string, kind: CellKind, isForReading: boolean): WorkbookCell {
  if (text === '') return null
  switch (kind) {
    case 'number':
      return isExact(text) ? Number(text) : cellText(text, isForReading)
    case 'boolean':
      return isForReading && (text === 'true' || text === 'false') ? text === 'true' : cellText(text, isForReading)
    case 'time':
      return { date: new Date(`${text}Z`), format: 'yyyy-mm-dd hh:mm:ss' }
    case 'date':
      return dateCell(text) ?? cellText(text, isForReading)
    default:
      return cellText(text, isForReading)
  }
}

/** The first year whose days all programs count alike. */
const FIRST_YEAR = 1901
const FORMATS: Readonly<Record<'datetime' | 'date' | 'time', DateFormat>> = {
  datetime: 'yyyy-mm-dd hh:mm:ss',
  date: 'yyyy-mm-dd',
  time: 'hh:mm:ss',
}

/** Returns the cell of a date or time without time zone; undefined for any other text. */
function dateCell(text: string): WorkbookCell | undefined {
  const parsed = parseIsoDatetime(text)
  if (!parsed || /(?:Z|[+-]\d{2}:?\d{2})$/i.test(text.slice(10))) return undefined
  const date = new Date(parsed.instant)
  if (parsed.format !== 'time' && date.getUTCFullYear() < FIRST_YEAR) return undefined
  return { date, format: FORMATS[parsed.format] }
}

/** Maximum number of significant digits that a double represents exactly. */
const MAX_DIGITS = 15

/** Reports whether a double has the digits of a number in decimal notation. */
function isExact(text: string): boolean {
  if (String(Number(text)) === text) return true
  const [, whole, fraction = ''] = /^-?(0|[1-9]\d*)(?:\.(\d*[1-9]))?$/.exec(text) ?? []
  return whole !== undefined && `${whole}${fraction}`.replace(/^0+/, '').length <= MAX_DIGITS
}

/** Shortens a text to the maximum length of a cell, and replaces CR, which a cell cannot contain. */
function cellText(text: string, marksEnd = false): string {
  const lines = text.replace(/\r\n?/g, '\n')
  if (lines.length <= MAX_CELL_LENGTH) return lines
  const kept = lines.slice(0, MAX_CELL_LENGTH - (marksEnd ? 1 : 0))
  // Half of a character of two code units is left out.
  const whole = kept.isWellFormed() ? kept : kept.slice(0, -1)
  return marksEnd ? `${whole}…` : whole
}
