import { detail } from '../../error-details.ts'
import { type FieldError, fieldError, type ValueError, valueError } from '../../field-error.ts'
import { problems } from '../../problem.ts'
import { answerFields } from '../../structure/answered.ts'
import { parseIsoDatetime } from '../../structure/datetime.ts'
import { type MetaNumberColumn, type MetaTimeColumn, metaFieldByKey } from '../../structure/meta-fields.ts'
import type { Questionnaire } from '../../structure/questionnaire.ts'
import { choiceAt } from '../../structure/stored.ts'
import { type Target, targetOf } from '../../structure/target.ts'
import { answerCondition, codeCondition, type RankTarget, rankCondition } from './answer.ts'
import { type Comparison, type Condition, DECIMAL, type Filter, invalidFilter, type Operator } from './condition.ts'
import { CODE_SUFFIX, fromSaved, toSaved } from './saved-condition.ts'

export type { Filter } from './condition.ts'

/**
 * Matches an operator in a query string, plain or percent-encoded. `~=` means `~`: programs write it if they use
 * `name~` as the name of a parameter.
 */
const OPERATOR = /(?:(<|%3C)|(>|%3E)|(~|%7E))(=|%3D)?|=|%3D/gi
const PLAIN = /[<>]|^(?!~|%7E).*=/i

/** Maximum number of operators at which the parser tries to split a `name=value` pair. */
const MAX_OPERATORS = 8
/** Maximum length of an encoded name. */
const MAX_NAME_CHARACTERS = 4_000

interface PairParts {
  name: string
  operator: Operator
  value: string
}

/** A pair of a query string that is not a valid condition, with its error. */
export interface InvalidCondition extends PairParts {
  error: ValueError
  /** Whether the survey has no field with this name. */
  unknown: boolean
}

/** Decodes a part of a form-encoded pair: `+` is a space. Invalid encodings are left unchanged. */
const decode = (text: string): string => new URLSearchParams(`x=${text}`).get('x')!.toWellFormed()

/**
 * Returns the operators at which a pair can be split, in order of probability: plain operators come before encoded
 * operators.
 */
function operatorsIn(pair: string): RegExpExecArray[] {
  const matches = [...pair.slice(0, MAX_NAME_CHARACTERS).matchAll(OPERATOR)]
  const plain = matches.find(([text]) => PLAIN.test(text))
  return [...(plain ? [plain] : []), ...matches.filter(([text]) => !PLAIN.test(text))].slice(0, MAX_OPERATORS)
}

/**
 * Removes the `=` that form libraries append to a pair that has no plain `=`: `_created_at>2026-01-31=`,
 * `_created_at%3D2026-01-31=`.
 */
const withoutTrailingEquals = (value: string): string => (value.endsWith('=') ? value.slice(0, -1) : value)

/** Returns all possible splits of a pair, the most likely first. */
const possibleSplits = (pair: string): PairParts[] =>
  operatorsIn(pair).flatMap(({ 0: text, 1: less, 2: greater, 3: tilde, 4: equal, index }) => {
    const name = decode(pair.slice(0, index))
    const rest = pair.slice(index + text.length)
    const value = decode(less || greater || !text.includes('=') ? withoutTrailingEquals(rest) : rest)
    const operator = (less ? '<' : greater ? '>' : '') + (equal || !(less || greater) ? '=' : '')
    if (!tilde) return [{ name, operator: operator as Operator, value }]
    // The name of a question can end in `~`.
    const withTilde: PairParts[] = equal ? [{ name: `${name}~`, operator: '=', value }] : []
    return [...withTilde, { name, operator: '~', value }]
  })

/**
 * Parameters that old clients add to every request. They are filters only if the survey has a question of that name.
 */
const IGNORED_NAMES: ReadonlySet<string> = new Set(['format', '_', 'callback', 'access_token'])

/** The name of a filter with alternatives: `_any=` and the encoded query string of at least one filter. */
const ANY = '_any'

const isName = (q: Questionnaire, name: string): boolean =>
  isMetaName(name) || [targetOf, codedTarget, rankTarget].some((find) => find(q, name) !== undefined)

