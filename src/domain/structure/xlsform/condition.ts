import type { Condition, Rule } from '../questionnaire.ts'
import type { Comparison, Expression } from './expression.ts'

/** A question to which a condition can refer. */
export interface Referable {
  /** The response key. */
  key: string
  answer: 'text' | 'number' | 'time' | 'single' | 'multiple' | 'ranking'
  /** Positions of the choices by name. */
  positions: ReadonlyMap<string, number>
}

/** A condition, or a constant. */
export type Result = Condition | Rule | boolean

/** Maximum number of rules that replace one comparison of a choice. */
const MAX_REPLACING_RULES = 50

/**
 * Converts an expression to a condition that has the same result, even for questions without an answer (their value is
 * the empty text).
 * @param find returns the question with a name if it comes earlier in the form
 * @returns undefined if there is no such condition
 */
export function conditionOf(
  expression: Expression,
  find: (name: string) => Referable | undefined,
  negated = false,
): Result | undefined {
  switch (expression.kind) {
    case 'and':
    case 'or': {
      const results = expression.parts.map((part) => conditionOf(part, find, negated))
      // By De Morgan's laws, a negated `and` is an `or` of the negated parts.
      return join((expression.kind === 'and') === negated ? 'any' : 'all', results)
    }
    case 'compare':
      return comparisonOf(expression, find, negated)
    case 'call':
      return callOf(expression, find, negated)
    default:
      return undefined
  }
}

/** Combines conditions with `all` or `any`, and removes constants. */
export function join(member: 'all' | 'any', results: readonly (Result | undefined)[]): Result | undefined {
  if (results.includes(undefined)) return undefined
  const decisive = member === 'any'
  if (results.includes(decisive)) return decisive
  const parts = results.filter((result) => typeof result === 'object')
  if (parts.length === 0) return !decisive
  const flat = parts.flatMap((part) =>
    member === 'all' && 'all' in part ? part.all : member === 'any' && 'any' in part ? part.any : [part],
  )
  return flat.length === 1 ? flat[0]! : member === 'all' ? { all: flat } : { any: flat }
}

function callOf(
  { name, args }: Extract<Expression, { kind: 'call' }>,
  find: (name: string) => Referable | undefined,
  negated: boolean,
): Result | undefined {
  const [first, second] = args
  if (name === 'true' && !first) return !negated
  if (name === 'false' && !first) return negated
  if (name === 'not' && first && !second) return conditionOf(first, find, !negated)
  if (name !== 'selected' || first?.kind !== 'question' || second?.kind !== 'literal') return undefined
  const question = find(first.name)
  const position = question?.positions.get(String(second.value))
  if (!question || position === undefined) return undefined
  if (question.answer === 'single') return { question: question.key, op: negated ? 'ne' : 'eq', value: position }
  // Conditions have no operator for “does not contain”.
  if (question.answer !== 'multiple' || negated) return undefined
  return { question: question.key, op: 'contains', value: position }
}

const FLIPPED: Readonly<Record<Comparison, Comparison>> = {
  '=': '=',
  '!=': '!=',
  '<': '>',
  '<=': '>=',
  '>': '<',
  '>=': '<=',
}

function comparisonOf(
  { op, left, right }: Extract<Expression, { kind: 'compare' }>,
  find: (name: string) => Referable | undefined,
  negated: boolean,
): Result | undefined {
  const constant = constantOf(right)
  if (constant === undefined)
    return constantOf(left) === undefined
      ? undefined
      : comparisonOf({ kind: 'compare', op: FLIPPED[op], left: right, right: left }, find, negated)
  if (typeof constant === 'boolean') {
    if (op !== '=' && op !== '!=') return undefined
    return conditionOf(left, find, negated !== (constant === (op === '!=')))
  }
  if (left.kind === 'call') return measureOf(left, op, constant, find, negated)
  const question = left.kind === 'question' ? find(left.name) : undefined
  return question && rulesOf(question, op, constant, negated)
}

