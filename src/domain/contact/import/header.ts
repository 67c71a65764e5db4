import { detail } from '../../error-details.ts'
import { type FieldError, fieldError, type ValueError, valueError } from '../../field-error.ts'
import { problems } from '../../problem.ts'
import { fieldNameError } from '../custom.ts'

/** The columns of every contact; any other column is a custom field. */
const FIXED_COLUMNS = ['name', 'email', 'unsubscribed'] as const
export type FixedColumn = (typeof FIXED_COLUMNS)[number]

/** A column of an imported table. A `nameless` column has no heading; its cells must be blank. */
export type Column =
  | { kind: 'fixed'; name: FixedColumn }
  | { kind: 'custom'; name: string }
  | { kind: 'nameless'; name: '' }

/** Maximum number of columns. It is well above the maximum number of custom fields. */
const MAX_COLUMNS = 1_000

/**
 * Headings that address books and spreadsheets use, in lower case and without spaces and punctuation. They count only
 * if no column has the name itself.
 */
const VARIANTS: Readonly<Record<FixedColumn, readonly string[]>> = {
  name: ['fullname', 'contactname', 'displayname', 'vollständigername', 'nom', 'nomcomplet', 'nombre', 'nome', 'naam'],
  email: ['email', 'mail', 'emailaddress', 'mailaddress', 'emailadresse', 'mailadresse', 'adressemail', 'correo'],
  unsubscribed: ['abgemeldet'],
}

const squeezed = (heading: string) => heading.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')

/** Returns the fixed column that a heading names, exactly or in another form. */
function fixedColumn(heading: string): { name: FixedColumn; isExact: boolean } | undefined {
  const exact = FIXED_COLUMNS.find((column) => column === heading.toLowerCase())
  if (exact) return { name: exact, isExact: true }
  const name = FIXED_COLUMNS.find((column) => VARIANTS[column].includes(squeezed(heading)))
  return name && { name, isExact: false }
}

/** Returns whether a header cell names a column that every contact has. */
export const isHeading = (cell: string): boolean => fixedColumn(cell.trim()) !== undefined

/**
 * Parses the header of a contact table: `name` and `email` are required, `unsubscribed` is optional. Case, spaces and
 * punctuation are ignored (`E-Mail`), and usual headings such as `Full name` count if the name itself does not occur.
 * @throws {Problem} `invalid_csv` naming each column that is missing, that occurs twice or whose name a custom field
 *   cannot have
 */
export function readHeader(header: readonly string[]): Column[] {
  if (header.length > MAX_COLUMNS)
    throw problems.invalidCsv([
      fieldError('row 1', 'too_many', { max: MAX_COLUMNS }, detail('too_many_columns', { max: MAX_COLUMNS })),
    ])
  const errors: FieldError[] = []
  const names = new Set<string>()
  const exact = new Set(header.map((cell) => cell.trim().toLowerCase()))
  const columns = header.map((cell, index) => {
    const column = columnOf(cell.trim(), exact)
    if (column.kind === 'nameless') return column
    const [field, value] = [`column ${index + 1}`, column.name.slice(0, 60)]
    const error = column.kind === 'custom' ? columnNameError(column.name) : undefined
    if (names.has(column.name))
      errors.push(fieldError(field, 'duplicate', { value }, detail('duplicate_column', { value })))
    else if (error) errors.push({ field, ...error })
    names.add(column.name)
    return column
  })
  for (const name of ['name', 'email']) if (!names.has(name)) errors.push(fieldError(name, 'missing_column'))
  if (errors.length) throw problems.invalidCsv(errors.slice(0, 100))
  return columns
}

/** Returns the error of a heading that cannot be the name of a custom field. The error contains the heading. */
export function columnNameError(name: string): ValueError | undefined {
  const error = fieldNameError(name)
  if (!error) return undefined
  const values = { value: name.slice(0, 60), ...error.detail?.values }
  return valueError(error.code, {}, detail(error.code === 'reserved_name' ? 'column_reserved' : 'column_name', values))
}

function columnOf(name: string, exact: ReadonlySet<string>): Column {
  if (name === '') return { kind: 'nameless', name: '' }
  const fixed = fixedColumn(name)
  return fixed && (fixed.isExact || !exact.has(fixed.name))
    ? { kind: 'fixed', name: fixed.name }
    : { kind: 'custom', name }
}