/** Returns the question or the row of a grid whose choices a name compares by their codes. */
export function codedTarget(q: Questionnaire, name: string): Target | undefined {
  const target = name.endsWith(CODE_SUFFIX) ? targetOf(q, name.slice(0, -CODE_SUFFIX.length)) : undefined
  const [field] = target?.field ? [target.field] : target?.question ? answerFields(target.question) : []
  return target?.choice === undefined && field && field.choices.length > 0 ? target : undefined
}

/** Returns the choice of a ranking whose rank a name compares, as in the columns of exports: `order\\2`. */
export function rankTarget(q: Questionnaire, name: string): RankTarget | undefined {
  const [, base, digits] = /^(.+)\\(\d{1,9})$/s.exec(name) ?? []
  const { field, question } = (base !== undefined && targetOf(q, base)) || {}
  const ranking = field ?? (question && answerFields(question)[0])
  const choice = Number(digits)
  return ranking?.type === 'ranking' && choiceAt(ranking, choice) ? { field: ranking, choice } : undefined
}

/** Parses a comparison. @returns the condition, or an error */
function parseComparison(q: Questionnaire, { name, operator, value }: PairParts): Condition | ValueError {
  if (name.includes('\0') || value.includes('\0')) return invalidFilter('must not contain the character U+0000')
  if (isMetaName(name)) return metaCondition(name, operator, value)
  const target = targetOf(q, name)
  if (target) return answerCondition(target, operator, value)
  const ranked = rankTarget(q, name)
  return ranked ? rankCondition(ranked, operator, value) : codeCondition(codedTarget(q, name)!, operator, value)
}

/**
 * Parses a pair of a raw query string into a filter.
 * @param saved whether the pair is part of a stored query, which contains stable numbers of choices
 */
