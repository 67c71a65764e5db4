import type { FieldErrorCode } from '../field-error.ts'
import type { FieldErrors } from './field-errors.ts'
import { countPlaces, MAX_PIPED_PLACES } from './text.ts'
import { MAX_UID } from './uid.ts'
import { isRecord, type Json, under } from './walk.ts'

/** A check that adds the errors of a value at its JSON pointer. */
export type Check = (errors: FieldErrors, pointer: string, value: unknown) => void

const must =
  (fits: (value: unknown) => boolean, type: string, code: FieldErrorCode = 'invalid_type'): Check =>
  (errors, pointer, value) => {
    if (!fits(value)) errors.add(pointer, code, { type }, `must be ${type}`)
  }

export const boolean = must((value) => typeof value === 'boolean', 'true or false')
export const string = must((value) => typeof value === 'string', 'a string')
export const number = must(Number.isFinite, 'a number')
export const array = must(Array.isArray, 'an array')
export const count = must((value) => Number.isInteger(value) && (value as number) >= 0, 'a whole number of at least 0')
export const between = (least: number, most: number): Check =>
  must(
    (value) => Number.isInteger(value) && (value as number) >= least && (value as number) <= most,
    `a whole number from ${least} to ${most}`,
  )
export const uid = between(0, MAX_UID)
export const oneOf = (words: readonly string[]): Check =>
  must((value) => typeof value === 'string' && words.includes(value), `one of ${words.join(', ')}`, 'invalid_value')

/** Checks a score. Old surveys have scores as text, and an empty text for none. */
export const score = must((value) => Number.isFinite(typeof value === 'string' ? Number(value) : value), 'a number')

/** Reports whether a text is a language tag such as `en`, `pt-BR` or `zh_Hans`, like those of BCP 47. */
export const isLanguageCode = (code: unknown): boolean =>
  typeof code === 'string' && code.length <= 35 && /^[A-Za-z]{2,8}(?:[-_][A-Za-z0-9]{1,8})*$/.test(code)

/** Checks a text: a plain string, or an object of language code to string. */
export const text: Check = (errors, pointer, value) => {
  if (typeof value === 'string') return checkPlaces(errors, pointer, value)
  if (!isRecord(value)) {
    errors.add(pointer, 'invalid_type', { type: 'a string, or an object of language codes and strings' })
    return
  }
  for (const [code, translation] of Object.entries(value)) {
    if (!isLanguageCode(code))
      errors.add(under(pointer, code), 'invalid_format', {}, 'must be a language code such as en or pt-BR')
    else if (typeof translation !== 'string') errors.add(under(pointer, code), 'invalid_type', { type: 'a string' })
    else checkPlaces(errors, under(pointer, code), translation)
  }
}

function checkPlaces(errors: FieldErrors, pointer: string, value: string): void {
  if (countPlaces(value) > MAX_PIPED_PLACES)
    errors.add(
      pointer,
      'too_many',
      { max: MAX_PIPED_PLACES },
      `must have at most ${MAX_PIPED_PLACES} placeholders such as {{ id }}`,
    )
}

/** Reports whether a value is present; null counts as absent. */
export const isGiven = (value: unknown): boolean => value !== undefined && value !== null

/** Checks the members that are present. Unknown members are kept. */
export function checkMembers(
  errors: FieldErrors,
  pointer: string,
  owner: Json,
  checks: Readonly<Record<string, Check>>,
): void {
  for (const [member, check] of Object.entries(checks)) {
    if (Object.hasOwn(owner, member) && isGiven(owner[member])) check(errors, under(pointer, member), owner[member])
  }
}

/** Checks that no two choices (or rows) of a list have the same number. */
export function checkUids(errors: FieldErrors, pointer: string, items: readonly unknown[]): void {
  const seen = new Set<unknown>()
  for (const [index, item] of items.entries()) {
    const number = isRecord(item) && isGiven(item.uid) ? item.uid : undefined
    if (number === undefined) continue
    if (seen.has(number))
      errors.add(under(under(pointer, index), 'uid'), 'duplicate', {}, 'is a duplicate; omit it for a new number')
    seen.add(number)
  }
}

/** Checks that a range with both ends is not empty. */
export function checkRange(errors: FieldErrors, pointer: string, owner: Json, low: string, high: string): void {
  const [from, to] = [owner[low], owner[high]]
  if (typeof from === 'number' && typeof to === 'number' && from > to) {
    errors.add(under(pointer, low), 'too_large', { max: to }, `must not be greater than ${high}`)
  }
}
