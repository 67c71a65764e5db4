import { detail, type ErrorDetail, type ErrorDetailName } from '../error-details.ts'
import type { FieldErrorCode } from '../field-error.ts'
import { countPlaceholders, MAX_PLACEHOLDERS } from './text.ts'
import {
  codeOf,
  type FieldErrors,
  isPresent,
  isRecord,
  type Json,
  MAX_CODE_CHARACTERS,
  MAX_UID,
  under,
} from './walk.ts'

/** Checks a value, and adds its errors at the JSON pointer of the value. */
export type Check = (errors: FieldErrors, pointer: string, value: unknown) => void

const typeCheck =
  (
    isValid: (value: unknown) => boolean,
    type: ErrorDetailName,
    values?: ErrorDetail['values'],
    code?: FieldErrorCode,
  ): Check =>
  (errors, pointer, value) => {
    if (!isValid(value)) errors.addType(pointer, type, values, code)
  }

export const boolean = typeCheck((value) => typeof value === 'boolean', 'type_boolean')
export const string = typeCheck((value) => typeof value === 'string', 'type_string')
export const number = typeCheck(Number.isFinite, 'type_number')
export const array = typeCheck(Array.isArray, 'type_array')
export const count = typeCheck((value) => Number.isInteger(value) && (value as number) >= 0, 'type_count')
export const between = (min: number, max: number): Check =>
  typeCheck(
    (value) => Number.isInteger(value) && (value as number) >= min && (value as number) <= max,
    'type_integer_range',
    { min, max },
  )
/** Returns the check of a string with a maximum length. */
export const upTo = (max: number): Check =>
  typeCheck((value) => typeof value === 'string' && value.length <= max, 'type_string_up_to', { max })
/** Returns the check of a number with a minimum and a maximum. */
export const range = (min: number, max: number): Check =>
  typeCheck((value) => typeof value === 'number' && value >= min && value <= max, 'type_number_range', { min, max })
export const uid = between(0, MAX_UID)
/** Checks the code of a choice, row or column. */
export const code: Check = (errors, pointer, value) => {
  if (typeof value !== 'string' || value.length > MAX_CODE_CHARACTERS)
    errors.addType(pointer, 'type_string_up_to', { max: MAX_CODE_CHARACTERS })
  else if (value.trim() === '') errors.add(pointer, 'blank')
}
export const oneOf = (values: readonly string[]): Check =>
  typeCheck(
    (value) => typeof value === 'string' && values.includes(value),
    'one_of',
    { values: values.join(', ') },
    'invalid_value',
  )

/** Returns the check of a list of texts. Each text must be one of the accepted values, and no text may occur twice. */
export const listOf = (values: readonly string[]): Check =>
  typeCheck(
    (value) =>
      Array.isArray(value) && new Set(value).size === value.length && value.every((item) => values.includes(item)),
    'list_of',
    { values: values.join(', ') },
    'invalid_value',
  )

/** Returns the check of a list of numbers with a maximum length, of which each is in a range and occurs once. */
export const numbers = (most: number, min: number, max: number): Check =>
  typeCheck(
    (value) =>
      Array.isArray(value) &&
      value.length <= most &&
      new Set(value).size === value.length &&
      value.every((item) => typeof item === 'number' && item >= min && item <= max),
    'list_of_numbers',
    { most, min, max },
  )

/** Checks a score. In old surveys a score is a string, which is empty if the choice has no score. */
export const score = typeCheck(
  (value) => Number.isFinite(typeof value === 'string' ? Number(value) : value),
  'type_number',
)

/** Reports whether a value is a language tag as in BCP 47: `en`, `pt-BR` or `zh_Hans`. */
export const isLanguageCode = (code: unknown): boolean =>
  typeof code === 'string' && code.length <= 35 && /^[A-Za-z]{2,8}(?:[-_][A-Za-z0-9]{1,8})*$/.test(code)

/** Checks a text: a plain string, or an object of language code to string. */
export const text: Check = (errors, pointer, value) => {
  if (typeof value === 'string') return checkPlaceholders(errors, pointer, value)
  if (!isRecord(value)) {
    errors.addType(pointer, 'type_text')
    return
  }
  for (const [code, translation] of Object.entries(value)) {
    if (!isLanguageCode(code)) errors.add(under(pointer, code), 'invalid_format', {}, detail('language_code'))
    else if (typeof translation !== 'string') errors.addType(under(pointer, code), 'type_string')
    else checkPlaceholders(errors, under(pointer, code), translation)
  }
}

function checkPlaceholders(errors: FieldErrors, pointer: string, value: string): void {
  if (countPlaceholders(value) > MAX_PLACEHOLDERS)
    errors.add(
      pointer,
      'too_many',
      { max: MAX_PLACEHOLDERS },
      detail('too_many_placeholders', { max: MAX_PLACEHOLDERS }),
    )
}

/** Checks the members of an object that are present. Unknown members are not checked. */
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

/** Checks that the choices or rows of a list have different numbers and different codes. */
export function checkItems(errors: FieldErrors, pointer: string, items: readonly unknown[]): void {
  const uids = new Set<unknown>()
  const codes = new Set<string>()
  for (const [index, item] of items.entries()) {
    if (!isRecord(item)) continue
    if (uids.has(item.uid)) errors.add(under(under(pointer, index), 'uid'), 'duplicate', {}, detail('duplicate_uid'))
    if (isPresent(item.uid)) uids.add(item.uid)
    const itemCode = codeOf(item)
    if (itemCode === undefined) continue
    if (codes.has(itemCode))
      errors.add(
        under(under(pointer, index), 'code'),
        'duplicate',
        { value: itemCode },
        detail('duplicate_code', { value: itemCode }),
      )
    codes.add(itemCode)
  }
}

/** Checks that the minimum of a range is not greater than its maximum. */
export function checkRange(errors: FieldErrors, pointer: string, owner: Json, low: string, high: string): void {
  const [min, max] = [owner[low], owner[high]]
  if (typeof min === 'number' && typeof max === 'number' && min > max) {
    errors.add(under(pointer, low), 'too_large', { max }, detail('above_member', { member: high }))
  }
}
