import type { FieldError } from '../problem.ts'

/** What a contact has anyway, so that no custom field can be called so (decisions, section 4). */
const FIXED: ReadonlySet<string> = new Set(['id', 'contact_uri', 'name', 'email', 'unsubscribed'])

const MAX_NAME_CHARACTERS = 100
/** Characters of one value. */
const MAX_VALUE_CHARACTERS = 2_000

/** The values of custom fields that a change sets, and the names of those it empties. */
export interface CustomChange {
  set: Record<string, string>
  cleared: string[]
}

/** What is wrong with the name of a custom field, if anything. Brackets would end a token such as `[Custom:city]`. */
export function faultInFieldName(name: string): string | undefined {
  if (FIXED.has(name)) return 'is a member that every contact has; a custom field cannot be called so'
  if (
    !name ||
    name !== name.trim() ||
    [...name].length > MAX_NAME_CHARACTERS ||
    /[[\]\p{Cc}]/u.test(name) ||
    name === '__proto__'
  )
    return `cannot be the name of a custom field: 1 to ${MAX_NAME_CHARACTERS} characters, no brackets, no spaces around it`
  return undefined
}

/** What is wrong with the value of a custom field, if anything. */
export const faultInFieldValue = (value: string): string | undefined =>
  value.length > MAX_VALUE_CHARACTERS ? `must have at most ${MAX_VALUE_CHARACTERS} characters` : undefined

/**
 * Reads custom fields as a caller gives them: a number or a truth value counts as its text, an empty one empties the field.
 * @param given by the bare name of the field
 * @param errors takes what is wrong with names and values
 * @param prefix what stands before the name where the caller reads the faults
 */
export function readCustom(given: Readonly<Record<string, unknown>>, errors: FieldError[], prefix = ''): CustomChange {
  const change: CustomChange = { set: {}, cleared: [] }
  for (const [name, raw] of Object.entries(given)) {
    const value = textOf(raw)
    const message = faultInFieldName(name) ?? (value === undefined ? 'must be a text' : faultInFieldValue(value))
    if (message) errors.push({ field: `${prefix}${name}`, message })
    else if (value) change.set[name] = value
    else change.cleared.push(name)
  }
  return change
}

/** @returns undefined for what is no single value; an empty text for nothing */
function textOf(raw: unknown): string | undefined {
  if (raw === null || raw === undefined) return ''
  return typeof raw === 'string' || typeof raw === 'number' || typeof raw === 'boolean' ? String(raw).trim() : undefined
}
