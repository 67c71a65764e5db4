import { detail, type ErrorDetail, type ErrorDetailName } from '../error-details.ts'
import type { FieldErrorCode } from '../field-error.ts'
import { ASCENDING, CHECK, type Check, resolveRef, type Schema, text as textSchema, WRONG } from './json-schema.ts'
import { structureSchema } from './schema.ts'
import { countPlaceholders, MAX_PLACEHOLDERS } from './text.ts'
import { codeOf, type FieldErrors, isPresent, isRecord, type Json, membersOf, under } from './walk.ts'

/** The check of each member of an object. */
export type Checks = readonly (readonly [member: string, check: Check])[]

/** Returns the check of each of these members: by its schema. */
export const checksOf = (schemas: Readonly<Record<string, Schema>>, members = Object.keys(schemas)): Checks =>
  members.map((member) => [member, checkOf(schemas[member]!)])

/** Checks the members of an object that are present. Unknown members are not checked. */
export function checkMembers(errors: FieldErrors, pointer: string, owner: Json, checks: Checks): void {
  for (const [member, check] of checks)
    if (Object.hasOwn(owner, member) && isPresent(owner[member])) check(errors, under(pointer, member), owner[member])
}

/** Calls a function for each object of a list, and adds an error for each other value. */
export function eachObject(
  errors: FieldErrors,
  pointer: string,
  list: readonly unknown[],
  wrong: ErrorDetailName,
  visit: (object: Json, pointer: string, index: number) => void,
): void {
  for (const [index, value] of list.entries()) {
    if (isRecord(value)) visit(value, under(pointer, index), index)
    else errors.addType(under(pointer, index), wrong)
  }
}

const cache = new WeakMap<Schema, Check>()

/**
 * Returns the function that checks a value by its schema. Of a list of objects, it checks only that it is a list: code
 * checks the objects, together with what they refer to.
 */
export function checkOf(schema: Schema): Check {
  const check = cache.get(schema) ?? schema[CHECK] ?? compileCheck(schema)
  cache.set(schema, check)
  return check
}

function compileCheck(schema: Schema): Check {
  const { $ref, type, enum: values, minimum: min, maximum: max, maxLength, items, maxItems: most } = schema
  if ($ref) return $ref === TEXT ? text : checkOf(resolveRef(structureSchema, schema))
  if (values)
    return typeCheck((value) => values.includes(value), 'one_of', { values: values.join(', ') }, 'invalid_value')
  const isBetween = (value: unknown) =>
    typeof value === 'number' && value >= (min ?? 0) && (max === undefined || value <= max)
  switch (type) {
    case 'boolean':
      return typeCheck((value) => typeof value === 'boolean', 'type_boolean')
    case 'integer': {
      // That a number must not be 0 is checked with the settings that depend on it.
      if (max === undefined) return typeCheck((value) => Number.isInteger(value) && Number(value) >= 0, 'type_count')
      return typeCheck((value) => Number.isInteger(value) && isBetween(value), 'type_integer_range', { min: min!, max })
    }
    case 'number':
      if (max === undefined) return typeCheck(Number.isFinite, 'type_number')
      return typeCheck(isBetween, 'type_number_range', { min: min!, max })
    case 'string':
      return maxLength === undefined
        ? typeCheck((value) => typeof value === 'string', 'type_string')
        : upTo(maxLength, schema)
    case 'array':
      if (items?.enum) return listOf(items.enum)
      return items?.type === 'number'
        ? numbers(most!, items.minimum!, items.maximum!)
        : typeCheck(Array.isArray, 'type_array')
    default:
      return objectCheck(schema)
  }
}

const TEXT = textSchema('').$ref

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

function upTo(max: number, { pattern }: Schema): Check {
  return (errors, pointer, value) => {
    if (typeof value !== 'string' || value.length > max) errors.addType(pointer, 'type_string_up_to', { max })
    else if (pattern !== undefined && value.trim() === '') errors.add(pointer, 'blank')
  }
}

/** Returns the check of a list of texts. Each text must be one of the accepted values, and no text may occur twice. */
const listOf = (values: readonly unknown[]): Check =>
  typeCheck(
    (value) =>
      Array.isArray(value) && new Set(value).size === value.length && value.every((item) => values.includes(item)),
    'list_of',
    { values: values.join(', ') },
    'invalid_value',
  )

/** Returns the check of a list of numbers with a maximum length, of which each is in a range and occurs once. */
const numbers = (most: number, min: number, max: number): Check =>
  typeCheck(
    (value) =>
      Array.isArray(value) &&
      value.length <= most &&
      new Set(value).size === value.length &&
      value.every((item) => typeof item === 'number' && item >= min && item <= max),
    'list_of_numbers',
    { most, min, max },
  )

function objectCheck({ properties = {}, required = [], [WRONG]: wrong, [ASCENDING]: pairs = [] }: Schema): Check {
  const checks = checksOf(properties)
  return (errors, pointer, value) => {
    if (!isRecord(value)) {
      errors.addType(pointer, wrong ?? 'type_object')
      return
    }
    for (const member of required) if (!isPresent(value[member])) errors.add(under(pointer, member), 'required')
    checkMembers(errors, pointer, value, checks)
    for (const [low, high] of pairs) {
      const [min, max] = [value[low], value[high]]
      if (typeof min === 'number' && typeof max === 'number' && min > max)
        errors.add(under(pointer, low), 'too_large', { max }, detail('above_member', { member: high }))
    }
  }
}

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

/** Checks that the choices or rows of a list have different numbers and different codes. */
export function checkItems(errors: FieldErrors, pointer: string, items: readonly unknown[]): void {
  const uids = new Set<unknown>()
  const codes = new Set<string>()
  for (const [index, item] of items.entries()) {
    const { uid, code } = membersOf(item)
    if (uids.has(uid)) errors.add(under(under(pointer, index), 'uid'), 'duplicate', {}, detail('duplicate_uid'))
    if (isPresent(uid)) uids.add(uid)
    const itemCode = codeOf({ code })
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
