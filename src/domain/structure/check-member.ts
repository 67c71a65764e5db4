import type { FieldErrorCode } from '../field-error.ts'
import type { FieldErrors } from './field-errors.ts'
import { countPlaceholders, MAX_PLACEHOLDERS } from './text.ts'
import { MAX_UID } from './uid.ts'
import { isRecord, type Json, under } from './walk.ts'

/** A check that adds the errors of a value at its JSON pointer. */
export type Check = (errors: FieldErrors, pointer: string, value: unknown) => void

const typeCheck =
  (isValid: (value: unknown) => boolean, type: string, code: FieldErrorCode = 'invalid_type'): Check =>
  (errors, pointer, value) => {
    if (!isValid(value)) errors.add(pointer, code, { type }, `must be ${type}`)
  }

export const boolean = typeCheck((value) => typeof value === 'boolean', 'true or false')
export const string = typeCheck((value) => typeof value === 'string', 'a string')
export const number = typeCheck(Number.isFinite, 'a number')
export const array = typeCheck(Array.isArray, 'an array')
export const count = typeCheck(
  (value) => Number.isInteger(value) && (value as number) >= 0,
  'a whole number of at least 0',
)
export const between = (min: number, max: number): Check =>
  typeCheck(
    (value) => Number.isInteger(value) && (value as number) >= min && (value as number) <= max,
    `a whole number from ${min} to ${max}`,
  )
/** Checks a string of at most a number of characters. */
export const upTo = (max: number): Check =>
  typeCheck((value) => typeof value === 'string' && value.length <= max, `a string of at most ${max} characters`)
/** Checks a number from a minimum to a maximum. */
export const range = (min: number, max: number): Check =>
  typeCheck((value) => typeof value === 'number' && value >= min && value <= max, `a number from ${min} to ${max}`)
export const uid = between(0, MAX_UID)
export const oneOf = (values: readonly string[]): Check =>
  typeCheck(
    (value) => typeof value === 'string' && values.includes(value),
    `one of ${values.join(', ')}`,
    'invalid_value',
  )

/** Checks a list of different texts, each of them one of the accepted values. */
export const listOf = (values: readonly string[]): Check =>
  typeCheck(
    (value) =>
      Array.isArray(value) && new Set(value).size === value.length && value.every((item) => values.includes(item)),
    `a list without duplicates of ${values.join(', ')}`,
    'invalid_value',
  )

/** Checks a score. In old surveys a score is a string, empty if there is none. */
export const score = typeCheck(
  (value) => Number.isFinite(typeof value === 'string' ? Number(value) : value),
  'a number',
)

/** Reports whether a value is a language tag as in BCP 47: `en`, `pt-BR` or `zh_Hans`. */
export const isLanguageCode = (code: unknown): boolean =>
  typeof code === 'string' && code.length <= 35 && /^[A-Za-z]{2,8}(?:[-_][A-Za-z0-9]{1,8})*$/.test(code)

/** Checks a text: a plain string, or an object of language code to string. */
export const text: Check = (errors, pointer, value) => {
  if (typeof value === 'string') return checkPlaceholders(errors, pointer, value)
  if (!isRecord(value)) {
    errors.add(pointer, 'invalid_type', { type: 'a string, or an object of language codes and strings' })
    return
  }
  for (const [code, translation] of Object.entries(value)) {
    if (!isLanguageCode(code))
      errors.add(under(pointer, code), 'invalid_format', {}, 'must be a language code such as en or pt-BR')
    else if (typeof translation !== 'string') errors.add(under(pointer, code), 'invalid_type', { type: 'a string' })
    else checkPlaceholders(errors, under(pointer, code), translation)
  }
}

function checkPlaceholders(errors: FieldErrors, pointer: string, value: string): void {
  if (countPlaceholders(value) > MAX_PLACEHOLDERS)
    errors.add(
      pointer,
      'too_many',
      { max: MAX_PLACEHOLDERS },
      `must have at most ${MAX_PLACEHOLDERS} placeholders such as {{ id }}`,
    )
}

/** Reports whether a value is present; null counts as absent. */
export const isPresent = (value: unknown): boolean => value !== undefined && value !== null

/** Checks the members that are present. Unknown members are kept. */
export function checkMembers(
  errors: FieldErrors,
  pointer: string,
  owner: Json,
  checks: Readonly<Record<string, Check>>,
): void {
  for (const [member, check] of Object.entries(checks)) {
    if (Object.hasOwn(owner, member) && isPresent(owner[member])) check(errors, under(pointer, member), owner[member])
  }
}

/** Checks that the choices or rows of a list have different numbers. */
export function checkUids(errors: FieldErrors, pointer: string, items: readonly unknown[]): void {
  const uids = new Set<unknown>()
  for (const [index, item] of items.entries()) {
    if (!isRecord(item) || !isPresent(item.uid)) continue
    if (uids.has(item.uid))
      errors.add(under(under(pointer, index), 'uid'), 'duplicate', {}, 'is a duplicate; omit it for a new number')
    uids.add(item.uid)
  }
}

/** Checks that the lower end of a range is not above its upper end. */
export function checkRange(errors: FieldErrors, pointer: string, owner: Json, low: string, high: string): void {
  const [min, max] = [owner[low], owner[high]]
  if (typeof min === 'number' && typeof max === 'number' && min > max) {
    errors.add(under(pointer, low), 'too_large', { max }, `must not be greater than ${high}`)
  }
}
