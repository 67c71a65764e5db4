import type { Condition, Rule } from '../questionnaire.ts'
import type { Positions } from './choices.ts'
import type { Comparison, Expression } from './expression.ts'

/** A question to which conditions, calculations and texts can refer. */
export interface Referable {
  /** The response key. */
  key: string
  answer: 'text' | 'number' | 'time' | 'single' | 'multiple' | 'ranking' | 'formula'
  positions: Positions
  /** The codes of the choices by position. */
  codes?: readonly (string | undefined)[]
  /** Whether the names of all choices are numbers, which the choices have as scores. */
  isScored?: boolean
  /** Number of the page, from 0; -1 for a value that is known from the start. */
  page: number
  /** The expression of a calculation that is not in the survey, and in whose place conditions test its parts. */
  formula?: Expression
}

/** A condition, or a constant. */
export type Result = Condition | Rule | boolean

/** Maximum number of rules that replace one comparison of a choice. */
const MAX_REPLACING_RULES = 50
/** Maximum number of formulas and branches that are inserted into one condition. */
const MAX_INSERTIONS = 200

/** The questions of a form to which an expression can refer. */
export type Find = (name: string) => Referable | undefined

/**
 * Converts an expression to a condition that has the same result, even for questions without an answer (their value is
 * the empty text). Letter case is the exception: XPath compares it, and conditions do not.
 * @param find returns the question with a name if it comes earlier in the form
 * @returns undefined if there is no such condition
 */
