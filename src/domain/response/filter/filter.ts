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
 * An operator as it stands in a query string, plain or percent-encoded; `>=` and `<=` count as one, and `~=`, which is how
 * programs write a parameter called `name~`, as `~`.
 */
const OPERATOR = /(?:(<|%3C)|(>|%3E)|(~|%7E))(=|%3D)?|=|%3D/gi
const PLAIN = /[<>]|^(?!~|%7E).*=/i

/** Of how many operators in one part the name may end at, and how long it may be as it stands in an address. */
const MAX_OPERATORS = 8
const MAX_NAME_CHARACTERS = 4_000

interface Split {
  name: string
  operator: Operator
  value: string
}

/** A part of a query string that is no condition, and why. */
export interface Misread extends Split {
  error: ValueError
  /** The survey has nothing of this name. */
  unknown: boolean
}

/** Reads one part as a form would: `+` is a space, and what is no proper encoding stands for itself. */
const decode = (text: string): string => new URLSearchParams(`x=${text}`).get('x')!.toWellFormed()

/** Where one pair may be read as name and value, the likeliest first: at a plain operator, then at encoded ones from left to right. */
function operatorsIn(pair: string): RegExpExecArray[] {
  const found = [...pair.slice(0, MAX_NAME_CHARACTERS).matchAll(OPERATOR)]
  const plain = found.find(([text]) => PLAIN.test(text))
  return [...(plain ? [plain] : []), ...found.filter(([text]) => !PLAIN.test(text))].slice(0, MAX_OPERATORS)
}

/** Libraries for forms know only names with a value: `_created_at>2026-01-31` becomes a name, with an empty value behind `=`. */
const withoutEnd = (value: string): string => (value.endsWith('=') ? value.slice(0, -1) : value)

/** Every way one pair can be read, the likeliest first. */
const splitsOf = (pair: string): Split[] =>
  operatorsIn(pair).flatMap(({ 0: text, 1: less, 2: more, 3: within, 4: equal, index }) => {
    const name = decode(pair.slice(0, index))
    const rest = pair.slice(index + text.length)
    const value = decode(less || more ? withoutEnd(rest) : rest)
    const operator = (less ? '<' : more ? '>' : '') + (equal || !(less || more) ? '=' : '')
    if (!within) return [{ name, operator: operator as Operator, value }]
    // A question may be called so.
    const called: Split[] = equal ? [{ name: `${name}~`, operator: '=', value }] : []
    return [...called, { name, operator: '~', value }]
  })

/** Parameters that old clients add to every address: no filters, unless the survey has a question of that name. */
const IGNORED_NAMES: ReadonlySet<string> = new Set(['format', '_', 'callback', 'access_token'])

const isName = (q: Questionnaire, name: string): boolean => isMeta(name) || targetOf(q, name) !== undefined

/** What one comparison asks for, or why it cannot be asked. */
function testOf(q: Questionnaire, { name, operator, value }: Split): Condition | ValueError {
  if (name.includes('\0') || value.includes('\0')) return invalidFilter('must not contain the character U+0000')
  if (isMeta(name)) return metaCondition(name, operator, value)
  return answerTest(targetOf(q, name)!, operator, value)
}

/**
 * One part of a raw query string as a condition on responses, or why it is none.
 * @param saved whether it was kept: then it names choices by their stable numbers
 */
export function readCondition(q: Questionnaire, pair: string, saved = false): Filter | Misread {
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
 * The filters of a raw query string: `name=value`, `name<value`, `name>value`, `<=` and `>=`, and `name~text` for text
 * answers that contain a text, the operator literal or percent-encoded (docs/specification.md 7.7). All of them must
 * match; a name can occur more than once.
 * A name is a meta field, a question id, a response key (`grid_0`, `q1\other`, `q1\0`) or a question identifier.
 * @param mode `strict` refuses a name that is none of these (v3) nor in {@link IGNORED_NAMES}, `lenient` ignores it (v2)
 * @param known the operation's own parameters, which are no filters
 * @param saved whether the query was kept, by {@link printSaved}
 * @throws {Problem} `invalid_request` naming each field that is unknown, or whose value or operator makes no sense
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
 * Conditions that a page takes: beside each stands a link that has all the others, so the page grows with their square.
 * @throws {Problem} `invalid_request`
 */
export function assertFew(conditions: readonly string[]): void {
  if (conditions.length > MAX_CONDITIONS)
    throw problems.invalidField('conditions', 'limit_reached', { max: MAX_CONDITIONS })
}

const MAX_CONDITIONS = 200

/** The parts of a raw query string. */
export const partsOf = (search: string): string[] => search.replace(/^\?/, '').split('&').filter(Boolean)

/** The likeliest name of a part, by which an operation's own parameters are told from filters. */
export const nameOf = (pair: string): string => {
  const [first] = operatorsIn(pair)
  return decode(first ? pair.slice(0, first.index) : pair)
}

/** A condition as it stands in a query string. */
export const printCondition = ({ name, operator, value }: Pick<Filter, 'name' | 'operator' | 'value'>): string =>
  // `~` and an encoded = after it would read as the operator `~=`.
  `${encodeURIComponent(name)}${operator === '~' && value.startsWith('=') ? '~=' : operator}${encodeURIComponent(value)}`

/** The query string that {@link parseFilters} reads as these filters. */
export const printFilters = (filters: readonly Pick<Filter, 'name' | 'operator' | 'value'>[]): string =>
  filters.map(printCondition).join('&')

/** The query string under which filters are kept: they follow the choices that they name. */
export const printSaved = (q: Questionnaire, filters: readonly Filter[]): string =>
  printFilters(filters.map((filter) => toSaved(q, filter)))

/** A query that was kept as one would write it now; what no longer fits the survey stays as it is. */
export const currentQuery = (q: Questionnaire, query: string): string =>
  q.moved
    ? partsOf(query)
        .map((pair) => {
          const read = readCondition(q, pair, true)
          return 'error' in read ? pair : printCondition(read)
        })
        .join('&')
    : query
