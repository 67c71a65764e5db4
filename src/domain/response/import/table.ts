import { csvFault, csvRows } from '../../../lib/csv-rows.ts'
import { type FieldError, fieldError } from '../../field-error.ts'
import { Problem, problems } from '../../problem.ts'
import type { Answers } from '../../structure/questionnaire.ts'
import type { SurveySnapshot } from '../../survey/snapshot.ts'
import type { NewResponse } from '../submit/submission-batcher.ts'
import { type Column, readHeader } from './header.ts'
import { readRow } from './row.ts'

/** Most responses in one import. */
export const MOST_ROWS = 100_000
/** Faults that are named; whoever has more mends these first. */
const MOST_FAULTS = 100

/** A checked row, its number in the table (the header is 1) and its answers. */
export interface TableRow {
  number: number
  incoming: NewResponse
  answers: Answers
}

/**
 * Reads and checks a whole table (RFC 4180) before anything is stored.
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
      else if (cells.length > 1 || cells[0] !== '' || columns.length === 1) take(columns, cells)
      if (rows.length > MOST_ROWS)
        throw problems.invalidCsv([
          fieldError('body', 'too_many', { max: MOST_ROWS }, `must have at most ${MOST_ROWS} rows`),
        ])
      if (errors.length >= MOST_FAULTS) break
    }
  } catch (error) {
    if (error instanceof Problem) throw error
    const { row, message } = csvFault(error)
    throw problems.invalidCsv([fieldError(`row ${row}`, 'invalid_csv', {}, message)])
  }
  if (!columns) throw problems.invalidCsv([fieldError('body', 'invalid_csv', {}, 'has no header')])
  if (errors.length) throw problems.invalidCsv(errors.slice(0, MOST_FAULTS))
  return rows

  function take(header: readonly Column[], cells: readonly string[]) {
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