export function conditionOf(expression: Expression, find: Find): Result | undefined {
  const converter = new Converter(find)
  const result = converter.convert(expression, false)
  // A question that is always or never shown because of a misspelt choice is more likely a mistake.
  return typeof result === 'boolean' && converter.hasUnknownChoice ? undefined : result
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

const FLIPPED: Readonly<Record<Comparison, Comparison>> = {
  '=': '=',
  '!=': '!=',
  '<': '>',
  '<=': '>=',
  '>': '<',
  '>=': '<=',
}

class Converter {
  /** Whether the expression names a choice that its list does not have. */
  hasUnknownChoice = false
  readonly #find: Find
  #insertions = 0

  constructor(find: Find) {
    this.#find = find
  }

  convert(expression: Expression, negated: boolean): Result | undefined {
    switch (expression.kind) {
      case 'and':
      case 'or': {
        const results = expression.parts.map((part) => this.convert(part, negated))
        // By De Morgan's laws, a negated `and` is an `or` of the negated parts.
        return join((expression.kind === 'and') === negated ? 'any' : 'all', results)
      }
      case 'compare':
        return this.#comparison(expression, negated)
      case 'call':
        return this.#call(expression, negated)
      case 'question': {
        const formula = this.#formulaOf(expression)
        return formula && isBoolean(formula) ? this.convert(formula, negated) : undefined
      }
      default:
        return undefined
    }
  }

  /** Returns the formula of a calculation that is not in the survey; undefined for any other expression. */
  #formulaOf(expression: Expression): Expression | undefined {
    const formula = expression.kind === 'question' ? this.#find(expression.name)?.formula : undefined
    if (!formula || ++this.#insertions > MAX_INSERTIONS) return undefined
    return this.#formulaOf(formula) ?? formula
  }

  #call({ name, args }: Extract<Expression, { kind: 'call' }>, negated: boolean): Result | undefined {
    const [first, second, third] = args
    if (name === 'true' && !first) return !negated
    if (name === 'false' && !first) return negated
    if (name === 'not' && first && !second) return this.convert(first, !negated)
    if (name === 'boolean' && first && !second && isBoolean(first)) return this.convert(first, negated)
    if (name === 'if' && first && second && third && args.length === 3)
      return this.#branches(first, (branch) => this.convert(branch ? second : third, negated))
    if (name !== 'selected' || first?.kind !== 'question' || second?.kind !== 'literal') return undefined
    const formula = this.#formulaOf(first)
    if (formula?.kind === 'question') return this.#call({ kind: 'call', name, args: [formula, second] }, negated)
    const question = this.#find(first.name)
    // A number, and the result of a calculation, is a single value.
    if (formula || question?.answer === 'number')
      return this.#comparison({ kind: 'compare', op: '=', left: first, right: second }, negated)
    if (!question || (question.answer !== 'single' && question.answer !== 'multiple')) return undefined
    const positions = this.#positionsOf(question, second.value)
    const op = question.answer === 'single' ? (negated ? 'ne' : 'eq') : negated ? 'not_contains' : 'contains'
    return join(
      negated ? 'all' : 'any',
      positions.map((value) => ({ question: question.key, op, value })),
    )
  }

  /** Converts `if(test, …, …)`, where `convert` converts one of the two branches. */
  #branches(test: Expression, convert: (branch: boolean) => Result | undefined): Result | undefined {
    if (++this.#insertions > MAX_INSERTIONS) return undefined
    return join('any', [
      join('all', [this.convert(test, false), convert(true)]),
      join('all', [this.convert(test, true), convert(false)]),
    ])
  }

  #comparison(
    { op, left: written, right }: Extract<Expression, { kind: 'compare' }>,
    negated: boolean,
  ): Result | undefined {
    const constant = constantOf(right)
    if (constant === undefined)
      return constantOf(written) === undefined
        ? this.#pair(op, written, right, negated)
        : this.#comparison({ kind: 'compare', op: FLIPPED[op], left: right, right: written }, negated)
    const left = withoutConversion(this.#formulaOf(written) ?? written)
    const value = constantOf(left)
    if (value !== undefined) return compareConstants(op, value, constant) !== negated
    if (left.kind === 'call' && left.name === 'if' && left.args.length === 3)
      return this.#branches(left.args[0]!, (branch) =>
        this.#comparison({ kind: 'compare', op, left: left.args[branch ? 1 : 2]!, right }, negated),
      )
    if (isBoolean(left)) {
      // The text of a truth value is `true` or `false`, its number is 1 or 0.
      const isTrue = TRUTHS.get(constant)
      if (isTrue === undefined || (op !== '=' && op !== '!=')) return undefined
      return this.convert(left, negated !== (isTrue === (op === '!=')))
    }
    if (typeof constant === 'boolean') return undefined
    if (left.kind === 'call') return this.#measure(left, op, constant, negated)
    const question = left.kind === 'question' ? this.#find(left.name) : undefined
    if (question?.answer === 'single' || question?.answer === 'multiple') {
      if (op === '=' || op === '!=') return this.#choiceRules(question, (op === '=') !== negated, constant)
      return question.answer === 'single' ? choicesMatching(question, op, Number(constant), negated) : undefined
    }
    return question && rulesOf(question, op, constant, negated)
  }

  /** Converts a comparison of two answers. The value of a question without an answer is the empty text. */
  #pair(op: Comparison, written: Expression, other: Expression, negated: boolean): Result | undefined {
    const [one, two] = [written, other].map((side) => {
      const inner = withoutConversion(side)
      return inner.kind === 'question' ? this.#find(inner.name) : undefined
    })
    if (!one || !two || one.answer !== two.answer || !['number', 'time', 'text'].includes(one.answer)) return undefined
    const rule = (operator: Rule['op']): Rule => ({ question: one.key, op: operator, answer: two.key })
    const blank = ({ key }: Referable): Rule => ({ question: key, op: 'unanswered' })
    const given = ({ key }: Referable): Rule => ({ question: key, op: 'answered' })
    if (op === '=' || op === '!=')
      return (op === '=') === negated
        ? { all: [rule('ne'), { any: [given(one), given(two)] }] }
        : { any: [rule('eq'), { all: [blank(one), blank(two)] }] }
    if (one.answer === 'text') return undefined
    const strict = op.startsWith('<') !== negated ? rule('lt') : rule('gt')
    const includesEqual = op.endsWith('=') !== negated
    return join('any', [strict, ...(includesEqual ? [rule('eq')] : []), ...(negated ? [blank(one), blank(two)] : [])])
  }

  /** Returns the positions of the choices with a name. A name that the list does not have is never selected. */
  #positionsOf({ positions }: Referable, name: string | number): readonly number[] {
    const named = positions.get(String(name).trim()) ?? []
    if (named.length === 0) this.hasUnknownChoice = true
    return named
  }

  #choiceRules(question: Referable, isEqual: boolean, name: string | number): Result | undefined {
    const { key, answer } = question
    if (name === '') return { question: key, op: isEqual ? 'unanswered' : 'answered' }
    return join(
      isEqual ? 'any' : 'all',
      this.#positionsOf(question, name).map((position) => ({
        question: key,
        op: isEqual ? 'eq' : 'ne',
        value: answer === 'single' ? position : [position],
      })),
    )
  }

  /** Converts a comparison of a number of choices or characters, such as `string-length(${name}) > 0`. */
  #measure(
    { name, args }: Extract<Expression, { kind: 'call' }>,
    op: Comparison,
    value: string | number,
    negated: boolean,
  ): Result | undefined {
    const [first] = args
    if (!['count-selected', 'string-length'].includes(name) || args.length !== 1 || first?.kind !== 'question')
      return undefined
    const question = this.#find(first.name)
    const limit = Number(value)
    if (!question || question.formula || !Number.isInteger(limit)) return undefined
    const atLeast = (count: number, isNegated = false): Result | undefined =>
      atLeastSelected(question, name === 'count-selected', count, isNegated)
    switch (op) {
      case '>':
        return atLeast(limit + 1, negated)
      case '>=':
        return atLeast(limit, negated)
      case '<':
        return atLeast(limit, !negated)
      case '<=':
        return atLeast(limit + 1, !negated)
      default: {
        const isEqual = (op === '=') !== negated
        return join(isEqual ? 'all' : 'any', [atLeast(limit, !isEqual), atLeast(limit + 1, isEqual)])
      }
    }
  }
}

