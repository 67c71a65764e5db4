import { type ParsedUrlQuery, parse } from 'node:querystring'
import { type FieldError, fieldError, type ValueError, valueError } from '../../domain/field-error.ts'
import { exceededJsonLimit, MAX_DEPTH, MAX_VALUES } from '../../lib/json.ts'
import { type Coercion, fieldCoercions, isList, membersOf, partsOf, removeUndeclared, typesOf } from './coerce.ts'
import type { Contract, EncodingObject, SchemaObject } from './contract.ts'
import { httpErrors } from './http-error.ts'
import { characterError, findUnsafe } from './text-safety.ts'

/**
 * Fields of a query or form, as an object without prototype. Names are unchanged (`q1\other`, `q[1]`). The value of a
 * repeated name is a list.
 */
export type FormParams = Record<string, string | string[]>

/**
 * The maximum number of fields of a form. Each part of multipart form data blocks the event loop for about 7 µs. The
 * longest possible survey page has 5,000 questions with two fields each.
 */
export const MAX_FIELDS = 20_000

const NO_KEY_LIMIT = { maxKeys: 0 }

/** Parses a form as browsers write it (WHATWG URL, 5.1); a `%` without two hexadecimal digits is kept. */
export const parseForm = (text: string): FormParams =>
  parse(text, '&', '=', NO_KEY_LIMIT) as ParsedUrlQuery as FormParams

/** Matches a percent sign that is not followed by two hexadecimal digits. */
const STRAY_PERCENT = /%(?![\da-f]{2})/gi

/**
 * Returns an error for the first field whose percent-encoded bytes are not UTF-8. {@link parseForm} would replace these
 * bytes with U+FFFD.
 */
export function findInvalidEncoding(text: string): FieldError | undefined {
  if (!/%[89a-f][\da-f]/i.test(text) || isText(text)) return undefined
  const invalid = text.split('&').find((pair) => !isText(pair))!
  return fieldError(nameOf(invalid), 'invalid_encoding')
}

const nameOf = (pair: string) => Object.keys(parseForm(pair))[0] || 'body'

/**
 * Returns whether the percent-encoded bytes of a text are UTF-8. Decodes the whole text with one call, because one call
 * for each percent-encoded character would take seconds for a long text.
 */
function isText(escaped: string): boolean {
  try {
    decodeURIComponent(escaped.replace(STRAY_PERCENT, '%25'))
    return true
  } catch {
    return false
  }
}

/** Counts the fields of an unparsed form. Stops at `max` + 1. */
export function countFields(text: string, max: number): number {
  let count = 1
  for (let at = text.indexOf('&'); at >= 0 && count <= max; at = text.indexOf('&', at + 1)) count++
  return count
}

/**
 * Parses the query of a URL without `?`. Unlike a form, a query must be valid percent-encoded UTF-8.
 * @returns the parameters, and an error for each parameter with an invalid encoding, with characters that cannot be
 *   stored, or without a name
 */
export function parseQuery(text: string): { params: FormParams; errors: FieldError[] } {
  const errors: FieldError[] = []
  if (!text.includes('%') && !NAMELESS.test(text)) return { params: parseForm(text), errors }
  for (const pair of text.split('&')) {
    const equals = pair.indexOf('=')
    if (equals === 0) errors.push(fieldError('query', 'invalid_name', {}, 'has a value without a name'))
    if (!pair.includes('%')) continue
    const field = equals < 0 ? pair : pair.slice(0, equals)
    const error = encodingError(pair)
    if (error) errors.push({ field: encodingError(field) ? field : decodeURIComponent(field), ...error })
  }
  return { params: parseForm(text), errors }
}

const NAMELESS = /(?:^|&)=/

function encodingError(encoded: string): ValueError | undefined {
  try {
    return characterError(decodeURIComponent(encoded))
  } catch {
    return valueError('invalid_encoding')
  }
}

/**
 * Returns the error of the first field that PostgreSQL cannot store, if any. The fields have been decoded from UTF-8,
 * so U+0000 is the only character in them that PostgreSQL cannot store.
 */
export function findUnsafeField(params: FormParams): FieldError | undefined {
  for (const name in params) {
    const values = params[name]!
    const error =
      characterError(name) ??
      (Array.isArray(values) ? values.map(characterError).find(Boolean) : characterError(values))
    if (error) return { field: name.replaceAll('\0', '\uFFFD'), ...error }
  }
  return undefined
}

/** The fields of a form by name: a text, or a list of texts for a repeated name. */
type Fields = Record<string, unknown>

/** A member that is an object or an array. A form contains it as JSON text (OpenAPI 3.1, "Encoding Object"). */
interface JsonMember {
  isList: boolean
  /** The characters with which the JSON text of the member can begin. */
  opening: string
  /** Whether the member also accepts text that is not JSON, such as a title or a list of IDs. */
  acceptsText: boolean
  encoding: EncodingObject
}

const SCALARS = ['string', 'integer', 'number', 'boolean']

