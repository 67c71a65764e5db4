import { readEmailAddress } from '../../email-address.ts'
import { detail } from '../../error-details.ts'
import { type FieldError, fieldError, type ValueError, valueError } from '../../field-error.ts'
import { problems } from '../../problem.ts'
import { readTable } from '../../table/read-table.ts'
import { fieldValueError } from '../custom.ts'
import { emailError, nameError } from '../draft.ts'
import { type Column, type ColumnUse, columnNameError, isHeading, isPartOfName, readHeader } from './header.ts'

/** Maximum number of contacts per import. */
const MAX_ROWS = 200_000

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
  /** The number of rows whose cells are all blank. */
  skipped: number
}

/**
 * Parses and validates a whole table of contacts.
 * @param uses what each column contains; absent: as its heading says
 * @throws {Problem} `invalid_csv`, as `readTable` does
 */
export async function readContacts(text: string, uses?: readonly ColumnUse[]): Promise<ContactTable> {
  const rows = new Map<string, ContactRow>()
  const fields: string[] = []
  const { skipped } = await readTable<readonly Column[]>(text, {
    isHeading,
    readHeader(cells) {
      const columns = readHeader(cells, uses)
      fields.push(...columns.filter(({ use }) => use === 'custom').map(({ heading }) => heading))
      return columns
    },
    readRow(columns, cells, number) {
      const { row, errors } = readRow(columns, cells, `row ${number}`)
      rows.set(`${row.email.toLowerCase()}\n${row.name}`, row)
      if (rows.size > MAX_ROWS)
        throw problems.invalidCsv([
          fieldError('body', 'too_many', { max: MAX_ROWS }, detail('too_many_contacts', { max: MAX_ROWS })),
        ])
      return errors
    },
  })
  return { fields, rows: [...rows.values()], skipped }
}

function readRow(
  columns: readonly Column[],
  cells: readonly string[],
  label: string,
): { row: ContactRow; errors: FieldError[] } {
  const row: ContactRow = { name: '', email: '', unsubscribed: false, custom: {} }
  const nameParts: string[] = []
  const errors: FieldError[] = []
  for (const [index, column] of columns.entries()) {
    const cell = cells[index]!.trim()
    if (isPartOfName(column.use)) nameParts.push(cell)
    const error = setCell(row, column, cell)
    const { use, heading } = column
    if (error)
      errors.push({
        field: use === 'nameless' ? `column ${index + 1}` : `${label}: ${use === 'custom' ? heading : use}`,
        ...error,
      })
  }
  if (nameParts.length > 0) {
    row.name = nameParts.filter((part) => part !== '').join(' ')
    const error = nameError(row.name)
    if (error) errors.push({ field: `${label}: name`, ...error })
  }
  return { row, errors }
}

/** @returns the error of the cell, if there is one */
function setCell(row: ContactRow, { use, heading }: Column, cell: string): ValueError | undefined {
  switch (use) {
    case 'nameless':
      return cell ? columnNameError('') : undefined
    case 'custom':
      if (cell) row.custom[heading] = cell
      return fieldValueError(cell)
    case 'unsubscribed':
      row.unsubscribed = /^(true|1|yes)$/i.test(cell)
      return row.unsubscribed || /^(false|0|no|)$/i.test(cell)
        ? undefined
        : valueError('invalid_value', {}, detail('type_boolean'))
    case 'name':
      row.name = cell
      return nameError(cell)
    case 'email':
      row.email = readEmailAddress(cell)
      return emailError(row.email)
    default:
      return undefined
  }
}
