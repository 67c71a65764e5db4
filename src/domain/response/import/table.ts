import { csvRows, describeCsvError } from '../../../lib/csv-rows.ts'
import { type FieldError, fieldError } from '../../field-error.ts'
import { Problem, problems } from '../../problem.ts'
import type { Answers } from '../../structure/questionnaire.ts'
import type { SurveySnapshot } from '../../survey/snapshot.ts'
import type { NewResponse } from '../submit/submission-batcher.ts'
import { type Column, readHeader } from './header.ts'
import { readRow } from './row.ts'

/** Responses in one import. */
export const MAX_ROWS = 100_000
/** Errors that are reported at once. */
const MAX_ERRORS = 100

/** A validated row: its number in the table (the header is 1), its response and its answers. */
export interface TableRow {
  number: number
  incoming: NewResponse
  answers: Answers
}

/**
 * Parses and validates a whole table (RFC 4180).
 * @throws {Problem} `invalid_csv` naming rows, as `row 3: q1` with its message
 */
export async function readTable(snapshot: SurveySnapshot, text: string, now: Date): Promise<TableRow[]> {
  const rows: TableRow[] = []
  const errors: FieldError[] = []
  let columns: readonly Column[] | undefined
  let number = 0
  try {
    for await (const cells of csvRows(text)) {
      number += 1
      if (!columns) columns = readHeader(snapshot.questionnaire, cells)
      else if (cells.length > 1 || cells[0] !== '' || columns.length === 1) addRow(columns, cells)
      if (rows.length > MAX_ROWS)
        throw problems.invalidCsv([
          fieldError('body', 'too_many', { max: MAX_ROWS }, `must have at most ${MAX_ROWS} rows`),
        ])
      if (errors.length >= MAX_ERRORS) break
    }
  } catch (error) {
    if (error instanceof Problem) throw error
    const { row, message } = describeCsvError(error)
    throw problems.invalidCsv([fieldError(`row ${row}`, 'invalid_csv', {}, message)])
  }
  if (!columns) throw problems.invalidCsv([fieldError('body', 'invalid_csv', {}, 'has no header')])
  if (errors.length) throw problems.invalidCsv(errors.slice(0, MAX_ERRORS))
  return rows

  function addRow(header: readonly Column[], cells: readonly string[]) {
    if (cells.length !== header.length) {
      const message = `has ${cells.length} cells, but the header has ${header.length}`
      errors.push(fieldError(`row ${number}`, 'invalid_csv', {}, message))
      return
    }
    const row = readRow(snapshot, header, cells, now)
    if ('errors' in row)
      errors.push(...row.errors.map((error) => ({ ...error, field: `row ${number}: ${error.field}` })))
    else rows.push({ number, ...row })
  }
}
