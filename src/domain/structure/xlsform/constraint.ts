import { MAX_ALSO } from '../../../questions/number.ts'
import { parseIsoDatetime } from '../datetime.ts'
import { MAX_DECIMALS, MAX_NUMBER } from '../number.ts'
import type { ChoiceList } from './choices.ts'
import type { Comparison, Expression } from './expression.ts'
import { addPattern, type Constrained, type Limits, setRange } from './pattern.ts'

const noLimits = (incomplete = false): Limits => ({
  validation: {},
  also: [],
  exclusive: [],
  simplified: undefined,
  incomplete,
})

/** Converts a constraint. Parts that are joined with `and` are converted one by one. */
export function limitsOf(expression: Expression | undefined, question: Constrained): Limits {
  const limits = noLimits()
  const parts = expression?.kind === 'and' ? expression.parts : [expression]
  const isAlone = parts.length === 1
  for (const part of parts) if (!part || !addLimit(limits, part, question, isAlone)) limits.incomplete = true
  const { min, max, minLength, maxLength } = limits.validation
  const isPossible =
    isRange(min, max) &&
    isRange(minLength, maxLength) &&
    isRange(limits.minSelected, limits.maxSelected) &&
    limits.maxSelected !== 0 &&
    (limits.minSelected ?? 0) <= (question.list?.choices.length ?? 0)
  return isPossible ? limits : noLimits(true)
}

const isRange = (min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY): boolean => min <= max

/**
 * Adds the limits that a part of a constraint expresses.
 * @param isAlone whether the constraint has no other part
 * @returns whether the part was converted
 */
function addLimit(limits: Limits, part: Expression, question: Constrained, isAlone = false): boolean {
  if (part.kind === 'compare') return addComparison(limits, part, question)
  if (part.kind === 'and') return part.parts.every((inner) => addLimit(limits, inner, question))
  if (part.kind === 'or') return addAlternatives(limits, part.parts, question, isAlone)
  if (part.kind !== 'call') return false
  if (part.name === 'true' && part.args.length === 0) return true
  if (part.name === 'regex' && part.args[0]?.kind === 'self' && part.args[1]?.kind === 'literal')
    return addPattern(limits, String(part.args[1].value), question)
  const position = question.list && exclusiveChoice(part, question.list)
  if (position !== undefined) {
    limits.exclusive.push(position)
    return true
  }
  const [only] = part.args
  if (part.name !== 'not' || only?.kind !== 'compare' || part.args.length > 1) return false
  return addComparison(limits, { ...only, op: NEGATED[only.op] }, question)
}

const FLIPPED: Readonly<Record<Comparison, Comparison>> = {
  '=': '=',
  '!=': '!=',
  '<': '>',
  '<=': '>=',
  '>': '<',
  '>=': '<=',
}

const NEGATED: Readonly<Record<Comparison, Comparison>> = {
  '=': '!=',
  '!=': '=',
  '<': '>=',
  '<=': '>',
  '>': '<=',
  '>=': '<',
}

/**
 * Adds the limits of parts that are joined with `or`: from the lowest to the highest number that a part accepts. If the
 * constraint has no other part, single numbers such as 999 in `(. >= 0 and . <= 120) or . = 999` are accepted beside this
 * range. A missing answer is never tested, so `. = ''` changes nothing.
 */
function addAlternatives(
  limits: Limits,
  parts: readonly Expression[],
  question: Constrained,
  isAlone: boolean,
): boolean {
  const alternatives = parts.filter((part) => !isBlankTest(part)).map((part) => limitsOf(part, question))
  if (alternatives.length === 0) return true
  const [first] = alternatives
  const isPlain = alternatives.every(
    ({ incomplete, simplified, exclusive, minSelected, maxSelected, first, last, validation }) =>
      !incomplete &&
      simplified === undefined &&
      exclusive.length === 0 &&
      [minSelected, maxSelected, first, last, validation.kind].every((value) => value === undefined),
  )
  if (alternatives.length === 1) return addLimit(limits, parts.find((part) => !isBlankTest(part))!, question, isAlone)
  if (!isPlain || !first) return false
  const isLength = alternatives.every(({ validation }) => validation.min === undefined && validation.max === undefined)
  const all = alternatives.flatMap(({ validation, also }) => [
    isLength
      ? [validation.minLength ?? 0, validation.maxLength ?? Number.POSITIVE_INFINITY]
      : [validation.min ?? Number.NEGATIVE_INFINITY, validation.max ?? Number.POSITIVE_INFINITY],
    ...also.map((number) => [number, number]),
  ]) as [number, number][]
  const isMixed = !isLength && alternatives.some(({ validation: { minLength, maxLength } }) => minLength ?? maxLength)
  if (isMixed) return false
  const step = isLength || question.answer === 'integer' ? 1 : 0
  const { ranges, also } = isLength || !isAlone ? { ranges: all, also: [] } : withoutSingles(all, step)
  limits.also = also
  const min = Math.min(...ranges.map(([low]) => low))
  const max = Math.max(...ranges.map(([, high]) => high))
  const hull = { ...(Number.isFinite(min) && { min }), ...(Number.isFinite(max) && { max }) }
  if (isLength) setRange(limits.validation, 'minLength', 'maxLength', hull)
  else setRange(limits.validation, 'min', 'max', hull)
  const gaps = gapsOf(ranges, step)
  if (gaps.length > 0)
    limits.simplified = `Only one range of ${isLength ? 'lengths' : 'numbers'} can be checked. It also accepts ${gaps.slice(0, 5).join(' and ')}.`
  return true
}

