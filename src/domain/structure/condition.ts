import { containsText } from '../../lib/strings.ts'
import {
  AnswerCache,
  type ComparedAnswer,
  evaluationWork,
  fieldsOf,
  foldedText,
  numberOf,
  type Subject,
  subjectOf,
} from './answer-cache.ts'
import { isList } from './answered.ts'
import { choiceIndex, indexOfCode, parseBoolean } from './choices.ts'
import { searchedCharacters } from './cost.ts'
import { instantOf } from './datetime.ts'
import type { Answers, Condition, Field, Questionnaire, Rule, RuleOperator } from './questionnaire.ts'

/**
 * Reports whether a condition or a rule is true. An empty `all` is true, an empty `any` is false. If the question is
 * not answered, only rules with `unanswered`, `ne` and `not_contains` are true.
 * @param cache what was read from the same answers before
 */
export function holds(
  condition: Condition | Rule,
  q: Questionnaire,
  answers: Answers,
  cache: AnswerCache = new AnswerCache(),
): boolean {
  if ('all' in condition) return condition.all.every((part) => holds(part, q, answers, cache))
  if ('any' in condition) return condition.any.some((part) => holds(part, q, answers, cache))
  const { subject, matches, pair, isNegated } = preparedRule(condition, q)
  if (!matches) return false
  const compared = subject ? cache.compared(subject, answers) : []
  if (pair) {
    const others = cache.compared(pair.subject, answers)
    evaluationWork.comparisons += compared.length * others.length
    return compared.some((one) => others.some((other) => pair.matches(one, other))) !== isNegated
  }
  evaluationWork.comparisons += compared.length
  return compared.some(matches) !== isNegated
}

/** A rule whose question was looked up, and whose value was converted. */
interface PreparedRule {
  /** Undefined if the survey has no such question. */
  subject: Subject | undefined
  /** Undefined for an unknown operator: the rule is never true. */
  matches: ((answer: ComparedAnswer) => boolean) | undefined
  /** The other question whose answer the rule compares. */
  pair?: { subject: Subject; matches: PairMatcher }
  /** Whether the rule is true if no answer matches. */
  isNegated: boolean
}

/** Returns whether a rule is true if the question is not answered. */
export const isNegated = ({ op }: Rule): boolean => ['unanswered', 'ne', 'not_contains'].includes(op)

const preparedRules = new WeakMap<Questionnaire, WeakMap<Rule, PreparedRule>>()

function preparedRule(rule: Rule, q: Questionnaire): PreparedRule {
  let rules = preparedRules.get(q)
  if (!rules) {
    rules = new WeakMap()
    preparedRules.set(q, rules)
  }
  let prepared = rules.get(rule)
  if (!prepared) {
    prepared = prepareRule(rule, q)
    rules.set(rule, prepared)
  }
  return prepared
}

function prepareRule(rule: Rule, q: Questionnaire): PreparedRule {
  const subject = subjectOf(rule.question, q)
  const [field] = subject ? fieldsOf(subject) : []
  const other = rule.answer === undefined ? undefined : subjectOf(rule.answer, q)
  if (rule.answer !== undefined) {
    const pair = field && other && pairMatcherOf(rule.op, field)
    return {
      subject,
      matches: () => false,
      ...(pair && { pair: { subject: other, matches: pair } }),
      isNegated: isNegated(rule),
    }
  }
  const expected = field && valueIn(rule, field)
  return { subject, matches: field ? matcherOf(rule.op, expected, field, q) : () => false, isNegated: isNegated(rule) }
}

type PairMatcher = (one: ComparedAnswer, other: ComparedAnswer) => boolean

/**
 * Returns the function that compares the answers to two questions of comparable types (check-condition.ts). Texts are
 * compared as with a value: ignoring case, and by `lt` and `gt` only if both are numbers.
 */
