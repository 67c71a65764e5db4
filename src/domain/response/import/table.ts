import { detail } from '../../error-details.ts'
import { fieldError } from '../../field-error.ts'
import { problems } from '../../problem.ts'
import type { Answers } from '../../structure/questionnaire.ts'
import type { SurveySnapshot } from '../../survey/snapshot.ts'
import { readTable } from '../../table/read-table.ts'
import type { NewResponse } from '../submit/submission-batcher.ts'
import { type Header, isHeading, parseHeader } from './header.ts'
import { parseRow, type RowContext } from './row.ts'

/** Maximum number of responses per import. */
export const MAX_IMPORT_ROWS = 100_000

/** A validated row. The header has the number 1. */
export interface TableRow {
  number: number
  response: NewResponse
  answers: Answers
  /** Whether `_collector` names no collector of the survey. The response then has the default collector. */
  hasOtherCollector: boolean
}

/** A validated table. */
export interface Table {
  rows: TableRow[]
  /** The number of rows whose cells are all blank. */
  skipped: number
}

/**
 * Parses and validates a table.
 * @throws {Problem} `invalid_csv`, as `readTable` does
 */
export async function parseTable(snapshot: SurveySnapshot, text: string, context: RowContext): Promise<Table> {
  const rows: TableRow[] = []
  const { skipped } = await readTable<Header>(text, {
    isHeading: (cell) => isHeading(snapshot, cell),
    readHeader: (cells) => parseHeader(snapshot, cells),
    readRow({ columns, values = 'auto' }, cells, number) {
      const row = parseRow(snapshot, columns, cells, context.values === 'auto' ? { ...context, values } : context)
      if ('errors' in row) return row.errors.map((error) => ({ ...error, field: `row ${number}: ${error.field}` }))
      rows.push({ number, ...row })
      if (rows.length > MAX_IMPORT_ROWS)
        throw problems.invalidCsv([
          fieldError('body', 'too_many', { max: MAX_IMPORT_ROWS }, detail('too_many_rows', { max: MAX_IMPORT_ROWS })),
        ])
      return []
    },
  })
  return { rows, skipped }
}
