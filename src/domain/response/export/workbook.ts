import { pipeline, Readable } from 'node:stream'
import { parse } from 'csv-parse'
import { writeXlsxStream } from 'hucre/xlsx'
import { detail } from '../../error-details.ts'
import { problems } from '../../problem.ts'
import type { CellKind } from './columns.ts'

/** Returns the name of the workbook with the responses of a CSV file. */
export const workbookName = (filename: string): string => filename.replace(/csv$/, 'xlsx')

/** Maximum length of a cell in Excel, in UTF-16 code units. */
const MAX_CELL_LENGTH = 32_767
/** Maximum number of columns of a sheet in Excel. */
const MAX_COLUMNS = 16_384

/**
 * Converts a CSV file with commas into an Excel workbook (Office Open XML, ECMA-376). The first line becomes the first
 * row of every sheet; a sheet has at most 1,048,576 rows. Memory does not grow with the number of rows.
 * @param csv the file in UTF-8 without byte order mark; destroyed if the workbook is destroyed, and on an error
 * @param kinds the kinds of the columns
 * @throws {Problem} `invalid_request` for more columns than a sheet can have
 */
export function toWorkbook(csv: Readable, kinds: readonly CellKind[]): Readable {
  if (kinds.length > MAX_COLUMNS) {
    csv.destroy()
    throw problems.invalidField(
      'include',
      'too_many',
      { max: MAX_COLUMNS },
      detail('too_many_columns', { max: MAX_COLUMNS }),
    )
  }
  // Reports errors of the file to the reader of the rows.
  const records = pipeline(csv, parse(), () => undefined)
  const workbook = writeXlsxStream(cellRows(records, kinds), {
    name: 'Responses',
    columns: kinds.map((kind) => (kind === 'time' ? { numFmt: 'yyyy-mm-dd hh:mm:ss', width: 19 } : {})),
    freezePane: { rows: 1 },
  })
  // Destroys the CSV stream when the workbook is closed, even if the workbook was never read.
  return Readable.fromWeb(workbook as Parameters<typeof Readable.fromWeb>[0]).once('close', () => csv.destroy())
}

async function* cellRows(records: AsyncIterable<string[]>, kinds: readonly CellKind[]) {
  let isHeader = true
  for await (const record of records) {
    yield record.map((text, i) => (isHeader ? cellText(text) : cell(text, kinds[i])))
    isHeader = false
  }
}

/** Returns a cell. A number that a double cannot represent with the same digits is written as text. */
function cell(text: string, kind: CellKind | undefined): string | number | Date | null {
  if (text === '') return null
  if (kind === 'number' && String(Number(text)) === text) return Number(text)
  return kind === 'time' ? new Date(`${text}Z`) : cellText(text)
}

/**
 * Shortens a text to the maximum length of a cell. Replaces CR, U+FFFE and U+FFFF, which a cell cannot contain. Escapes
 * `_x`, which begins an escape in this format.
 */
const cellText = (text: string): string =>
  text
    .replace(/\r\n?/g, '\n')
    .replace(/[\uFFFE\uFFFF]/g, '\uFFFD')
    .slice(0, MAX_CELL_LENGTH)
    .replace(/_(?=x[\dA-Fa-f]{4}_)/g, '_x005F_')