function jsonMember(contract: Contract, schema: SchemaObject): JsonMember | undefined {
  const types = typesOf(contract, schema)
  const list = types.has('array')
  if (!list && !types.has('object')) return undefined
  const items = list ? itemTypes(contract, schema) : new Set<string>()
  const hasObjects = types.has('object') || items.has('object')
  const hasScalars = SCALARS.some((type) => types.has(type) || items.has(type))
  return {
    isList: list,
    opening: `${list ? '[' : ''}${hasObjects ? '{' : ''}`,
    acceptsText: hasScalars || (list && items.size === 0),
    encoding: !hasScalars
      ? { contentType: 'application/json' }
      : list
        ? { style: 'form', explode: true }
        : { contentType: 'text/plain, application/json' },
  }
}

const itemTypes = (contract: Contract, schema: SchemaObject): Set<string> =>
  typesOf(contract, partsOf(contract, schema).find(({ items }) => items)?.items)

function jsonMembersOf(contract: Contract, schema: SchemaObject): Map<string, JsonMember> {
  const members = new Map<string, JsonMember>()
  for (const [name, property] of membersOf(contract, schema)) {
    const member = jsonMember(contract, property)
    if (member && !members.has(name)) members.set(name, member)
  }
  return members
}

/**
 * Returns the `encoding` of a form with this schema, which determines how the form encodes members that are objects or
 * arrays.
 */
export const formEncoding = (contract: Contract, schema: SchemaObject): Readonly<Record<string, EncodingObject>> =>
  Object.fromEntries([...jsonMembersOf(contract, schema)].map(([name, { encoding }]) => [name, encoding]))

/**
 * Returns the coercion of a form. The coercion changes the fields in place.
 * @param published the contract with the schema of the form that clients see
 * @param forRequests the contract with the schema by which requests are validated
 */
export function formReader(
  published: Contract,
  schema: SchemaObject,
  forRequests: Contract,
  requestSchema: SchemaObject,
): Coercion {
  const json = jsonMembersOf(published, schema)
  const lists = membersOf(published, schema)
    .filter(([, property]) => isList(published, property))
    .map(([name]) => name)
  const scalars = [...fieldCoercions(published, schema)].filter(([name]) => !json.has(name))
  const coercions = new Map([...scalars, ...fieldCoercions(forRequests, requestSchema)])
  return (form) => {
    const fields = form as Fields
    unbracket(fields, lists)
    assertJsonLimits([...json].flatMap(([name, member]) => jsonTexts(member, fields[name])))
    for (const [name, member] of json) {
      if (fields[name] === undefined) continue
      fields[name] = parseMember(name, member, fields[name])
      assertSafe(name, fields[name], () => removeUndeclared(forRequests, requestSchema, { [name]: fields[name] }))
    }
    for (const [name, coercion] of coercions) if (fields[name] !== undefined) fields[name] = coercion(fields[name])
    return fields
  }
}

/** Removes the brackets that PHP and Rails add to the name of a list: `contacts[]=1&contacts[]=2`. */
export function unbracket(fields: Fields, lists: readonly string[]): void {
  for (const name of lists) {
    const bracketed = fields[`${name}[]`]
    if (bracketed === undefined || fields[name] !== undefined) continue
    fields[name] = [bracketed].flat()
    delete fields[`${name}[]`]
  }
}

const isJsonText = ({ opening, acceptsText }: JsonMember, text: unknown): text is string =>
  typeof text === 'string' && (!acceptsText || opening.includes(text.trimStart().charAt(0) || ' '))

const jsonTexts = (member: JsonMember, value: unknown): string[] =>
  [value].flat().filter((text): text is string => isJsonText(member, text))

/** Applies the limits of a JSON body to the sum of all JSON texts of a form. */
function assertJsonLimits(texts: readonly string[]): void {
  const excess = exceededJsonLimit(...texts)
  if (excess === 'values') throw httpErrors.tooManyValues(MAX_VALUES)
  if (excess === 'depth') throw httpErrors.invalid([fieldError('body', 'too_deep', { max: MAX_DEPTH })])
}

/** Returns the value of a member. A list can be one JSON array, or one field for each item. */
function parseMember(name: string, member: JsonMember, field: unknown): unknown {
  const value = Array.isArray(field)
    ? field.map((text) => parseText(name, member, text))
    : parseText(name, member, field)
  // An empty object is more likely a mistake than an item. It stays unchanged, so that the validator rejects it.
  return member.isList && isObject(value) && Object.keys(value).length > 0 ? [value] : value
}

/**
 * @param removeIgnored removes from the value the members that the service ignores
 * @throws {HttpError} 400 for a value that the service cannot process
 */
function assertSafe(name: string, value: unknown, removeIgnored: () => void): void {
  if (!findUnsafe(value, [name])) return
  removeIgnored()
  const error = findUnsafe(value, [name])
  if (error) throw httpErrors.invalid([error])
}

function parseText(name: string, member: JsonMember, text: unknown): unknown {
  if (!isJsonText(member, text)) return text
  try {
    return JSON.parse(text)
  } catch (error) {
    if (member.acceptsText) return text
    throw httpErrors.invalid([
      fieldError(
        name,
        'invalid_json',
        {},
        `must be ${member.isList ? 'a JSON array' : 'a JSON object'}: ${(error as Error).message}`,
      ),
    ])
  }
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
