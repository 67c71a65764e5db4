import { csvFault, csvRows } from '../../../lib/csv-rows.ts'
import { type FieldError, Problem, problems } from '../../problem.ts'
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
 * @throws {Problem} `invalid_request` naming rows, as `row 3: q1` with its message
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
      if (rows.length > MOST_ROWS) throw problems.invalidField('body', `has more than ${MOST_ROWS} rows`)
      if (errors.length >= MOST_FAULTS) break
    }
  } catch (error) {
    if (error instanceof Problem) throw error
    const { row, message } = csvFault(error)
    throw problems.invalidField(`row ${row}`, message)
  }
  if (!columns) throw problems.invalidField('body', 'has no header')
  if (errors.length) throw problems.invalid(errors.slice(0, MOST_FAULTS))
  return rows

  function take(header: readonly Column[], cells: readonly string[]) {
    if (cells.length !== header.length) {
      errors.push({ field: `row ${number}`, message: `has ${cells.length} cells, the header has ${header.length}` })
      return
    }
    const row = readRow(snapshot, header, cells, now)
    if ('faults' in row)
      errors.push(...row.faults.map(({ field, message }) => ({ field: `row ${number}: ${field}`, message })))
    else rows.push({ number, ...row })
  }
}
