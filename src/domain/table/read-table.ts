import { csvRows, describeCsvError, findDelimiter } from '../../lib/csv.ts'
import { SandboxError } from '../../lib/sandbox.ts'
import { withoutFormat } from '../../lib/strings.ts'
import { decodeText } from '../../lib/text-encoding.ts'
import { isWorkbook } from '../../lib/xlsx/workbook.ts'
import type { Context } from '../context.ts'
import { detail } from '../error-details.ts'
import { type FieldError, fieldError } from '../field-error.ts'
import { Problem, problems } from '../problem.ts'
import { runInSandbox } from '../sandbox.ts'

/** Maximum number of errors that an import returns. */
const MAX_ERRORS = 100

/** What an import does with a table. */
interface TableReader<Columns> {
  /** Returns whether a cell of the header names a column that the import knows. This finds the delimiter. */
  isHeading(cell: string): boolean
  /** @throws {Problem} `invalid_csv` naming columns */
  readHeader(cells: readonly string[]): Columns
  /**
   * Reads a row with as many cells as the header.
   * @param number its position; row 1 is the header
   * @returns its errors
   * @throws {Problem}
   */
  readRow(columns: Columns, cells: readonly string[], number: number): FieldError[]
}

/** Returns whether a cell has nothing that people see. */
export const isBlank = (cell: string): boolean => cell === '' || withoutFormat(cell) === ''

/**
 * Reads a table as spreadsheet programs save it: cells between commas, semicolons or tabs, or as a first line `sep=;`
 * says. Passes over blank lines, and over rows whose cells are all blank, which such programs write for deleted rows.
 * @returns the number of rows whose cells are all blank
 * @throws {Problem} `invalid_csv`: the `field` of each error is a column (`email` or `column 2`), a row (`row 3`; row 1
 *   is the header), a cell (`row 3: email`) or `body`
 */
export async function readTable<Columns>(text: string, reader: TableReader<Columns>): Promise<{ skipped: number }> {
  const { delimiter, table } = findDelimiter(text, reader.isHeading)
  const errors: FieldError[] = []
  let header: { columns: Columns; width: number; named: number } | undefined
  let skipped = 0
  let number = 0
  try {
    for await (const cells of csvRows(table, delimiter)) {
      number += 1
      if (cells.every(isBlank)) skipped += header && cells.length > 1 ? 1 : 0
      else if (!header) {
        const named = cells.findLastIndex((cell) => !isBlank(cell)) + 1
        header = { columns: reader.readHeader(cells), width: cells.length, named }
      } else if (
        cells.length < header.named ||
        (cells.length > header.width && !cells.slice(header.width).every(isBlank))
      ) {
        const count = detail('cell_count', { cells: cells.length, columns: header.width })
        errors.push(fieldError(`row ${number}`, 'invalid_csv', {}, count))
      } else errors.push(...reader.readRow(header.columns, fitted(cells, header.width), number))
      if (errors.length >= MAX_ERRORS) break
    }
  } catch (error) {
    throw asProblem(error)
  }
  if (!header) throw noHeader()
  if (errors.length) throw problems.invalidCsv(errors.slice(0, MAX_ERRORS))
  return { skipped }
}

/** Returns a row with exactly as many cells as the header. */
const fitted = (cells: readonly string[], width: number): readonly string[] =>
  cells.length === width ? cells : Array.from({ length: width }, (_, index) => cells[index] ?? '')

const noHeader = () => problems.invalidCsv([fieldError('body', 'invalid_csv', {}, detail('no_header'))])

function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error
  const { row, reason } = describeCsvError(error)
  return problems.invalidCsv([fieldError(`row ${row}`, 'invalid_csv', {}, detail(reason))])
}

/**
 * Returns the header of a table and the first rows that are not blank.
 * @throws {Problem} `invalid_csv`
 */
export async function readStart(
  text: string,
  isHeading: (cell: string) => boolean,
  maxRows: number,
): Promise<{ header: string[]; rows: string[][] }> {
  const { delimiter, table } = findDelimiter(text, isHeading)
  const filled: string[][] = []
  try {
    for await (const cells of csvRows(table, delimiter))
      if (!cells.every(isBlank) && filled.push(cells) > maxRows) break
  } catch (error) {
    throw asProblem(error)
  }
  const [header, ...rows] = filled
  if (!header) throw noHeader()
  return { header, rows }
}

/**
 * Returns an uploaded table as CSV: the text of a CSV file, see `decodeText`, or the first sheet of an Excel workbook,
 * which is read in a separate process.
 * @throws {Problem} `invalid_csv`, `too_many_requests`, `unavailable`
 */
export async function tableText(context: Context, file: Buffer): Promise<string> {
  const text = isWorkbook(file) ? await workbookText(context, file) : decodeText(file)
  if (text === undefined || !text.isWellFormed() || text.includes('\0'))
    throw problems.invalidCsv([fieldError('body', 'invalid_csv', {}, detail('not_a_table'))])
  if (text.trim() === '') throw problems.invalidCsv([fieldError('body', 'blank', {}, detail('empty_file'))])
  return text
}

async function workbookText(context: Context, file: Buffer): Promise<string> {
  try {
    const result = await runInSandbox(context, 'workbookTableTask', file)
    if ('csv' in result) return result.csv
    throw problems.invalidCsv(result.errors)
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error
    throw problems.invalidCsv([fieldError('body', 'workbook_too_complex')])
  }
}
