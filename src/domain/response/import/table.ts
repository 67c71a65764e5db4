import { csvRows, describeCsvError } from '../../../lib/csv-rows.ts'
import { detail } from '../../error-details.ts'
import { type FieldError, fieldError } from '../../field-error.ts'
import { Problem, problems } from '../../problem.ts'
import type { Answers } from '../../structure/questionnaire.ts'
import type { SurveySnapshot } from '../../survey/snapshot.ts'
import type { NewResponse } from '../submit/submission-batcher.ts'
import { type Column, parseHeader } from './header.ts'
import { parseRow, type RowContext } from './row.ts'

/** Maximum number of responses per import. */
export const MAX_IMPORT_ROWS = 100_000
/** Maximum number of reported errors. */
const MAX_ERRORS = 100

/** A validated row. The header has the number 1. */
export interface TableRow {
  number: number
  response: NewResponse
  answers: Answers
}

/**
 * Parses and validates a CSV table (RFC 4180).
 * @throws {Problem} `invalid_csv`; fields of its errors have the form `row 3: q1`
 */
export async function parseTable(snapshot: SurveySnapshot, text: string, context: RowContext): Promise<TableRow[]> {
  const rows: TableRow[] = []
  const errors: FieldError[] = []
  let columns: readonly Column[] | undefined
  let number = 0
  try {
    for await (const cells of csvRows(text)) {
      number += 1
      if (!columns) columns = parseHeader(snapshot.questionnaire, cells)
      else if (cells.length > 1 || cells[0] !== '' || columns.length === 1) addRow(columns, cells)
      if (rows.length > MAX_IMPORT_ROWS)
        throw problems.invalidCsv([
          fieldError('body', 'too_many', { max: MAX_IMPORT_ROWS }, detail('too_many_rows', { max: MAX_IMPORT_ROWS })),
        ])
      if (errors.length >= MAX_ERRORS) break
    }
  } catch (error) {
    if (error instanceof Problem) throw error
    const { row, reason } = describeCsvError(error)
    throw problems.invalidCsv([fieldError(`row ${row}`, 'invalid_csv', {}, detail(reason))])
  }
  if (!columns) throw problems.invalidCsv([fieldError('body', 'invalid_csv', {}, detail('no_header'))])
  if (errors.length) throw problems.invalidCsv(errors.slice(0, MAX_ERRORS))
  return rows

  function addRow(header: readonly Column[], cells: readonly string[]) {
    if (cells.length !== header.length) {
      const count = detail('cell_count', { cells: cells.length, columns: header.length })
      errors.push(fieldError(`row ${number}`, 'invalid_csv', {}, count))
      return
    }
    const row = parseRow(snapshot, header, cells, context)
    if ('errors' in row)
      errors.push(...row.errors.map((error) => ({ ...error, field: `row ${number}: ${error.field}` })))
    else rows.push({ number, ...row })
  }
}
