import { csvFault, csvRows } from '../../../lib/csv-rows.ts'
import { type FieldError, Problem, problems } from '../../problem.ts'
import { faultInFieldValue } from '../custom.ts'
import { faultInEmail, faultInName } from '../draft.ts'
import { type Column, readHeader } from './header.ts'

/** Most contacts in one import. */
const MOST_ROWS = 200_000
/** Faults that are named; whoever has more mends these first. */
const MAX_ERRORS = 100

/** A checked row. */
export interface ContactRow {
  name: string
  email: string
  unsubscribed: boolean
  /** Values by custom field; an empty cell is not among them. */
  custom: Record<string, string>
}

export interface ContactTable {
  /** The custom fields that have a column. */
  fields: string[]
  /** In the order of the file; of the same name and e-mail address the last row counts, in the place of the first. */
  rows: ContactRow[]
}

/**
 * Reads and checks a whole table of contacts before anything is stored.
 * @throws {Problem} `invalid_request` naming columns, or rows as `row 3: email` (the header is row 1)
 */
export async function readContacts(text: string): Promise<ContactTable> {
  const rows = new Map<string, ContactRow>()
  const errors: FieldError[] = []
  let columns: readonly Column[] | undefined
  let number = 0
  try {
    for await (const cells of csvRows(text)) {
      number += 1
      if (!columns) columns = readHeader(cells)
      else if (cells.length > 1 || cells[0] !== '') {
        const row = readRow(columns, cells, (field, message) => errors.push({ field, message }), `row ${number}`)
        rows.set(`${row.email.toLowerCase()}\n${row.name}`, row)
      }
      if (rows.size > MOST_ROWS) throw problems.invalidField('body', `has more than ${MOST_ROWS} contacts`)
      if (errors.length >= MAX_ERRORS) break
    }
  } catch (error) {
    if (error instanceof Problem) throw error
    const { row, message } = csvFault(error)
    throw problems.invalidField(`row ${row}`, message)
  }
  if (!columns) throw problems.invalidField('body', 'has no header')
  if (errors.length) throw problems.invalid(errors.slice(0, MAX_ERRORS))
  const fields = columns.filter(({ kind }) => kind === 'custom').map(({ name }) => name)
  return { fields, rows: [...rows.values()] }
}

type Complain = (field: string, message: string) => void

function readRow(columns: readonly Column[], cells: readonly string[], complain: Complain, place: string): ContactRow {
  const row: ContactRow = { name: '', email: '', unsubscribed: false, custom: {} }
  if (cells.length !== columns.length) {
    complain(place, `has ${cells.length} cells, the header has ${columns.length}`)
    return row
  }
  for (const [at, column] of columns.entries()) {
    const message = put(row, column, cells[at]!.trim())
    if (message) complain(`${place}: ${column.name}`, message)
  }
  return row
}

/** @returns what is wrong with the cell, if anything */
function put(row: ContactRow, { kind, name }: Column, cell: string): string | undefined {
  if (kind === 'custom') {
    if (cell) row.custom[name] = cell
    return faultInFieldValue(cell)
  }
  if (name === 'unsubscribed') {
    row.unsubscribed = /^(true|1|yes)$/i.test(cell)
    return row.unsubscribed || /^(false|0|no|)$/i.test(cell) ? undefined : 'must be true or false'
  }
  row[name] = cell
  return name === 'name' ? faultInName(cell) : faultInEmail(cell)
}
