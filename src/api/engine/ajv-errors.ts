import {
  type FieldError,
  type FieldErrorCode,
  type FieldErrorParams,
  fieldError,
  type ValueError,
  valueError,
} from '../../domain/field-error.ts'
import { under } from '../../domain/structure/walk.ts'
import type { ErrorObject } from './contract.ts'
import { fieldOf } from './text-safety.ts'

const MAX_ERRORS = 50

const formatted = (value: unknown) => (typeof value === 'string' && value !== '' ? value : JSON.stringify(value))
const listOfAlternatives = (values: readonly unknown[]) =>
  values.length < 2
    ? values.map(formatted).join()
    : `${values.slice(0, -1).map(formatted).join(', ')} or ${formatted(values.at(-1))}`

const TYPES: Readonly<Record<string, string>> = {
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  string: 'a string',
  array: 'an array',
  object: 'an object',
  null: 'null',
}
const FORMATS: Readonly<Record<string, [FieldErrorCode, FieldErrorParams?, string?]>> = {
  email: ['invalid_email'],
  uri: ['invalid_url'],
  date: ['invalid_date'],
  'date-time': ['invalid_datetime', { example: '2026-01-31T12:00:00Z' }],
  int32: ['too_large', {}, 'must be a whole number of at most 32 bits'],
  int64: ['too_large', {}, 'must be a whole number of at most 53 bits'],
}

/** The parameters of Ajv's errors. The keyword of an error determines which of these members the error has. */
interface Params {
  type: string | string[]
  format: string
  pattern: string
  limit: number
  multipleOf: number
  allowedValues: readonly unknown[]
  allowedValue: unknown
  missingProperty: string
}
/** Functions that create the field error, by the keyword of JSON Schema that the value violates. */
const describers: Readonly<Record<string, (params: Params) => ValueError>> = {
  required: () => valueError('required'),
  dependentRequired: ({ missingProperty }) => valueError('required', {}, `requires ${missingProperty}`),
  type: ({ type }) => {
    const types = [type].flat().map((name) => TYPES[name] ?? name)
    return valueError('invalid_type', { type: types.join(' or ') })
  },
  enum: ({ allowedValues }) => valueError('invalid_value', {}, `must be ${listOfAlternatives(allowedValues)}`),
  const: ({ allowedValue }) => valueError('invalid_value', {}, `must be ${formatted(allowedValue)}`),
  minimum: ({ limit }) => valueError('too_small', { min: limit }),
  maximum: ({ limit }) => valueError('too_large', { max: limit }),
  exclusiveMinimum: ({ limit }) => valueError('too_small', { min: limit }, `must be greater than ${limit}`),
  exclusiveMaximum: ({ limit }) => valueError('too_large', { max: limit }, `must be less than ${limit}`),
  multipleOf: ({ multipleOf }) => valueError('invalid_value', {}, `must be a multiple of ${multipleOf}`),
  minLength: ({ limit }) => valueError('too_short', { min: limit }, limit === 1 ? 'must not be empty' : undefined),
  maxLength: ({ limit }) => valueError('too_long', { max: limit }),
  minItems: ({ limit }) => valueError('too_few', { min: limit }, limit === 1 ? 'must not be empty' : undefined),
  maxItems: ({ limit }) => valueError('too_many', { max: limit }),
  minProperties: ({ limit }) =>
    valueError('too_few', { min: limit }, limit === 1 ? 'must not be empty' : `must have at least ${limit} members`),
  maxProperties: ({ limit }) => valueError('too_many', { max: limit }, `must have at most ${limit} members`),
  uniqueItems: () => valueError('duplicate'),
  pattern: ({ pattern }) => valueError('invalid_format', {}, `must match ${pattern}`),
  format: ({ format }) => {
    const standard = FORMATS[format]
    return standard ? valueError(...standard) : valueError('invalid_format', {}, `must be a valid ${format}`)
  },
  anyOf: () => valueError('invalid_value', {}, 'matches none of the accepted forms'),
  oneOf: () => valueError('invalid_value', {}, 'must match exactly one of the accepted forms'),
  not: () => valueError('not_allowed', {}, 'is not accepted'),
  'false schema': () => valueError('not_allowed', {}, 'cannot be combined with the other members'),
}

/** Returns the path of the invalid member. */
function pathOf({ instancePath, params, propertyName }: ErrorObject): (string | number)[] {
  const path: (string | number)[] = instancePath
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((step) => (/^\d+$/.test(step) ? Number(step) : step))
  const { missingProperty, additionalProperty, unevaluatedProperty } = params as Record<string, string | undefined>
  const member = missingProperty ?? additionalProperty ?? unevaluatedProperty ?? propertyName
  return member === undefined ? path : [...path, member]
}

