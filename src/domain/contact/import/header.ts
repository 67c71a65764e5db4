import { type FieldError, problems } from '../../problem.ts'
import { faultInFieldName } from '../custom.ts'

/** The columns that every contact has; any other is a custom field. */
const FIXED_COLUMNS = ['name', 'email', 'unsubscribed'] as const
export type FixedColumn = (typeof FIXED_COLUMNS)[number]

/** What a column of an imported table holds. */
export type Column = { kind: 'fixed'; name: FixedColumn } | { kind: 'custom'; name: string }

/** Far more than an address book has fields. */
const MAX_COLUMNS = 1_000

/**
 * Reads the first row of a table of contacts: `name` and `email` have to be there, in any case; `unsubscribed` may be.
 * @throws {Problem} `invalid_request` naming each column that is missing, there twice, or cannot be a custom field
 */
export function readHeader(header: readonly string[]): Column[] {
  if (header.length > MAX_COLUMNS) throw problems.invalidField('row 1', `has more than ${MAX_COLUMNS} columns`)
  const errors: FieldError[] = []
  const seen = new Set<string>()
  const columns = header.map((cell, place) => {
    const column = columnOf(cell.trim())
    const message = seen.has(column.name)
      ? 'is there already'
      : column.kind === 'custom'
        ? faultInFieldName(column.name)
        : undefined
    if (message)
      errors.push({ field: `column ${place + 1}`, message: `${JSON.stringify(column.name.slice(0, 60))} ${message}` })
    seen.add(column.name)
    return column
  })
  for (const name of ['name', 'email']) if (!seen.has(name)) errors.push({ field: name, message: 'has no column' })
  if (errors.length) throw problems.invalid(errors.slice(0, 100))
  return columns
}

function columnOf(name: string): Column {
  const fixed = FIXED_COLUMNS.find((known) => known === name.toLowerCase())
  return fixed ? { kind: 'fixed', name: fixed } : { kind: 'custom', name }
}