const TRUTHS: ReadonlyMap<unknown, boolean> = new Map<unknown, boolean>([
  [true, true],
  ['true', true],
  [1, true],
  [false, false],
  ['false', false],
  [0, false],
])

/** Reports whether the result of an expression is a truth value. */
function isBoolean(expression: Expression): boolean {
  const { kind } = expression
  if (kind === 'and' || kind === 'or' || kind === 'compare') return true
  if (kind !== 'call') return false
  return (
    ['true', 'false', 'not', 'selected', 'boolean'].includes(expression.name) ||
    (expression.name === 'if' && expression.args.length === 3 && expression.args.slice(1).every(isBoolean))
  )
}

/** Returns the argument of `number(…)` and `string(…)`, which change nothing about an answer that is compared. */
function withoutConversion(expression: Expression): Expression {
  if (expression.kind !== 'call' || !['number', 'string'].includes(expression.name)) return expression
  return expression.args.length === 1 && expression.args[0]!.kind === 'question' ? expression.args[0]! : expression
}

/** Returns the value of a literal, of `true()` or `false()`, or of `date('2026-01-31')`. */
function constantOf(expression: Expression): string | number | boolean | undefined {
  if (expression.kind === 'literal') return expression.value
  if (expression.kind !== 'call') return undefined
  const { name, args } = expression
  if (args.length === 0 && (name === 'true' || name === 'false')) return name === 'true'
  const isConversion = args.length === 1 && ['date', 'date-time', 'number', 'string', 'int'].includes(name)
  return isConversion && args[0]!.kind === 'literal' ? args[0]!.value : undefined
}

/** Compares two constants as XPath does: `=` compares numbers if one side is a number, otherwise texts. */
function compareConstants(op: Comparison, left: string | number | boolean, right: string | number | boolean): boolean {
  const [a, b] = [left, right].map((value) => (value === '' ? Number.NaN : Number(value))) as [number, number]
  switch (op) {
    case '=':
    case '!=': {
      const isNumeric = typeof left === 'number' || typeof right === 'number'
      return (isNumeric ? a === b : String(left) === String(right)) === (op === '=')
    }
    case '<':
      return a < b
    case '<=':
      return a <= b
    case '>':
      return a > b
    case '>=':
      return a >= b
  }
}

