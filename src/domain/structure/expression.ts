import { detail, type ErrorDetail, messageOf } from '../error-details.ts'
import { roundDecimal } from './round.ts'
/** A parsed expression of a calculation. */
export type Expression =
  | { kind: 'number'; value: number }
  /** The value of an answer: its number, or the score of its choices. */
  | { kind: 'answer'; name: string }
  | { kind: 'negative'; of: Expression }
  | { kind: 'binary'; operator: Operator; left: Expression; right: Expression }
  | { kind: 'call'; name: FunctionName; args: readonly Expression[] }

type Operator = '+' | '-' | '*' | '/' | '=' | '!=' | '<' | '<=' | '>' | '>='

/** Maximum number of characters of an expression. */
export const MAX_EXPRESSION_CHARACTERS = 1000
const MAX_DEPTH = 32

/** The functions of expressions, with the number of their arguments. */
const functions = {
  round: { min: 1, max: 1 },
  abs: { min: 1, max: 1 },
  min: { min: 1, max: 100 },
  max: { min: 1, max: 100 },
  sum: { min: 1, max: 100 },
  mean: { min: 1, max: 100 },
  count: { min: 1, max: 100 },
  if: { min: 3, max: 3 },
} as const
type FunctionName = keyof typeof functions

/** The operators by precedence. Operators in later lists bind more tightly than those in earlier lists. */
const PRECEDENCE: readonly (readonly string[])[] = [
  ['=', '!=', '<', '<=', '>', '>='],
  ['+', '-'],
  ['*', '/'],
]

const TOKEN = /\s*(?:(\d{1,15}(?:\.\d{1,15})?)|\{\{([^{}]{1,255})\}\}|([a-z]+)|(<=|>=|!=|[-+*/(),<>=]))/y

/** The error of a text that is not a valid expression. */
export class ExpressionError extends Error {
  readonly detail: ErrorDetail

  constructor(detail: ErrorDetail) {
    super(messageOf(detail))
    this.detail = detail
  }
}

/** Splits a text into numbers, `{{ name }}`, names of functions, and operators. */
function tokensOf(text: string): RegExpExecArray[] {
  if (text.length > MAX_EXPRESSION_CHARACTERS)
    throw new ExpressionError(detail('max_characters', { max: MAX_EXPRESSION_CHARACTERS }))
  const tokens: RegExpExecArray[] = []
  const end = text.trimEnd().length
  let at = 0
  while (at < end) {
    TOKEN.lastIndex = at
    const token = TOKEN.exec(text)
    if (!token) throw new ExpressionError(detail('expression_text', { value: text.slice(at).trim().slice(0, 20) }))
    tokens.push(token)
    at = TOKEN.lastIndex
  }
  return tokens
}

/**
 * Parses an expression: numbers, answers as `{{ id }}`, `+ - * /`, comparisons, parentheses and functions.
 * @throws {ExpressionError}
 */