/** Takes the single numbers out of ranges that lie outside of all others, if there are no more than a question can have. */
function withoutSingles(all: readonly [number, number][], step: number) {
  const isSingle = ([low, high]: readonly [number, number]) => low === high
  const wide = all.filter((range) => !isSingle(range))
  const singles = [...new Set(all.filter(isSingle).map(([low]) => low))]
  // Without a wider range, the first number is the range.
  const ranges = wide.length > 0 ? wide : all.slice(0, 1)
  const [min, max] = [Math.min(...ranges.map(([low]) => low)), Math.max(...ranges.map(([, high]) => high))]
  const also = singles.filter((number) => number < min || number > max)
  const isWhole = wide.length === 0 && gapsOf(all, step).length === 0
  return isWhole || also.length > MAX_ALSO ? { ranges: all, also: [] } : { ranges, also }
}

/** Returns the numbers between ranges, such as `121 to 998`. */
function gapsOf(ranges: readonly [number, number][], step: number): string[] {
  const gaps: string[] = []
  let end = Number.NEGATIVE_INFINITY
  for (const [low, high] of [...ranges].sort(([a], [b]) => a - b)) {
    if (Number.isFinite(end) && low > end + step)
      gaps.push(
        step === 1
          ? low - end === 2
            ? `${end + 1}`
            : `${end + 1} to ${low - 1}`
          : `numbers between ${end} and ${low}`,
      )
    end = Math.max(end, high)
  }
  return gaps
}

/** Recognises `. = ''`. */
const isBlankTest = (part: Expression): boolean =>
  part.kind === 'compare' &&
  part.op === '=' &&
  [part.left, part.right].some(({ kind }) => kind === 'self') &&
  [part.left, part.right].some((side) => side.kind === 'literal' && side.value === '')

function addComparison(
  limits: Limits,
  { op, left, right }: Extract<Expression, { kind: 'compare' }>,
  question: Constrained,
): boolean {
  if (!hasSelf(left) && hasSelf(right))
    return addComparison(limits, { kind: 'compare', op: FLIPPED[op], left: right, right: left }, question)
  if (question.answer === 'date' && isSelfDate(left)) return addDate(limits, op, right, question.todays)
  const value = right.kind === 'literal' ? Number(right.value) : Number.NaN
  // `. != ''` is true for every answer.
  if (right.kind === 'literal' && right.value === '') return op === '!=' && left.kind === 'self'
  if (Number.isNaN(value) || Math.abs(value) > MAX_NUMBER) return false
  if (left.kind === 'self' && (question.answer === 'integer' || question.answer === 'decimal')) {
    const range = rangeOf(op, value, question.answer === 'integer')
    if (range) setRange(limits.validation, 'min', 'max', range)
    return range !== undefined
  }
  const measure = left.kind === 'call' && left.args[0]?.kind === 'self' ? left.name : undefined
  const range = rangeOf(op, value, true)
  if (!range) return false
  if (measure === 'string-length' && question.answer === 'text') {
    // A length is never negative: a minimum below 0 has no effect, and a maximum below 0 cannot be met.
    if ((range.max ?? 0) < 0) return false
    setRange(limits.validation, 'minLength', 'maxLength', {
      ...range,
      ...(range.min !== undefined && { min: Math.max(0, range.min) }),
    })
    return true
  }
  if (measure === 'count-selected' && question.answer === 'multiple') {
    if ((range.max ?? 0) < 0) return false
    setRange(limits, 'minSelected', 'maxSelected', {
      ...range,
      ...(range.min !== undefined && { min: Math.max(0, range.min) }),
    })
    return true
  }
  return false
}

const hasSelf = (expression: Expression): boolean =>
  expression.kind === 'self' || (expression.kind === 'call' && expression.args.some(hasSelf))

/** Functions that convert a date to a number of days, or round it to a day. */
const DATE_FUNCTIONS: ReadonlySet<string> = new Set([
  'date',
  'decimal-date-time',
  'decimal-date',
  'int',
  'number',
  'floor',
])

/** Recognises `.` and the conversions of a date to a number of days. */
const isSelfDate = (expression: Expression): boolean =>
  expression.kind === 'self' ||
  (expression.kind === 'call' &&
    DATE_FUNCTIONS.has(expression.name) &&
    expression.args.length === 1 &&
    isSelfDate(expression.args[0]!))

