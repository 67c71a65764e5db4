import { readEmailAddress } from '../email-address.ts'
import { detail } from '../error-details.ts'
import { type FieldError, fieldError, type ValueError, valueError } from '../field-error.ts'
import { problems } from '../problem.ts'
import { readTable } from '../table/read-table.ts'
import { emailError, nameError } from './commands.ts'
import { fieldNameError, fieldValueError } from './fields.ts'

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

/** What a column of an imported table can contain. The first and the last name together are the name. */
export const columnUses = ['name', 'first_name', 'last_name', 'email', 'unsubscribed', 'custom', 'ignored'] as const
export type ColumnUse = (typeof columnUses)[number]

/** A column of an imported table. A `nameless` column has no heading; its cells must be blank. */
interface Column {
  use: ColumnUse | 'nameless'
  /** The name of a custom field. */
  heading: string
}

/** Maximum number of columns. It is well above the maximum number of custom fields. */
const MAX_COLUMNS = 1_000

/** The columns whose name counts exactly, regardless of case. */
const NAMES = ['name', 'email', 'unsubscribed'] as const

/**
 * Headings that address books and spreadsheets use, in lower case and without spaces and punctuation. They count only
 * if no column has the name itself.
 */
const VARIANTS: Partial<Record<ColumnUse, readonly string[]>> = {
  name: ['fullname', 'contactname', 'displayname', 'vollständigername', 'nom', 'nomcomplet', 'nombre', 'nome', 'naam'],
  first_name: ['firstname', 'givenname', 'forename', 'vorname', 'prénom', 'prenom', 'voornaam'],
  last_name: ['lastname', 'surname', 'familyname', 'nachname', 'familienname', 'nomdefamille', 'apellidos', 'cognome'],
  email: ['email', 'mail', 'emailaddress', 'mailaddress', 'emailadresse', 'mailadresse', 'adressemail', 'correo'],
  unsubscribed: ['abgemeldet'],
}

const isPartOfName = (use: Column['use']): boolean => use === 'first_name' || use === 'last_name'

const squeezed = (heading: string) => heading.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')

const variantOf = (heading: string): ColumnUse | undefined =>
  columnUses.find((use) => VARIANTS[use]?.includes(squeezed(heading)))

const nameOf = (heading: string): (typeof NAMES)[number] | undefined =>
  NAMES.find((name) => name === heading.trim().toLowerCase())

/** Returns whether a header cell names a column that every contact has. */
export const isHeading = (cell: string): boolean => (nameOf(cell) ?? variantOf(cell)) !== undefined

/** Returns what the columns contain, as their headings say. */
export function usesOf(header: readonly string[]): ColumnUse[] {
  const names = new Set(header.map(nameOf))
  const hasName = names.has('name') || header.some((heading) => variantOf(heading) === 'name')
  return header.map((heading) => {
    const name = nameOf(heading)
    if (name) return name
    const variant = variantOf(heading)
    if (variant === undefined || names.has(variant as (typeof NAMES)[number])) return 'custom'
    return isPartOfName(variant) && hasName ? 'custom' : variant
  })
}

/**
 * Parses the header of a contact table: a name, or a first or last name, and an email address are required.
 * @param uses what the columns contain
 * @throws {Problem} `invalid_csv` naming each column that is missing, that occurs twice or whose heading a custom field
 *   cannot have
 */
function readHeader(header: readonly string[], uses: readonly ColumnUse[] = usesOf(header)): Column[] {
  checkColumnCount(header)
  const errors: FieldError[] = []
  const names = new Set<string>()
  const columns = header.map((cell, index): Column => {
    const [use, heading] = [uses[index] ?? 'ignored', cell.trim()]
    if (use === 'ignored') return { use, heading }
    if (use === 'custom' && heading === '') return { use: 'nameless', heading }
    const name = use === 'custom' ? heading : use
    const [field, value] = [`column ${index + 1}`, name.slice(0, 60)]
    const error = use === 'custom' ? columnNameError(name) : undefined
    const key = use === 'custom' ? `custom ${heading}` : use
    if (names.has(key)) errors.push(fieldError(field, 'duplicate', { value }, detail('duplicate_column', { value })))
    else if (error) errors.push({ field, ...error })
    names.add(key)
    return { use, heading }
  })
  if (!columns.some(({ use }) => use === 'name' || isPartOfName(use))) errors.push(fieldError('name', 'missing_column'))
  if (!columns.some(({ use }) => use === 'email')) errors.push(fieldError('email', 'missing_column'))
  if (errors.length) throw problems.invalidCsv(errors.slice(0, 100))
  return columns
}

/** @throws {Problem} `invalid_csv` */
export function checkColumnCount(header: readonly string[]): void {
  if (header.length > MAX_COLUMNS)
    throw problems.invalidCsv([
      fieldError('row 1', 'too_many', { max: MAX_COLUMNS }, detail('too_many_columns', { max: MAX_COLUMNS })),
    ])
}

/** Returns the error of a heading that cannot be the name of a custom field. The error contains the heading. */
function columnNameError(name: string): ValueError | undefined {
  const error = fieldNameError(name)
  if (!error) return undefined
  const values = { value: name.slice(0, 60), ...error.detail?.values }
  return valueError(error.code, {}, detail(error.code === 'reserved_name' ? 'column_reserved' : 'column_name', values))
}