export function parseExpression(text: string): Expression {
  const tokens = tokensOf(text)
  let next = 0
  const peek = () => tokens[next]?.[4]
  const expect = (symbol: string) => {
    if (peek() !== symbol) throw misplaced('symbol', { symbol })
    next += 1
  }
  const misplaced = (what: 'operand' | 'operator' | 'symbol', values = {}) => {
    const value = tokens[next]?.[0].trim().slice(0, 20)
    return new ExpressionError(
      value === undefined
        ? detail(`expression_${what}_at_end`, values)
        : detail(`expression_${what}_before`, { ...values, value }),
    )
  }
  const parsed = binary(0, 0)
  if (next < tokens.length) throw misplaced('operator')
  return parsed

  function binary(level: number, depth: number): Expression {
    if (depth > MAX_DEPTH) throw new ExpressionError(detail('expression_depth', { max: MAX_DEPTH }))
    if (level === PRECEDENCE.length) return operand(depth)
    let left = binary(level + 1, depth)
    for (let symbol = peek(); symbol !== undefined && PRECEDENCE[level]!.includes(symbol); symbol = peek()) {
      next += 1
      left = { kind: 'binary', operator: symbol as Operator, left, right: binary(level + 1, depth) }
    }
    return left
  }

  function operand(depth: number): Expression {
    const [, number, name, call] = tokens[next] ?? []
    if (number !== undefined || name !== undefined) next += 1
    if (number !== undefined) return { kind: 'number', value: Number(number) }
    if (name !== undefined) return { kind: 'answer', name: name.trim() }
    if (call !== undefined) return functionCall(call, depth)
    if (peek() === '-') {
      next += 1
      return { kind: 'negative', of: binary(PRECEDENCE.length, depth + 1) }
    }
    if (peek() !== '(') throw misplaced('operand')
    next += 1
    const inner = binary(0, depth + 1)
    expect(')')
    return inner
  }

  function functionCall(name: string, depth: number): Expression {
    if (!Object.hasOwn(functions, name))
      throw new ExpressionError(
        detail('expression_function', { value: name, functions: Object.keys(functions).join(', ') }),
      )
    next += 1
    expect('(')
    const args = [binary(0, depth + 1)]
    while (peek() === ',') {
      next += 1
      args.push(binary(0, depth + 1))
    }
    expect(')')
    const { min, max } = functions[name as FunctionName]
    if (args.length < min || args.length > max)
      throw new ExpressionError(
        min === max
          ? detail('expression_values', { value: name, count: min })
          : detail('expression_values_range', { value: name, min, max }),
      )
    return { kind: 'call', name: name as FunctionName, args }
  }
}

/** Returns the operands of an expression: the name of each answer that it uses, and undefined for each number. */
export function operandsIn(expression: Expression): (string | undefined)[] {
  switch (expression.kind) {
    case 'number':
      return [undefined]
    case 'answer':
      return [expression.name]
    case 'negative':
      return operandsIn(expression.of)
    case 'binary':
      return [...operandsIn(expression.left), ...operandsIn(expression.right)]
    case 'call':
      return expression.args.flatMap(operandsIn)
  }
}

/**
 * Evaluates an expression.
 * @param numberFor returns the number of an answer; null if there is no answer
 * @returns null if an answer that the result needs is missing, or the expression divides by zero
 */
export function evaluate(expression: Expression, numberFor: (name: string) => number | null): number | null {
  const of = (part: Expression) => evaluate(part, numberFor)
  switch (expression.kind) {
    case 'number':
      return expression.value
    case 'answer':
      return numberFor(expression.name)
    case 'negative': {
      const value = of(expression.of)
      return value === null ? null : -value
    }
    case 'binary': {
      const [left, right] = [of(expression.left), of(expression.right)]
      return left === null || right === null ? null : calculate(expression.operator, left, right)
    }
    case 'call':
      if (expression.name !== 'if') return callFunction(expression.name, expression.args.map(of))
      return of(expression.args[of(expression.args[0]!) ? 1 : 2]!)
  }
}

function calculate(operator: Operator, left: number, right: number): number | null {
  switch (operator) {
    case '+':
      return left + right
    case '-':
      return left - right
    case '*':
      return left * right
    case '/':
      return right === 0 ? null : left / right
    case '=':
      return Number(left === right)
    case '!=':
      return Number(left !== right)
    case '<':
      return Number(left < right)
    case '<=':
      return Number(left <= right)
    case '>':
      return Number(left > right)
    case '>=':
      return Number(left >= right)
  }
}

/** Calls a function. Functions that accept several values, such as `sum`, ignore missing answers. */
function callFunction(name: Exclude<FunctionName, 'if'>, args: readonly (number | null)[]): number | null {
  const values = args.filter((value) => value !== null)
  if (name === 'count') return values.length
  if (values.length === 0) return null
  const sum = values.reduce((total, value) => total + value, 0)
  switch (name) {
    case 'round':
      return roundDecimal(values[0]!, 0)
    case 'abs':
      return Math.abs(values[0]!)
    case 'min':
      return Math.min(...values)
    case 'max':
      return Math.max(...values)
    case 'sum':
      return sum
    case 'mean':
      return sum / values.length
  }
}
