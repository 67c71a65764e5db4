import { detail } from '../../error-details.ts'
import { type FieldError, fieldError, type ValueError } from '../../field-error.ts'
import { problems } from '../../problem.ts'
import { fieldNameError } from '../custom.ts'

/** The columns of every contact; any other column is a custom field. */
const FIXED_COLUMNS = ['name', 'email', 'unsubscribed'] as const
export type FixedColumn = (typeof FIXED_COLUMNS)[number]

/** A column of an imported table. */
export type Column = { kind: 'fixed'; name: FixedColumn } | { kind: 'custom'; name: string }

/** Maximum number of columns. It is well above the maximum number of custom fields. */
const MAX_COLUMNS = 1_000

/**
 * Parses the header of a contact table: `name` and `email` are required, `unsubscribed` is optional. The case of these
 * three names is ignored.
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
  const columns = header.map((cell, index) => {
    const column = columnOf(cell.trim())
    const [field, value] = [`column ${index + 1}`, column.name.slice(0, 60)]
    const error = column.kind === 'custom' ? fieldNameError(column.name) : undefined
    if (names.has(column.name))
      errors.push(fieldError(field, 'duplicate', { value }, detail('duplicate_column', { value })))
    else if (error) errors.push(columnError(field, value, error))
    names.add(column.name)
    return column
  })
  for (const name of ['name', 'email']) if (!names.has(name)) errors.push(fieldError(name, 'missing_column'))
  if (errors.length) throw problems.invalidCsv(errors.slice(0, 100))
  return columns
}

/** Returns the error of the name of a custom field. The error contains the name. */
const columnError = (field: string, value: string, { code, detail: reason }: ValueError): FieldError =>
  fieldError(
    field,
    code,
    {},
    detail(code === 'reserved_name' ? 'column_reserved' : 'column_name', { value, ...reason?.values }),
  )

function columnOf(name: string): Column {
  const fixed = FIXED_COLUMNS.find((column) => column === name.toLowerCase())
  return fixed ? { kind: 'fixed', name: fixed } : { kind: 'custom', name }
}
