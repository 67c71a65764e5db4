import { isGiven } from './check-member.ts'
import type { FieldErrors } from './field-errors.ts'
import { shapeOf } from './kinds.ts'
import { furtherKeys, type Outlined } from './outline.ts'
import type { RuleOperator } from './questionnaire.ts'
import { isRecord, type Json, under } from './walk.ts'

/** How a rule may compare. */
export const operators: readonly RuleOperator[] = ['eq', 'ne', 'lt', 'gt', 'contains', 'answered', 'unanswered']

/** The longest text that a rule compares with, in characters. */
export const MAX_RULE_VALUE_CHARACTERS = 200
/** The most values that a rule compares with. */
export const MAX_RULE_VALUES = 1000

/** Questions by every name a rule may use: id, identifier, response key. */
export type Names = ReadonlyMap<string, Outlined>

export function namesOf(questions: readonly Outlined[]): Names {
  const names = new Map<string, Outlined>()
  const add = (name: string, question: Outlined) => names.has(name) || names.set(name, question)
  for (const question of questions) {
    if (question.id !== undefined)
      for (const key of [question.id, ...furtherKeys(question, question.id)]) add(key, question)
  }
  for (const question of questions) if (question.identifier) add(question.identifier, question)
  return names
}

/** The rules of a structure met so far. */
export interface RuleCount {
  count: number
  /** Those that search a text. */
  searches: number
}

/** The most rules of one structure: all are evaluated each time that a page is sent. */
const MAX_RULES = 10_000
/** The most of them that search a text, which takes longer than to compare it. */
const MAX_SEARCHES = 1000

/** What a condition may ask about: answers given before it is decided. `what` names the rest in the refusal. */
export interface Reach {
  names: Names
  rules: RuleCount
  earlier: (question: Outlined) => boolean
  what: string
}

/** A condition (`all` or `any` of rules and conditions), or one rule standing for itself. */
export function checkCondition(errors: FieldErrors, pointer: string, value: unknown, reach: Reach): void {
  if (!isRecord(value)) {
    errors.add(pointer, 'must be an object with all or any')
    return
  }
  if ('question' in value || 'op' in value) {
    checkRule(errors, pointer, value, reach)
    return
  }
  const members = ['all', 'any'].filter((member) => Object.hasOwn(value, member))
  if (members.length !== 1) {
    errors.add(pointer, 'must have either all or any')
    return
  }
  const place = under(pointer, members[0]!)
  const parts = value[members[0]!]
  if (!Array.isArray(parts)) {
    errors.add(place, 'must be an array of rules')
    return
  }
  for (const [index, part] of parts.entries()) checkCondition(errors, under(place, index), part, reach)
}

function checkRule(errors: FieldErrors, pointer: string, rule: Json, { names, rules, earlier, what }: Reach): void {
  rules.count++
  if (rules.count === MAX_RULES + 1) errors.add(pointer, `is one rule more than the ${MAX_RULES} of a structure`)
  const question = typeof rule.question === 'string' ? names.get(rule.question) : undefined
  const place = under(pointer, 'question')
  if (typeof rule.question !== 'string') errors.add(place, 'must be the id or identifier of a question')
  else if (!question)
    errors.add(place, `there is no question ${JSON.stringify(rule.question.slice(0, 60)).toWellFormed()}`)
  else if (!shapeOf(question.kind)?.field) errors.add(place, 'is a question that takes no answer')
  else if (!earlier(question)) errors.add(place, what)

  const op = operators.find((known) => known === rule.op)
  if (!op) {
    errors.add(under(pointer, 'op'), `must be one of ${operators.join(', ')}`)
    return
  }
  if (op === 'contains') rules.searches++
  if (op === 'contains' && rules.searches === MAX_SEARCHES + 1)
    errors.add(pointer, `is one “contains” more than the ${MAX_SEARCHES} of a structure`)
  if (op === 'answered' || op === 'unanswered') return
  if (!isComparable(rule.value))
    errors.add(under(pointer, 'value'), 'must be a string, a number, true or false, or an array of them')
  else checkLength(errors, under(pointer, 'value'), rule.value)
}

function checkLength(errors: FieldErrors, pointer: string, value: unknown): void {
  if (Array.isArray(value) && value.length > MAX_RULE_VALUES)
    errors.add(pointer, `must not hold more than ${MAX_RULE_VALUES} values`)
  else if ([value].flat().some((one) => typeof one === 'string' && one.length > MAX_RULE_VALUE_CHARACTERS))
    errors.add(pointer, `must not be longer than ${MAX_RULE_VALUE_CHARACTERS} characters`)
}

const isPlain = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value)

const isComparable = (value: unknown) =>
  isGiven(value) && (Array.isArray(value) ? value.every(isPlain) : isPlain(value))
