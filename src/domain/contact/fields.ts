import type { Context } from '../context.ts'
import { detail } from '../error-details.ts'
import { type FieldError, type ValueError, valueError } from '../field-error.ts'
import { problems } from '../problem.ts'
import type { Tables } from '../tables.ts'

/**
 * Maximum number of custom fields of an address book. There is a limit because every contact can have a value for each
 * custom field, and every export has a column for each.
 */
const MAX_FIELDS = 250

/** Returns the names of all custom fields in the actor's address book, in order of first use. */
export async function listFields({ em, actor }: Context): Promise<string[]> {
  const rows = await em
    .getKysely<Tables>()
    .selectFrom('contact_field')
    .select('name')
    .where('owner_id', '=', actor.id)
    .orderBy('id')
    .execute()
  return rows.map(({ name }) => name)
}

/**
 * Creates the custom fields that do not exist yet. The names are inserted in alphabetical order to prevent deadlocks
 * between two transactions.
 * @throws {Problem} `invalid_request` for too many custom fields
 */
export async function createMissingFields(context: Context, names: readonly string[]): Promise<void> {
  if (!names.length) return
  const existing = new Set(await listFields(context))
  const missing = names.filter((name) => !existing.has(name)).sort()
  if (!missing.length) return
  if (existing.size + missing.length > MAX_FIELDS)
    throw problems.invalidField(
      missing[0]!,
      'limit_reached',
      { max: MAX_FIELDS },
      detail('custom_fields', { max: MAX_FIELDS }),
    )
  await context.em
    .getKysely<Tables>()
    .insertInto('contact_field')
    .values(missing.map((name) => ({ owner_id: context.actor.id, name })))
    .onConflict((conflict) => conflict.columns(['owner_id', 'name']).doNothing())
    .execute()
}

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
