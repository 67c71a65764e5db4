import { MAX_EXPRESSION_CHARACTERS, parseExpression } from '../expression.ts'
import type { Find } from './condition.ts'
import type { Expression } from './expression.ts'

/** The value of a calculation without an answer, such as `if(${age} > 17, ${age}, '')`: a division by zero has none. */
const NOTHING = '(1 / 0)'
const MAX_POWER = 4
/** Maximum number of references in an expression, those of inserted formulas included. */
const MAX_LOOKUPS = 500

/**
 * Converts an expression of XPath to the expression of a calculation with the same result. An answer that is missing
 * makes a number missing, and a comparison false, in both.
 * @returns undefined if there is no such expression, for example because its result is a text
 */
export function calculationOf(expression: Expression, find: Find): string | undefined {
  let remaining = MAX_LOOKUPS
  const text = numberOf(expression, (name) => (--remaining < 0 ? undefined : find(name)))
  if (text === undefined || text.length > MAX_EXPRESSION_CHARACTERS) return undefined
  try {
    parseExpression(text)
    return text
  } catch {
    return undefined
  }
}

/** Writes a number without an exponent. */
function literal(value: number): string | undefined {
  if (!Number.isFinite(value) || Math.abs(value) >= 1e15) return undefined
  const text = String(Math.abs(value))
  return text.includes('e') ? undefined : value < 0 ? `(-${text})` : text
}

/** Returns a part of an expression if it is short enough for an expression. */
const short = (text: string | undefined): string | undefined =>
  text !== undefined && text.length <= MAX_EXPRESSION_CHARACTERS ? text : undefined

const numberOf = (expression: Expression, find: Find): string | undefined => short(numberText(expression, find))

function numberText(expression: Expression, find: Find): string | undefined {
  switch (expression.kind) {
    case 'literal':
      if (expression.value === '') return NOTHING
      return literal(Number(expression.value))
    case 'question': {
      const question = find(expression.name)
      const isNumber = question?.answer === 'number' || question?.answer === 'text' || question?.isScored
      if (question?.formula) return numberOf(question.formula, find)
      return isNumber ? `{{ ${question.key} }}` : undefined
    }
    case 'negative': {
      const of = numberOf(expression.of, find)
      return of && `(-${of})`
    }
    case 'binary': {
      const [left, right] = [numberOf(expression.left, find), numberOf(expression.right, find)]
      if (left === undefined || right === undefined || expression.op === 'mod') return undefined
      return `(${left} ${expression.op === 'div' ? '/' : expression.op} ${right})`
    }
    case 'call':
      return callOf(expression, find)
    default:
      return truthOf(expression, find)
  }
}

function callOf({ name, args }: Extract<Expression, { kind: 'call' }>, find: Find): string | undefined {
  const [first, second, third] = args
  if (!first) return name === 'true' ? '1' : name === 'false' ? '0' : undefined
  const number = numberOf(first, find)
  switch (name) {
    case 'number':
      return args.length === 1 ? number : undefined
    case 'abs':
      return args.length === 1 && number ? `abs(${number})` : undefined
    case 'round': {
      if (!second) return number && `round(${number})`
      const places = second.kind === 'literal' ? Number(second.value) : Number.NaN
      if (!number || !Number.isInteger(places) || places < 0 || places > 10) return undefined
      return `(round(${number} * ${10 ** places}) / ${10 ** places})`
    }
    case 'pow': {
      const power = second?.kind === 'literal' ? Number(second.value) : Number.NaN
      if (!number || !Number.isInteger(power) || power < 1 || power > MAX_POWER) return undefined
      return `(${Array.from({ length: power }, () => number).join(' * ')})`
    }
    case 'coalesce': {
      const other = second && args.length === 2 ? numberOf(second, find) : undefined
      return number && other && `if(count(${number}), ${number}, ${other})`
    }
    case 'if': {
      if (!second || !third || args.length > 3) return undefined
      const [test, yes, no] = [truthOf(first, find), numberOf(second, find), numberOf(third, find)]
      return test && yes && no && `if(${test}, ${yes}, ${no})`
    }
    default:
      return truthOf({ kind: 'call', name, args }, find)
  }
}

/** Converts a test to an expression that is 1 if the test is true, and 0 or missing if it is not. */
const truthOf = (expression: Expression, find: Find): string | undefined => short(truthText(expression, find))

function truthText(expression: Expression, find: Find): string | undefined {
  switch (expression.kind) {
    case 'and':
    case 'or': {
      const parts = expression.parts.map((part) => truthOf(part, find))
      if (parts.includes(undefined)) return undefined
      return expression.kind === 'and' ? `(${parts.join(' * ')})` : `max(${parts.join(', ')})`
    }
    case 'compare':
      return comparisonOf(expression, find)
    case 'call': {
      const { name, args } = expression
      const [first, second] = args
      if (!first) return name === 'true' ? '1' : name === 'false' ? '0' : undefined
      if (name === 'not' && !second) {
        const of = truthOf(first, find)
        return of && `if(${of}, 0, 1)`
      }
      if (name === 'selected' && first.kind === 'question' && second?.kind === 'literal')
        return comparisonOf({ kind: 'compare', op: '=', left: first, right: second }, find)
      return undefined
    }
    case 'question': {
      const formula = find(expression.name)?.formula
      return formula && truthOf(formula, find)
    }
    default:
      return undefined
  }
}

function comparisonOf({ op, left, right }: Extract<Expression, { kind: 'compare' }>, find: Find): string | undefined {
  if (left.kind === 'literal' && right.kind !== 'literal' && (op === '=' || op === '!='))
    return comparisonOf({ kind: 'compare', op, left: right, right: left }, find)
  const isEquality = op === '=' || op === '!='
  const withSign = (equal: string | undefined) => (op === '!=' && equal ? `if(${equal}, 0, 1)` : equal)
  if (isEquality && left.kind === 'question' && right.kind === 'literal') {
    const question = find(left.name)
    if (right.value === '') {
      if (question?.answer !== 'number' && question?.answer !== 'single') return undefined
      return withSign(`(count({{ ${question.key} }}) = 0)`)
    }
    if (question?.answer === 'single') return withSign(chosen(left.name, String(right.value), find))
    if (question?.answer === 'text' && typeof right.value === 'string') return undefined
  }
  const [a, b] = [numberOf(left, find), numberOf(right, find)]
  if (a === undefined || b === undefined) return undefined
  return isEquality ? withSign(`(${a} = ${b})`) : `(${a} ${op} ${b})`
}

/** Converts the test whether a choice is selected. The choices of a list without numeric names score 1, 2, 3 … */
function chosen(name: string, choice: string, find: Find): string | undefined {
  const question = find(name)
  if (question?.answer !== 'single') return undefined
  const positions = question.positions.get(choice.trim()) ?? []
  if (positions.length === 0) return '0'
  if (question.isScored) return `({{ ${question.key} }} = ${literal(Number(choice))})`
  const tests = positions.map((position) => `({{ ${question.key} }} = ${position + 1})`)
  return tests.length === 1 ? tests[0] : `max(${tests.join(', ')})`
}
