import type { FieldError } from '../../domain/problem.ts'
import { under } from '../../domain/structure/walk.ts'
import type { ErrorObject } from './schemas.ts'
import { fieldOf } from './text-safety.ts'

/** More than these nobody reads. */
const MOST = 50

const quoted = (value: unknown) => (typeof value === 'string' && value !== '' ? value : JSON.stringify(value))
const either = (values: readonly unknown[]) =>
  values.length < 2
    ? values.map(quoted).join()
    : `${values.slice(0, -1).map(quoted).join(', ')} or ${quoted(values.at(-1))}`
const counted = (count: number, one: string, many = `${one}s`) => `${count} ${count === 1 ? one : many}`

const TYPES: Readonly<Record<string, string>> = {
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  string: 'a text',
  array: 'a list',
  object: 'an object',
  null: 'null',
}
const FORMATS: Readonly<Record<string, string>> = {
  email: 'an e-mail address',
  uri: 'an absolute URL',
  date: 'a date such as 2026-01-31',
  'date-time': 'a date and time such as 2026-01-31T12:00:00Z',
  int32: 'a whole number of at most 32 bits',
  int64: 'a whole number of at most 53 bits',
}

/** The parameters of Ajv's errors, by keyword. */
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
const wordings: Readonly<Record<string, (params: Params) => string>> = {
  required: () => 'is required',
  additionalProperties: () => 'is not known here',
  unevaluatedProperties: () => 'is not known here',
  dependentRequired: ({ missingProperty }) => `needs ${missingProperty} beside it`,
  type: ({ type }) =>
    `must be ${[type]
      .flat()
      .map((name) => TYPES[name] ?? name)
      .join(' or ')}`,
  enum: ({ allowedValues }) => `must be ${either(allowedValues)}`,
  const: ({ allowedValue }) => `must be ${quoted(allowedValue)}`,
  minimum: ({ limit }) => `must be at least ${limit}`,
  maximum: ({ limit }) => `must be at most ${limit}`,
  exclusiveMinimum: ({ limit }) => `must be more than ${limit}`,
  exclusiveMaximum: ({ limit }) => `must be less than ${limit}`,
  multipleOf: ({ multipleOf }) => `must be a multiple of ${multipleOf}`,
  minLength: ({ limit }) => (limit === 1 ? 'must not be empty' : `must have at least ${counted(limit, 'character')}`),
  maxLength: ({ limit }) => `must have at most ${counted(limit, 'character')}`,
  minItems: ({ limit }) =>
    limit === 1 ? 'must not be empty' : `must have at least ${counted(limit, 'entry', 'entries')}`,
  maxItems: ({ limit }) => `must have at most ${counted(limit, 'entry', 'entries')}`,
  minProperties: ({ limit }) => `must have at least ${counted(limit, 'member')}`,
  maxProperties: ({ limit }) => `must have at most ${counted(limit, 'member')}`,
  uniqueItems: () => 'must not hold the same entry twice',
  pattern: ({ pattern }) => `must match ${pattern}`,
  format: ({ format }) => `must be ${FORMATS[format] ?? `a valid ${format}`}`,
  anyOf: () => 'has none of the accepted forms',
  oneOf: () => 'has none of the accepted forms, or more than one',
  not: () => 'is not accepted',
  'false schema': () => 'cannot be combined with what else is given',
}

/** The member an error speaks of, as a path. */
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
 * Says Ajv's errors as a client would put them: the member, and what it must be.
 * Of an alternative only that none fitted is said: what each branch wanted would contradict itself. The exception are
 * alternatives that differ only in what they require: there it is the names that help.
 * @param pointers paths of members whose faults are named by JSON pointer, from the object that holds them
 */
export function faultsOf(errors: readonly ErrorObject[], pointers: readonly string[][] = []): FieldError[] {
  const alternatives = errors.filter(({ keyword }) => keyword === 'anyOf' || keyword === 'oneOf')
  const faults = new Map<string, FieldError>()
  for (const error of errors) {
    if (faults.size === MOST) break
    if (
      error.keyword === 'if' ||
      error.keyword === 'propertyNames' ||
      isShadowed(error, errors) ||
      alternatives.some((other) => isBranch(error, other))
    )
      continue
    const field = nameOf(pathOf(error), pointers)
    const message =
      ownWords(error) ??
      missingOneOf(error, errors) ??
      wordings[error.keyword]?.(error.params as unknown as Params) ??
      error.message ??
      'is not valid'
    faults.set(`${field}\n${message}`, { field, message })
  }
  return [...faults.values()]
}

function nameOf(path: readonly (string | number)[], pointers: readonly string[][]): string {
  const base = pointers.find((pointer) => pointer.every((step, at) => path[at] === step))
  if (!base) return fieldOf(path)
  return path.slice(base.length - 1).reduce<string>((pointer, step) => under(pointer, step), '')
}

/** Rules that a client cannot read: a regular expression says little, and of alternatives none can be named. */
const OBSCURE = new Set(['pattern', 'not', 'anyOf', 'oneOf'])

/** What the contract itself says of a value that breaks such a rule, or of a name, as `x-message` beside the rule. */
const ownWords = ({ keyword, propertyName, parentSchema }: ErrorObject): string | undefined =>
  OBSCURE.has(keyword) || propertyName !== undefined
    ? (parentSchema as { 'x-message'?: string } | undefined)?.['x-message']
    : undefined

/** What goes without saying: the type where the accepted values are listed, the form of what is too long anyway. */
const isShadowed = ({ keyword, instancePath }: ErrorObject, errors: readonly ErrorObject[]) => {
  const beside = errors.filter((other) => other.instancePath === instancePath).map((other) => other.keyword)
  if (keyword === 'type') return beside.includes('enum') || beside.includes('const')
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
  return `needs ${either([...new Set(branches.map(({ params }) => params.missingProperty))])}`
}