/**
 * Translates Ajv's errors into field errors. Reports only one error for `anyOf` and `oneOf`, because the errors of the
 * alternative schemas contradict one another. If the alternatives differ only in their required members, the error
 * names these members.
 * @param pointers paths of the members whose errors are named by a JSON pointer. The pointer starts at the object that
 *   contains the member
 */
export function fieldErrorsOf(errors: readonly ErrorObject[], pointers: readonly string[][] = []): FieldError[] {
  const alternatives = errors.filter(({ keyword }) => keyword === 'anyOf' || keyword === 'oneOf')
  const fieldErrors = new Map<string, FieldError>()
  for (const error of errors) {
    if (fieldErrors.size === MAX_ERRORS) break
    if (
      error.keyword === 'if' ||
      error.keyword === 'propertyNames' ||
      isRedundant(error, errors) ||
      alternatives.some((other) => isBranch(error, other))
    )
      continue
    const field = nameOf(pathOf(error), pointers)
    const fieldError = describe(error, field, errors)
    fieldErrors.set(`${field}\n${fieldError.message}`, fieldError)
  }
  return [...fieldErrors.values()]
}

const UNKNOWN_PROPERTY: ReadonlySet<string> = new Set(['additionalProperties', 'unevaluatedProperties'])

function describe(error: ErrorObject, field: string, errors: readonly ErrorObject[]): FieldError {
  if (UNKNOWN_PROPERTY.has(error.keyword)) return fieldError(field, 'unknown_property')
  const missing = missingOneOf(error, errors)
  const custom = contractMessage(error)
  if (missing && !custom) return fieldError(field, 'required', {}, missing)
  const standard = describers[error.keyword]?.(error.params as unknown as Params)
  const { code, params, message } = standard ?? valueError('invalid_value', {}, error.message)
  const customCode = OBSCURE.has(error.keyword) ? contractRule(error)?.['x-code'] : undefined
  if (customCode && typeof error.data === 'string' && !error.data.trim()) return fieldError(field, 'blank')
  return fieldError(field, customCode ?? code, customCode ? {} : params, custom ?? message)
}

function nameOf(path: readonly (string | number)[], pointers: readonly string[][]): string {
  const base = pointers.find((pointer) => pointer.every((step, at) => path[at] === step))
  if (!base) return fieldOf(path)
  return path.slice(base.length - 1).reduce<string>((pointer, step) => under(pointer, step), '')
}

/** Keywords of JSON Schema whose standard error message does not help a client. */
const OBSCURE = new Set(['pattern', 'not', 'anyOf', 'oneOf', 'contains'])

const contractRule = ({ parentSchema }: ErrorObject) =>
  parentSchema as { 'x-message'?: string; 'x-code'?: FieldErrorCode } | undefined

/**
 * Returns the `x-message` of the contract, with `{value}` replaced by the invalid value. Returns undefined unless the
 * violated keyword is in {@link OBSCURE} or the error concerns the name of a member.
 */
const contractMessage = (error: ErrorObject): string | undefined =>
  OBSCURE.has(error.keyword) || error.propertyName !== undefined
    ? contractRule(error)?.['x-message']?.replace('{value}', () => String(error.data).slice(0, 80))
    : undefined

/** Returns whether another error on the same value makes this error redundant. */
const isRedundant = ({ keyword, instancePath }: ErrorObject, errors: readonly ErrorObject[]) => {
  const beside = errors.filter((other) => other.instancePath === instancePath).map((other) => other.keyword)
  if (keyword === 'type') return beside.includes('enum') || beside.includes('const')
  if (keyword === 'pattern') return beside.includes('minLength')
  return keyword === 'format' && beside.includes('maxLength')
}

const isBranch = (error: ErrorObject, alternative: ErrorObject) =>
  error !== alternative && error.schemaPath.startsWith(`${alternative.schemaPath}/`)

function missingOneOf(error: ErrorObject, errors: readonly ErrorObject[]): string | undefined {
  if (error.keyword !== 'anyOf' && error.keyword !== 'oneOf') return undefined
  const branches = errors.filter((other) => isBranch(other, error))
  if (
    !branches.length ||
    branches.some(({ keyword, instancePath }) => keyword !== 'required' || instancePath !== error.instancePath)
  )
    return undefined
  return `requires ${listOfAlternatives([...new Set(branches.map(({ params }) => params.missingProperty))])}`
}
