import { csvFault, csvRows } from '../../../lib/csv-rows.ts'
import { type FieldError, fieldError, type ValueError, valueError } from '../../field-error.ts'
import { Problem, problems } from '../../problem.ts'
import { fieldValueError } from '../custom.ts'
import { emailError, nameError } from '../draft.ts'
import { type Column, readHeader } from './header.ts'

/** Most contacts in one import. */
const MAX_ROWS = 200_000
/** Errors that are reported at once. */
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
 * @throws {Problem} `invalid_csv` naming columns, or rows as `row 3: email` (the header is row 1)
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
        const row = readRow(columns, cells, (error) => errors.push(error), `row ${number}`)
        rows.set(`${row.email.toLowerCase()}\n${row.name}`, row)
      }
      if (rows.size > MAX_ROWS)
        throw problems.invalidCsv([
          fieldError('body', 'too_many', { max: MAX_ROWS }, `must have at most ${MAX_ROWS} contacts`),
        ])
      if (errors.length >= MAX_ERRORS) break
    }
  } catch (error) {
    if (error instanceof Problem) throw error
    const { row, message } = csvFault(error)
    throw problems.invalidCsv([fieldError(`row ${row}`, 'invalid_csv', {}, message)])
  }
  if (!columns) throw problems.invalidCsv([fieldError('body', 'invalid_csv', {}, 'has no header')])
  if (errors.length) throw problems.invalidCsv(errors.slice(0, MAX_ERRORS))
  const fields = columns.filter(({ kind }) => kind === 'custom').map(({ name }) => name)
  return { fields, rows: [...rows.values()] }
}

type AddError = (error: FieldError) => void

function readRow(columns: readonly Column[], cells: readonly string[], addError: AddError, place: string): ContactRow {
  const row: ContactRow = { name: '', email: '', unsubscribed: false, custom: {} }
  if (cells.length !== columns.length) {
    addError(fieldError(place, 'invalid_csv', {}, `has ${cells.length} cells, but the header has ${columns.length}`))
    return row
  }
  for (const [at, column] of columns.entries()) {
    const error = put(row, column, cells[at]!.trim())
    if (error) addError({ field: `${place}: ${column.name}`, ...error })
  }
  return row
}

/** @returns what is wrong with the cell, if anything */
function put(row: ContactRow, { kind, name }: Column, cell: string): ValueError | undefined {
  if (kind === 'custom') {
    if (cell) row.custom[name] = cell
    return fieldValueError(cell)
  }
  if (name === 'unsubscribed') {
    row.unsubscribed = /^(true|1|yes)$/i.test(cell)
    return row.unsubscribed || /^(false|0|no|)$/i.test(cell)
      ? undefined
      : valueError('invalid_value', {}, 'must be true or false')
  }
  row[name] = cell
  return name === 'name' ? nameError(cell) : emailError(cell)
}
