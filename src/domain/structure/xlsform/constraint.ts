import type { ChoiceList } from './choices.ts'
import type { Comparison, Expression } from './expression.ts'

/** The rules of a constraint, as members of a question. */
export interface Limits {
  validation: { kind?: string; min?: number; max?: number; minLength?: number; maxLength?: number }
  minSelected?: number
  maxSelected?: number
  /** Positions of choices that cannot be combined with others. */
  exclusive: number[]
  /** Whether an expression was replaced with a similar rule. */
  simplified: boolean
  /** Whether a part of the constraint could not be converted. */
  incomplete: boolean
}

/** The question of a constraint. */
export interface Constrained {
  answer: 'text' | 'integer' | 'decimal' | 'multiple' | 'other'
  list?: ChoiceList | undefined
}

/** Converts a constraint. Parts that are joined with `and` are converted one by one. */
export function limitsOf(expression: Expression | undefined, question: Constrained): Limits {
  const limits: Limits = { validation: {}, exclusive: [], simplified: false, incomplete: false }
  const parts = expression?.kind === 'and' ? expression.parts : [expression]
  for (const part of parts) if (!part || !addLimit(limits, part, question)) limits.incomplete = true
  const { min, max, minLength, maxLength } = limits.validation
  const isPossible =
    isRange(min, max) &&
    isRange(minLength, maxLength) &&
    isRange(limits.minSelected, limits.maxSelected) &&
    limits.maxSelected !== 0
  return isPossible ? limits : { validation: {}, exclusive: [], simplified: false, incomplete: true }
}

const isRange = (min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY): boolean => min <= max

/**
 * Adds the limits that a part of a constraint expresses.
 * @returns whether the part was converted
 */
function addLimit(limits: Limits, part: Expression, question: Constrained): boolean {
  if (part.kind === 'compare') return addComparison(limits, part, question)
  if (part.kind !== 'call') return false
  if (part.name === 'regex' && part.args[0]?.kind === 'self' && part.args[1]?.kind === 'literal')
    return addPattern(limits, String(part.args[1].value), question)
  const position = question.list && exclusiveChoice(part, question.list)
  if (position === undefined) return false
  limits.exclusive.push(position)
  return true
}

const FLIPPED: Readonly<Record<Comparison, Comparison>> = {
  '=': '=',
  '!=': '!=',
  '<': '>',
  '<=': '>=',
  '>': '<',
  '>=': '<=',
}

function addComparison(
  limits: Limits,
  { op, left, right }: Extract<Expression, { kind: 'compare' }>,
  question: Constrained,
): boolean {
  if (left.kind === 'literal' && right.kind !== 'literal')
    return addComparison(limits, { kind: 'compare', op: FLIPPED[op], left: right, right: left }, question)
  const value = right.kind === 'literal' ? Number(right.value) : Number.NaN
  if (Number.isNaN(value) || (right.kind === 'literal' && right.value === '')) return false
  if (left.kind === 'self' && (question.answer === 'integer' || question.answer === 'decimal')) {
    const range = rangeOf(op, value, question.answer === 'integer')
    if (range) setRange(limits.validation, 'min', 'max', range)
    return range !== undefined
  }
  const measure = left.kind === 'call' && left.args[0]?.kind === 'self' ? left.name : undefined
  const range = value >= 0 ? rangeOf(op, value, true) : undefined
  if (!range) return false
  if (measure === 'string-length' && question.answer === 'text') {
    setRange(limits.validation, 'minLength', 'maxLength', range)
    return true
  }
  if (measure === 'count-selected' && question.answer === 'multiple') {
    setRange(limits, 'minSelected', 'maxSelected', range)
    return true
  }
  return false
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
      return whole ? { min: Math.floor(value) + 1 } : undefined
    case '<':
      return whole ? { max: Math.ceil(value) - 1 } : undefined
    default:
      return undefined
  }
}

function setRange<Min extends string, Max extends string>(
  owner: { [Name in Min | Max]?: number },
  min: Min,
  max: Max,
  range: { min?: number; max?: number },
): void {
  const bounds = owner as Record<Min | Max, number | undefined>
  if (range.min !== undefined) bounds[min] = Math.max(bounds[min] ?? range.min, range.min)
  if (range.max !== undefined) bounds[max] = Math.min(bounds[max] ?? range.max, range.max)
}

/**
 * Recognises the usual regular expressions: those for email addresses, and those that fix or limit the number of
 * digits. Regular expressions of a form are never executed.
 */
function addPattern(limits: Limits, pattern: string, { answer }: Constrained): boolean {
  if (answer !== 'text') return false
  if (pattern.includes('@')) {
    limits.validation.kind = 'email'
    limits.simplified = true
    return true
  }
  const [, least, most = least] = /^\^?(?:\[0-9\]|\\d)\{(\d{1,3})(?:,(\d{1,3}))?\}\$?$/.exec(pattern) ?? []
  if (least === undefined) return false
  limits.validation.kind = 'integer'
  setRange(limits.validation, 'minLength', 'maxLength', { min: Number(least), max: Number(most) })
  return true
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

const selectedChoice = (part: Expression, { positions }: ChoiceList): number | undefined =>
  part.kind === 'call' && part.name === 'selected' && part.args[0]?.kind === 'self' && part.args[1]?.kind === 'literal'
    ? positions.get(String(part.args[1].value))
    : undefined

/** Returns the comparison in an expression such as `count-selected(.) > 1`, here `> 1`; '' for any other expression. */
function countOf(part: Expression): string {
  if (part.kind !== 'compare' || part.right.kind !== 'literal' || part.left.kind !== 'call') return ''
  const { name, args } = part.left
  return name === 'count-selected' && args[0]?.kind === 'self' ? `${part.op} ${part.right.value}` : ''
}