function addDate(limits: Limits, op: Comparison, right: Expression, todays?: ReadonlySet<string>): boolean {
  const date = dateOf(right, todays)
  if (date === undefined || op === '!=') return false
  const { day, offset } = date
  const shifted = (by: number) => writeDay(day, offset + by)
  if (op === '=' || op.startsWith('>')) limits.first = later(limits.first, shifted(op === '>' ? 1 : 0), 1)
  if (op === '=' || op.startsWith('<')) limits.last = later(limits.last, shifted(op === '<' ? -1 : 0), -1)
  return true
}

/** Returns the stricter one of two limits: a fixed day and today cannot be compared, so the later part counts. */
const later = (before: string | undefined, after: string, sign: 1 | -1): string =>
  before !== undefined && /^\d/.test(before) && /^\d/.test(after) && before > after === sign > 0 ? before : after

interface Day {
  /** A date such as `2026-01-31`, or `today`. */
  day: string
  /** Number of days after it. */
  offset: number
}

/** Reads `today()`, `now()`, `date('2026-01-31')`, a date as a text, and such a day plus or minus a number of days. */
function dateOf(expression: Expression, todays?: ReadonlySet<string>): Day | undefined {
  if (expression.kind === 'question') return todays?.has(expression.name) ? { day: 'today', offset: 0 } : undefined
  if (expression.kind === 'binary') {
    const day = dateOf(expression.left, todays)
    const days = expression.right.kind === 'literal' ? Number(expression.right.value) : Number.NaN
    if (!day || !Number.isInteger(days) || Math.abs(days) > MAX_DAYS) return undefined
    if (expression.op !== '+' && expression.op !== '-') return undefined
    return { ...day, offset: day.offset + (expression.op === '+' ? days : -days) }
  }
  if (expression.kind === 'literal') {
    const text = String(expression.value)
    return parseIsoDatetime(text)?.format === 'date' ? { day: text, offset: 0 } : undefined
  }
  if (expression.kind !== 'call') return undefined
  const [first] = expression.args
  if (!first) return ['today', 'now'].includes(expression.name) ? { day: 'today', offset: 0 } : undefined
  const isConversion = DATE_FUNCTIONS.has(expression.name)
  return isConversion && expression.args.length === 1 ? dateOf(first, todays) : undefined
}

const MAX_DAYS = 99_999

function writeDay(day: string, offset: number): string {
  if (day === 'today') return offset === 0 ? day : `today${offset > 0 ? '+' : ''}${offset}`
  return new Date(Date.parse(day) + offset * 86_400_000).toISOString().slice(0, 10)
}

/** Returns the minimum or maximum that admits the same values as a comparison; undefined if there is none. */
function rangeOf(op: Comparison, value: number, whole: boolean): { min?: number; max?: number } | undefined {
  switch (op) {
    case '=':
      return { min: value, max: value }
    case '>=':
      return { min: whole ? Math.ceil(value) : value }
    case '<=':
      return { max: whole ? Math.floor(value) : value }
    case '>':
      return whole ? { min: Math.floor(value) + 1 } : strict(value, 1, 'min')
    case '<':
      return whole ? { max: Math.ceil(value) - 1 } : strict(value, -1, 'max')
    default:
      return undefined
  }
}

/** Returns the next number above or below another one with the decimal places that an answer can have. */
function strict(value: number, sign: 1 | -1, member: 'min' | 'max'): { min?: number; max?: number } | undefined {
  const next = Number((value + sign * 10 ** -MAX_DECIMALS).toFixed(MAX_DECIMALS))
  return next === value ? undefined : { [member]: next }
}

/**
 * Recognises `not(selected(., 'none') and count-selected(.) > 1)` and
 * `if(selected(., 'none'), count-selected(.) = 1, true())`.
 * @returns the position of the choice that cannot be combined with others
 */
function exclusiveChoice({ name, args }: Extract<Expression, { kind: 'call' }>, list: ChoiceList): number | undefined {
  const [first, second, third] = args
  if (name === 'not' && first?.kind === 'and' && first.parts.length === 2) {
    const several = first.parts.some((part) => ['> 1', '>= 2'].includes(countOf(part)))
    return several ? first.parts.map((part) => selectedChoice(part, list)).find((at) => at !== undefined) : undefined
  }
  const isCondition = name === 'if' && first && second && third?.kind === 'call' && third.name === 'true'
  return isCondition && countOf(second) === '= 1' ? selectedChoice(first, list) : undefined
}

/** Returns the only choice with the name that a test selects. */
function selectedChoice(part: Expression, { positions }: ChoiceList): number | undefined {
  if (part.kind !== 'call' || part.name !== 'selected') return undefined
  const [self, choice] = part.args
  if (self?.kind !== 'self' || choice?.kind !== 'literal') return undefined
  const named = positions.get(String(choice.value).trim()) ?? []
  return named.length === 1 ? named[0] : undefined
}

/** Returns the comparison in an expression such as `count-selected(.) > 1`, here `> 1`; '' for any other expression. */
function countOf(part: Expression): string {
  if (part.kind !== 'compare' || part.right.kind !== 'literal' || part.left.kind !== 'call') return ''
  const { name, args } = part.left
  return name === 'count-selected' && args[0]?.kind === 'self' ? `${part.op} ${part.right.value}` : ''
}
