import { type FieldError, fieldError, type ValueError } from '../../field-error.ts'
import { problems } from '../../problem.ts'
import type { Questionnaire } from '../../structure/questionnaire.ts'
import { targetOf } from '../../structure/target.ts'
import { answerTest } from './answer.ts'
import { type Condition, type Filter, invalidFilter, type Operator } from './condition.ts'
import { isMeta, metaCondition } from './meta-condition.ts'
import { fromSaved, toSaved } from './numbers.ts'

export type { Filter } from './condition.ts'

/**
 * An operator in a query string, plain or percent-encoded. `>=` and `<=` are one operator each; `~=`, which programs write
 * for a parameter called `name~`, is `~`.
 */
const OPERATOR = /(?:(<|%3C)|(>|%3E)|(~|%7E))(=|%3D)?|=|%3D/gi
const PLAIN = /[<>]|^(?!~|%7E).*=/i

/** Positions at which the name of a pair may end, and the length of an encoded name. */
const MAX_OPERATORS = 8
const MAX_NAME_CHARACTERS = 4_000

interface Split {
  name: string
  operator: Operator
  value: string
}

/** A pair that is not a valid condition, with its error. */
export interface InvalidCondition extends Split {
  error: ValueError
  /** The survey has no field of this name. */
  unknown: boolean
}

/** Decodes a part of a form-encoded pair: `+` is a space, and invalid encodings are kept as they are. */
const decode = (text: string): string => new URLSearchParams(`x=${text}`).get('x')!.toWellFormed()

/** Returns the operators at which a pair may be split, the most likely first: a plain one, then encoded ones. */
function operatorsIn(pair: string): RegExpExecArray[] {
  const found = [...pair.slice(0, MAX_NAME_CHARACTERS).matchAll(OPERATOR)]
  const plain = found.find(([text]) => PLAIN.test(text))
  return [...(plain ? [plain] : []), ...found.filter(([text]) => !PLAIN.test(text))].slice(0, MAX_OPERATORS)
}

/** Form libraries append `=` to a pair without one: `_created_at>2026-01-31=`. */
const withoutTrailingEquals = (value: string): string => (value.endsWith('=') ? value.slice(0, -1) : value)

/** Returns all possible splits of a pair, the most likely first. */
const splitsOf = (pair: string): Split[] =>
  operatorsIn(pair).flatMap(({ 0: text, 1: less, 2: more, 3: within, 4: equal, index }) => {
    const name = decode(pair.slice(0, index))
    const rest = pair.slice(index + text.length)
    const value = decode(less || more ? withoutTrailingEquals(rest) : rest)
    const operator = (less ? '<' : more ? '>' : '') + (equal || !(less || more) ? '=' : '')
    if (!within) return [{ name, operator: operator as Operator, value }]
    // A question may have a name that ends in `~`.
    const namedSo: Split[] = equal ? [{ name: `${name}~`, operator: '=', value }] : []
    return [...namedSo, { name, operator: '~', value }]
  })

/** Parameters that old clients add to every request: no filters, unless the survey has a question of that name. */
const IGNORED_NAMES: ReadonlySet<string> = new Set(['format', '_', 'callback', 'access_token'])

const isName = (q: Questionnaire, name: string): boolean => isMeta(name) || targetOf(q, name) !== undefined

/** Parses one comparison. @returns the condition, or an error */
function testOf(q: Questionnaire, { name, operator, value }: Split): Condition | ValueError {
  if (name.includes('\0') || value.includes('\0')) return invalidFilter('must not contain the character U+0000')
  if (isMeta(name)) return metaCondition(name, operator, value)
  return answerTest(targetOf(q, name)!, operator, value)
}

/**
 * Parses one pair of a raw query string into a filter.
 * @param saved whether the pair is of a stored query, which names choices by their stable numbers
 */