/** Returns the value of a literal, of `true()` or `false()`, or of `date('2026-01-31')`. */
function constantOf(expression: Expression): string | number | boolean | undefined {
  if (expression.kind === 'literal') return expression.value
  if (expression.kind !== 'call') return undefined
  const { name, args } = expression
  if (args.length === 0 && (name === 'true' || name === 'false')) return name === 'true'
  const isConversion = args.length === 1 && ['date', 'number', 'string', 'int'].includes(name)
  return isConversion && args[0]!.kind === 'literal' ? args[0]!.value : undefined
}

/** Converts a comparison that tests whether there is an answer, such as `string-length(${name}) > 0`. */
function measureOf(
  { name, args }: Extract<Expression, { kind: 'call' }>,
  op: Comparison,
  value: string | number,
  find: (name: string) => Referable | undefined,
  negated: boolean,
): Result | undefined {
  const [first] = args
  if (!['count-selected', 'string-length'].includes(name) || args.length !== 1 || first?.kind !== 'question')
    return undefined
  const question = find(first.name)
  const limit = Number(value)
  if (!question) return undefined
  const isAnswered = (op === '>' && limit === 0) || (op === '!=' && limit === 0) || (op === '>=' && limit === 1)
  const isUnanswered = (op === '=' && limit === 0) || (op === '<' && limit === 1) || (op === '<=' && limit === 0)
  if (!isAnswered && !isUnanswered) return undefined
  return { question: question.key, op: isAnswered !== negated ? 'answered' : 'unanswered' }
}

function rulesOf(question: Referable, op: Comparison, value: string | number, negated: boolean): Result | undefined {
  const { key, answer, positions } = question
  const rule = (operator: Rule['op'], compared?: Rule['value']): Rule => ({
    question: key,
    op: operator,
    ...(compared !== undefined && { value: compared }),
  })
  const isEquality = op === '=' || op === '!='
  const isEqual = (op === '=') !== negated
  if (value === '') return isEquality ? rule(isEqual ? 'unanswered' : 'answered') : undefined
  switch (answer) {
    case 'single':
      return isEquality
        ? withPosition(positions.get(String(value)), (position) => rule(isEqual ? 'eq' : 'ne', position))
        : choicesMatching(question, op, Number(value), negated)
    case 'multiple':
      return isEquality
        ? withPosition(positions.get(String(value)), (position) => rule(isEqual ? 'eq' : 'ne', [position]))
        : undefined
    case 'ranking':
      return undefined
    default: {
      if (String(value).length > 200) return undefined
      if (isEquality) return rule(isEqual ? 'eq' : 'ne', value)
      if (answer === 'text' || (answer === 'number' && Number.isNaN(Number(value)))) return undefined
      const strict = op.startsWith('<') !== negated ? rule('lt', value) : rule('gt', value)
      const includesEqual = op.endsWith('=') !== negated
      const parts = [strict, ...(includesEqual ? [rule('eq', value)] : []), ...(negated ? [rule('unanswered')] : [])]
      return join('any', parts)
    }
  }
}

const withPosition = (position: number | undefined, rule: (position: number) => Rule): Rule | undefined =>
  position === undefined ? undefined : rule(position)

/** Converts a comparison (such as `>`) with choices whose names are numbers, such as a scale from 1 to 5. */
function choicesMatching(
  { key, positions }: Referable,
  op: Comparison,
  limit: number,
  negated: boolean,
): Result | undefined {
  const names = [...positions].map(([name, position]) => ({ number: Number(name), position }))
  if (Number.isNaN(limit) || names.some(({ number }) => Number.isNaN(number))) return undefined
  const holds = (number: number) =>
    op === '<' ? number < limit : op === '<=' ? number <= limit : op === '>' ? number > limit : number >= limit
  const matching = names.filter(({ number }) => holds(number) !== negated)
  if (matching.length > MAX_REPLACING_RULES) return undefined
  const rules = matching.map(({ position }): Rule => ({ question: key, op: 'eq', value: position }))
  return join('any', negated ? [...rules, { question: key, op: 'unanswered' }] : rules)
}