/**
 * Returns the condition that at least `count` choices are selected, or that the text has at least `count` characters. A
 * number of choices above one is tested by all combinations of so many choices.
 */
function atLeastSelected(
  { key, answer, positions }: Referable,
  isCount: boolean,
  count: number,
  negated: boolean,
): Result | undefined {
  if (count <= 0) return !negated
  if (count === 1) return { question: key, op: negated ? 'unanswered' : 'answered' }
  if (!isCount) return undefined
  const all = [...positions.values()].flat()
  if (answer === 'single' || count > all.length) return negated
  if (answer !== 'multiple') return undefined
  const combinations = combinationsOf(all, count)
  return (
    combinations &&
    join(
      negated ? 'all' : 'any',
      combinations.map((values) =>
        join(
          negated ? 'any' : 'all',
          values.map((value) => ({ question: key, op: negated ? 'not_contains' : 'contains', value })),
        ),
      ),
    )
  )
}

/** Returns all combinations of a number of items; undefined if they need too many rules. */
function combinationsOf(items: readonly number[], size: number): number[][] | undefined {
  let combinations: number[][] = [[]]
  for (let step = 0; step < size; step++) {
    combinations = combinations.flatMap((chosen) =>
      items.filter((item) => chosen.length === 0 || item > chosen.at(-1)!).map((item) => [...chosen, item]),
    )
    if (combinations.length > MAX_REPLACING_RULES * 4) return undefined
  }
  return combinations.length * size > MAX_REPLACING_RULES ? undefined : combinations
}

function rulesOf(question: Referable, op: Comparison, value: string | number, negated: boolean): Result | undefined {
  const { key, answer } = question
  const rule = (operator: Rule['op'], compared?: Rule['value']): Rule => ({
    question: key,
    op: operator,
    ...(compared !== undefined && { value: compared }),
  })
  const isEquality = op === '=' || op === '!='
  const isEqual = (op === '=') !== negated
  if (answer === 'formula') return undefined
  if (value === '') return isEquality ? rule(isEqual ? 'unanswered' : 'answered') : undefined
  switch (answer) {
    case 'ranking':
      return undefined
    default: {
      if (String(value).length > 200) return undefined
      const isNumeric = answer === 'number' && !Number.isNaN(Number(value))
      if (isEquality) return rule(isEqual ? 'eq' : 'ne', isNumeric ? Number(value) : value)
      if (answer === 'text' || (answer === 'number' && Number.isNaN(Number(value)))) return undefined
      const strict = op.startsWith('<') !== negated ? rule('lt', value) : rule('gt', value)
      const includesEqual = op.endsWith('=') !== negated
      const parts = [strict, ...(includesEqual ? [rule('eq', value)] : []), ...(negated ? [rule('unanswered')] : [])]
      return join('any', parts)
    }
  }
}

/** Converts a comparison (such as `>`) with choices whose names are numbers, such as a scale from 1 to 5. */
function choicesMatching(
  { key, positions }: Referable,
  op: Comparison,
  limit: number,
  negated: boolean,
): Result | undefined {
  const names = [...positions].flatMap(([name, list]) => list.map((position) => ({ number: Number(name), position })))
  if (Number.isNaN(limit) || names.some(({ number }) => Number.isNaN(number))) return undefined
  const holds = (number: number) =>
    op === '<' ? number < limit : op === '<=' ? number <= limit : op === '>' ? number > limit : number >= limit
  const matching = names.filter(({ number }) => holds(number) !== negated)
  if (matching.length > MAX_REPLACING_RULES) return undefined
  const rules = matching.map(({ position }): Rule => ({ question: key, op: 'eq', value: position }))
  return join('any', negated ? [...rules, { question: key, op: 'unanswered' }] : rules)
}