export function readCondition(q: Questionnaire, pair: string, saved = false): Filter | InvalidCondition {
  const splits = saved ? splitsOf(pair).map((split) => fromSaved(q, split)) : splitsOf(pair)
  const split = splits.find(({ name }) => isName(q, name))
  if (split) {
    const test = testOf(q, split)
    return 'code' in test ? { ...split, error: test, unknown: false } : { ...split, test }
  }
  const first = splits[0] ?? { name: decode(pair), operator: '=', value: '' }
  if (splits.length === 0 && isName(q, first.name))
    return {
      ...first,
      error: invalidFilter(`requires an operator and a value, such as ${first.name}=1`),
      unknown: false,
    }
  return { ...first, error: fieldError(first.name, 'unknown_parameter'), unknown: true }
}

/**
 * Parses the filters of a raw query string: `name=value`, `name<value`, `name>value`, `<=` and `>=`, and `name~text` for
 * text answers that contain a text, with the operator literal or percent-encoded (docs/specification.md 7.7). A response
 * must pass all of them; names may be repeated.
 * A name is a meta field, a question id, a response key (`grid_0`, `q1\other`, `q1\0`) or a question identifier.
 * @param mode `strict` rejects unknown names except {@link IGNORED_NAMES}, `lenient` ignores them
 * @param known the parameters of the operation, which are not filters
 * @param saved whether the query is stored, see {@link printSaved}
 * @throws {Problem} `invalid_request` naming each field that is unknown or has an invalid operator or value
 */
export function parseFilters(
  search: string,
  q: Questionnaire,
  mode: 'strict' | 'lenient',
  known: ReadonlySet<string>,
  saved = false,
): Filter[] {
  const filters: Filter[] = []
  const errors: FieldError[] = []
  for (const pair of partsOf(search)) {
    if (known.has(nameOf(pair))) continue
    const read = readCondition(q, pair, saved)
    if (!('error' in read)) filters.push(read)
    else if (!read.unknown || (mode === 'strict' && !IGNORED_NAMES.has(read.name)))
      errors.push({ ...read.error, field: read.name })
  }
  if (errors.length > 0) throw problems.invalid(errors)
  return filters
}

/**
 * Checks the number of conditions of a page, which grows with its square: each has a link with all the others.
 * @throws {Problem} `invalid_request`
 */
export function assertFewConditions(conditions: readonly string[]): void {
  if (conditions.length > MAX_CONDITIONS)
    throw problems.invalidField('conditions', 'limit_reached', { max: MAX_CONDITIONS })
}

const MAX_CONDITIONS = 200

/** Splits a raw query string into pairs. */
export const partsOf = (search: string): string[] => search.replace(/^\?/, '').split('&').filter(Boolean)

/** Returns the most likely name of a pair, which distinguishes parameters of the operation from filters. */
export const nameOf = (pair: string): string => {
  const [first] = operatorsIn(pair)
  return decode(first ? pair.slice(0, first.index) : pair)
}

/** Formats a condition as a pair of a query string. */
export const printCondition = ({ name, operator, value }: Pick<Filter, 'name' | 'operator' | 'value'>): string =>
  // Without the extra =, `~` before an encoded = would be parsed as the operator `~=`.
  `${encodeURIComponent(name)}${operator === '~' && value.startsWith('=') ? '~=' : operator}${encodeURIComponent(value)}`

/** Formats filters as a query string for {@link parseFilters}. */
export const printFilters = (filters: readonly Pick<Filter, 'name' | 'operator' | 'value'>[]): string =>
  filters.map(printCondition).join('&')

/** Formats filters for storage: choices by their stable numbers, so that filters survive moved choices. */
export const printSaved = (q: Questionnaire, filters: readonly Filter[]): string =>
  printFilters(filters.map((filter) => toSaved(q, filter)))

/** Translates a stored query to the present positions of choices; pairs that no longer fit the survey are kept. */
export const currentQuery = (q: Questionnaire, query: string): string =>
  q.renumbered
    ? partsOf(query)
        .map((pair) => {
          const read = readCondition(q, pair, true)
          return 'error' in read ? pair : printCondition(read)
        })
        .join('&')
    : query