function pairMatcherOf(op: RuleOperator, { type }: Field): PairMatcher | undefined {
  switch (op) {
    case 'eq':
    case 'ne':
      if (TEXT_TYPES.has(type)) return (one, other) => foldedText(one) === foldedText(other)
      if (type === 'boolean') return (one, other) => one.value === other.value
      return (one, other) => one.number - other.number === 0
    case 'lt':
      return (one, other) => one.number - other.number < 0
    case 'gt':
      return (one, other) => one.number - other.number > 0
    default:
      return undefined
  }
}

/** Returns the names of the questions that a rule compares. */
export const namesOf = ({ question, answer }: Rule): readonly string[] =>
  answer === undefined ? [question] : [question, answer]

/** Returns the value with which a rule compares answers: its value, or the choices that have its codes. */
export function valueIn({ value, code }: Rule, field: Field): unknown {
  if (code === undefined || code === null) return value
  const choices = [code].flat().map((one) => indexOfCode(field, String(one)))
  if (Array.isArray(code)) return choices
  return field.type === 'boolean' && choices[0] !== undefined ? choices[0] === 0 : choices[0]
}

/**
 * Returns the function that compares an answer with the value of a rule.
 * @param field a field of the question; all fields that a rule compares have the same type and the same choices
 */
function matcherOf(op: RuleOperator, expected: unknown, field: Field, q: Questionnaire): PreparedRule['matches'] {
  switch (op) {
    case 'answered':
    case 'unanswered':
      return () => true
    case 'eq':
    case 'ne':
      return equalTo(expected, field)
    case 'contains':
    case 'not_contains':
      return containing(expected, field, searchedCharacters(q))
    case 'lt': {
      const limit = limitOf(expected, field)
      return ({ number }) => number - limit < 0
    }
    case 'gt': {
      const limit = limitOf(expected, field)
      return ({ number }) => number - limit > 0
    }
    default:
      return undefined
  }
}

/** Returns the number with which answers are compared; NaN if there is none. */
function limitOf(expected: unknown, field: Field): number {
  if (field.type === 'datetime') return instantOf(String(expected))
  return field.choices.length > 0 ? (choiceIndex(field, expected) ?? numberOf(expected)) : numberOf(expected)
}

/** Types of fields whose answers are compared as texts, never as numbers: `007` is not `7`. */
export const TEXT_TYPES: ReadonlySet<Field['type']> = new Set(['string', 'other', 'hidden'])

function equalTo(expected: unknown, field: Field): (answer: ComparedAnswer) => boolean {
  const boolean = parseBoolean(field, expected)
  const list = (Array.isArray(expected) ? expected : [expected]).map((item) => choiceIndex(field, item))
  const set = new Set(list)
  const choice = field.choices.length > 0 ? choiceIndex(field, expected) : undefined
  const text = String(expected)
  const folded = text.toLowerCase()
  const isTextField = TEXT_TYPES.has(field.type)
  const limit = limitOf(expected, field)
  return (answer) => {
    const { value, number } = answer
    if (typeof value === 'boolean') return boolean === value
    if (isList(value)) {
      if (list.length !== value.length) return false
      if (field.type === 'ranking') return value.every((index, position) => list[position] === index)
      return value.every((index) => set.has(index))
    }
    if (field.choices.length > 0) return choice === value
    if (isTextField) return foldedText(answer) === folded
    return String(value) === text || number - limit === 0
  }
}

/** @param maxCharacters maximum number of characters of an answer that are searched; the rest is ignored */
function containing(expected: unknown, field: Field, maxCharacters: number): (answer: ComparedAnswer) => boolean {
  const choice = choiceIndex(field, expected)
  const term = expected == null ? '' : String(expected).toLowerCase().slice(0, maxCharacters)
  const isEqual = equalTo(expected, field)
  return (answer) => {
    const { value } = answer
    if (isList(value)) return choice !== undefined && value.includes(choice)
    if (typeof value === 'string') return term !== '' && containsText(foldedText(answer).slice(0, maxCharacters), term)
    return isEqual(answer)
  }
}