export function parseCondition(q: Questionnaire, pair: string, saved = false): Filter | InvalidCondition {
  const splits = saved ? possibleSplits(pair).map((split) => fromSaved(q, split)) : possibleSplits(pair)
  const split = splits.find(({ name }) => isName(q, name))
  if (split) {
    const test = parseComparison(q, split)
    if (!('code' in test)) return { ...split, test }
    const shorter = { ...split, value: withoutTrailingEquals(split.value) }
    // A library appends one `=`, which may be removed already.
    const isShorter = shorter.value !== split.value && !pair.endsWith('==')
    const shorterTest = isShorter ? parseComparison(q, shorter) : test
    return 'code' in shorterTest ? { ...split, error: test, unknown: false } : { ...shorter, test: shorterTest }
  }
  const any = splits.find(({ name, operator }) => name === ANY && operator === '=')
  if (any) return parseAlternatives(q, any.value, saved)
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
 * Parses the alternatives of a filter `_any`. Equal alternatives count once, and a single alternative is a filter like
 * any other.
 * @returns the filter, or the first alternative that is invalid
 */
function parseAlternatives(q: Questionnaire, query: string, saved: boolean): Filter | InvalidCondition {
  const invalid = (error: ValueError) => ({ name: ANY, operator: '=' as const, value: query, error, unknown: false })
  const filters = new Map<string, Filter>()
  for (const pair of splitPairs(query)) {
    if (pairName(pair) === ANY && !isName(q, ANY)) return invalid(invalidFilter('must not contain another _any'))
    const filter = parseCondition(q, pair, saved)
    if ('error' in filter) return filter
    filters.set(printCondition(filter), filter)
    if (!saved && filters.size > MAX_FILTERS) return invalid(tooManyFiltersError)
  }
  const [first, ...others] = filters.values()
  if (!first) return invalid(invalidFilter('must have a filter, such as _any=q1%3D1%26q1%3D2'))
  return others.length === 0 ? first : anyOf([first, ...others])
}

/** Returns the filter that is met if at least one of the filters is met. */
const anyOf = (filters: readonly Filter[]): Filter => ({
  name: ANY,
  operator: '=',
  value: printFilters(filters),
  test: { kind: 'any', filters },
})

/** Returns the pair of a query string that is met if one of the pairs is met. Their alternatives are merged. */
export const printAlternatives = (pairs: readonly string[]): string => {
  const merged = pairs.flatMap((pair) => (pairName(pair) === ANY ? splitPairs(alternativesIn(pair)) : pair))
  return `${ANY}=${encodeURIComponent(merged.join('&'))}`
}

const alternativesIn = (pair: string): string => new URLSearchParams(pair).get(ANY) ?? ''

/** Returns the filters, and for a filter with alternatives, the alternatives in its place. */
export const withAlternatives = (filters: readonly Filter[]): Filter[] =>
  filters.flatMap((filter) => (filter.test.kind === 'any' ? filter.test.filters : filter))

/**
 * Parses the filters of a raw query string (docs/specification.md 7.7): `name=value`, also with `<`, `>`, `<=` or `>=`,
 * and `name~text` for text answers that contain a text. Operators can be percent-encoded, and names can be repeated. A
 * name is a meta field, a question id, a response key (`grid_0`, `q1\other`), a column of a choice (`q1\0`) or a question identifier; with
 * `\code` after it, the value is the code of a choice. Equal filters count once. `_any=` and an encoded query string
 * matches if one of its filters does.
 * @param mode `strict` rejects unknown names except {@link IGNORED_NAMES}; `lenient` ignores them and `_any`
 * @param parameters the parameters of the operation, which are not filters
 * @param saved whether the query is stored, see {@link printSaved}
 * @throws {Problem} `invalid_request` naming each field that is unknown or has an invalid operator or value, or naming the
 *   filter after the hundredth; alternatives are counted
 */
export function parseFilters(
  search: string,
  q: Questionnaire,
  mode: 'strict' | 'lenient',
  parameters: ReadonlySet<string>,
  saved = false,
): Filter[] {
  const filters = new Map<string, Filter>()
  const errors: FieldError[] = []
  for (const pair of new Set(splitPairs(search))) {
    if (parameters.has(pairName(pair))) continue
    if (mode === 'lenient' && pairName(pair) === ANY && !isName(q, ANY)) continue
    const condition = parseCondition(q, pair, saved)
    if (!('error' in condition)) filters.set(printCondition(condition), condition)
    else if (!condition.unknown || (mode === 'strict' && !IGNORED_NAMES.has(condition.name)))
      errors.push({ ...condition.error, field: condition.name })
    if (!saved && sizeOf(filters) + errors.length > MAX_FILTERS) throw tooManyFilters(condition.name)
  }
  if (errors.length > 0) throw problems.invalid(errors)
  return [...filters.values()]
}

const sizeOf = (filters: ReadonlyMap<string, Filter>): number =>
  filters.size <= 1 ? filters.size : withAlternatives([...filters.values()]).length

/**
 * Maximum number of different filters in an address. Each filter is a condition of the query, so thousands of them
 * would take PostgreSQL seconds.
 */
const MAX_FILTERS = 100

const tooManyFiltersError = valueError(
  'limit_reached',
  { max: MAX_FILTERS },
  detail('too_many_filters', { max: MAX_FILTERS }),
)
const tooManyFilters = (name: string) => problems.invalid([{ ...tooManyFiltersError, field: name }])

/**
 * Checks the number of conditions of a page. The size of the page that lists responses grows with the square of this
 * number, because each condition has a link that contains all other conditions.
 * @throws {Problem} `invalid_request`
 */
export function checkConditionCount(conditions: readonly string[]): void {
  if (conditions.length > MAX_FILTERS) throw tooManyFilters(pairName(conditions[MAX_FILTERS]!))
}

/** Splits a raw query string into pairs. */
export const splitPairs = (search: string): string[] => search.replace(/^\?/, '').split('&').filter(Boolean)

/** Returns the most likely name of a pair, which shows whether the pair is a filter or a parameter of the operation. */
export const pairName = (pair: string): string => {
  const [first] = operatorsIn(pair)
  return decode(first ? pair.slice(0, first.index) : pair)
}

/** Formats a condition as a pair of a query string. */
export const printCondition = ({ name, operator, value }: Pick<Filter, 'name' | 'operator' | 'value'>): string =>
  // Without the additional `=`, an encoded `=` after `~` would be parsed as part of the operator `~=`.
  `${encodeURIComponent(name)}${operator === '~' && value.startsWith('=') ? '~=' : operator}${encodeURIComponent(value)}`

/** Formats filters as a query string for {@link parseFilters}. */
export const printFilters = (filters: readonly Pick<Filter, 'name' | 'operator' | 'value'>[]): string =>
  filters.map(printCondition).join('&')

/** Formats filters for storage, with the stable numbers of choices. */
export const printSaved = (q: Questionnaire, filters: readonly Filter[]): string =>
  printFilters(
    filters.map((filter) =>
      filter.test.kind === 'any' ? { ...filter, value: printSaved(q, filter.test.filters) } : toSaved(q, filter),
    ),
  )

/**
 * Converts a stored query, which contains stable numbers of choices, to the present positions. Conditions that no
 * longer match the survey are not changed.
 */
export const currentQuery = (q: Questionnaire, query: string): string =>
  q.renumbered
    ? splitPairs(query)
        .map((pair) => {
          const condition = parseCondition(q, pair, true)
          return 'error' in condition ? pair : printCondition(condition)
        })
        .join('&')
    : query

/** Returns whether a name is the name of a meta field. Meta fields take precedence over questions. */
const isMetaName = (name: string): boolean => metaFieldByKey.has(name)

/** Parses a comparison with a meta field into a condition or an error. */
export function metaCondition(name: string, operator: Operator, value: string): Condition | ValueError {
  const field = metaFieldByKey.get(name)!
  if (operator === '~') return invalidFilter('cannot be searched with ~, which applies to text answers only')
  switch (field.type) {
    case 'state':
    case 'collector':
    case 'integer':
    case 'float':
      return numberCondition(field.column, field.type !== 'float', operator, value)
    case 'time':
      return timeCondition(field.column, operator, value)
    case 'text':
      if (operator !== '=') return invalidFilter('can be compared with = only')
      return { kind: 'text', column: field.column, value, negated: false }
    case 'key':
      if (operator !== '=') return invalidFilter('can be compared with = only')
      if (!/^[0-9a-f]{40}$/i.test(value)) return invalidFilter('must be 40 hexadecimal digits')
      return { kind: 'key', value: value.toLowerCase() }
  }
}

function numberCondition(
  column: MetaNumberColumn,
  isInteger: boolean,
  operator: Comparison,
  value: string,
): Condition | ValueError {
  if (value === '' && operator === '=') return { kind: 'number', column, operator, value: null }
  const number = new RegExp(DECIMAL).test(value) ? Number(value) : Number.NaN
  if (column === 'completed' && ![0, 1, 2].includes(number))
    return invalidFilter('must be 0 (incomplete), 1 (complete or quota reached) or 2 (terminated)')
  if (isInteger && !Number.isSafeInteger(number)) return invalidFilter('must be a whole number')
  if (Number.isNaN(number)) return invalidFilter('must be a number')
  return { kind: 'number', column, operator, value: number }
}

/** Returns the precision of a time in milliseconds: a day, a minute, a second or a millisecond. */
function precisionMs(text: string): number {
  const [, minute, second, fraction] = /^.{10}[T ](\d\d:\d\d)(:\d\d)?([.,]\d+)?/i.exec(text) ?? []
  if (!minute) return 86_400_000
  if (!second) return 60_000
  return fraction ? 1 : 1_000
}

const MAX_TIME_CHARACTERS = 64

/** Returns a condition on the period that a text means: a day in UTC, a minute, a second or a millisecond. */
function timeCondition(column: MetaTimeColumn, operator: Comparison, value: string): Condition | ValueError {
  // Form encoding turns the + of an offset into a space.
  const text = value
    .slice(0, MAX_TIME_CHARACTERS)
    .trim()
    .replace(/(:\d\d.*) (?=\d\d:?\d\d$)/, '$1+')
  const datetime = value.length <= MAX_TIME_CHARACTERS ? parseIsoDatetime(text) : undefined
  if (!datetime || datetime.format === 'time') {
    return invalidFilter('must be a date such as 2024-01-31, or a date and time such as 2024-01-31T09:30:00')
  }
  const from = Math.floor(datetime.instant)
  return { kind: 'time', column, operator, from, before: from + precisionMs(text) }
}
