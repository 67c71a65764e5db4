import { detail } from '../error-details.ts'
import { type FieldError, type ValueError, valueError } from '../field-error.ts'

/** JSON members that every contact has. A custom field cannot have one of these names (docs/specification.md 8.1). */
const FIXED_MEMBERS: ReadonlySet<string> = new Set(['id', 'contact_uri', 'name', 'email', 'unsubscribed'])

const MAX_NAME_CHARACTERS = 100
const MAX_VALUE_CHARACTERS = 2_000

/** A change of custom fields: the values to set and the names of the fields to remove. */
export interface CustomChange {
  set: Record<string, string>
  cleared: string[]
}

/**
 * Returns the error of a custom field name, if there is one. Names cannot contain brackets, because a bracket would end
 * a placeholder such as `[Custom:city]`.
 */
export function fieldNameError(name: string): ValueError | undefined {
  if (FIXED_MEMBERS.has(name)) return valueError('reserved_name', {}, detail('custom_field_reserved'))
  if (
    !name ||
    name !== name.trim() ||
    [...name].length > MAX_NAME_CHARACTERS ||
    /[[\]\p{Cc}]/u.test(name) ||
    name === '__proto__'
  )
    return valueError('invalid_name', {}, detail('custom_field_name', { max: MAX_NAME_CHARACTERS }))
  return undefined
}

/** Returns the error of a custom field value, if there is one. */
export const fieldValueError = (value: string): ValueError | undefined =>
  value.length > MAX_VALUE_CHARACTERS ? valueError('too_long', { max: MAX_VALUE_CHARACTERS }) : undefined

/**
 * Parses custom fields. A number or a boolean is stored as text; an empty value removes the field.
 * @param fields maps the name of each field, without the prefix `custom_`, to its value
 * @param errors receives the errors of names and values
 * @param prefix precedes the names of fields in errors
 */
export function parseCustomFields(
  fields: Readonly<Record<string, unknown>>,
  errors: FieldError[],
  prefix = '',
): CustomChange {
  const change: CustomChange = { set: {}, cleared: [] }
  for (const [name, raw] of Object.entries(fields)) {
    const value = textOf(raw)
    const error =
      fieldNameError(name) ??
      (value === undefined
        ? valueError('invalid_type', { type: 'a string' }, detail('type_string'))
        : fieldValueError(value))
    if (error) errors.push({ field: `${prefix}${name}`, ...error })
    else if (value) change.set[name] = value
    else change.cleared.push(name)
  }
  return change
}

/**
 * Returns the text of a value.
 * @returns undefined for an array or object; an empty text for null or undefined
 */
function textOf(raw: unknown): string | undefined {
  if (raw === null || raw === undefined) return ''
  return typeof raw === 'string' || typeof raw === 'number' || typeof raw === 'boolean' ? String(raw).trim() : undefined
}
