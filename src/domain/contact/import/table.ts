import { csvRows, describeCsvError } from '../../../lib/csv-rows.ts'
import { readEmailAddress } from '../../email-address.ts'
import { detail } from '../../error-details.ts'
import { type FieldError, fieldError, type ValueError, valueError } from '../../field-error.ts'
import { Problem, problems } from '../../problem.ts'
import { fieldValueError } from '../custom.ts'
import { emailError, nameError } from '../draft.ts'
import { type Column, readHeader } from './header.ts'

/** Maximum number of contacts per import. */
const MAX_ROWS = 200_000
/** Maximum number of errors that an import returns. */
const MAX_ERRORS = 100

/** A valid row. */
export interface ContactRow {
  name: string
  email: string
  unsubscribed: boolean
  /** Values by the name of the custom field; empty cells are absent. */
  custom: Record<string, string>
}

export interface ContactTable {
  /** The custom fields for which the table has a column. */
  fields: string[]
  /**
   * The rows in the order of the file. If several rows have the same name and email address, only the last of them is
   * kept, at the position of the first.
   */
  rows: ContactRow[]
}

/**
 * Parses and validates a whole table of contacts.
 * @throws {Problem} `invalid_csv`: the `field` of each error is a column (`email` or `column 2`), a row (`row 3`; row 1
 *   is the header), a cell (`row 3: email`) or `body`
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
          fieldError('body', 'too_many', { max: MAX_ROWS }, detail('too_many_contacts', { max: MAX_ROWS })),
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
  const fields = columns.filter(({ kind }) => kind === 'custom').map(({ name }) => name)
  return { fields, rows: [...rows.values()] }
}

type AddError = (error: FieldError) => void

function readRow(columns: readonly Column[], cells: readonly string[], addError: AddError, label: string): ContactRow {
  const row: ContactRow = { name: '', email: '', unsubscribed: false, custom: {} }
  if (cells.length !== columns.length) {
    addError(
      fieldError(label, 'invalid_csv', {}, detail('cell_count', { cells: cells.length, columns: columns.length })),
    )
    return row
  }
  for (const [index, column] of columns.entries()) {
    const error = setCell(row, column, cells[index]!.trim())
    if (error) addError({ field: `${label}: ${column.name}`, ...error })
  }
  return row
}

/** @returns the error of the cell, if there is one */
function setCell(row: ContactRow, { kind, name }: Column, cell: string): ValueError | undefined {
  if (kind === 'custom') {
    if (cell) row.custom[name] = cell
    return fieldValueError(cell)
  }
  if (name === 'unsubscribed') {
    row.unsubscribed = /^(true|1|yes)$/i.test(cell)
    return row.unsubscribed || /^(false|0|no|)$/i.test(cell)
      ? undefined
      : valueError('invalid_value', {}, detail('type_boolean'))
  }
  row[name] = name === 'email' ? readEmailAddress(cell) : cell
  return name === 'name' ? nameError(cell) : emailError(row.email)
}
