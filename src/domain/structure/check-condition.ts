import { isGiven } from './check-member.ts'
import type { FieldErrors } from './field-errors.ts'
import { shapeOf } from './kinds.ts'
import { furtherKeys, type Outlined } from './outline.ts'
import type { RuleOperator } from './questionnaire.ts'
import { isRecord, type Json, under } from './walk.ts'

/** The operators of a rule. */
export const operators: readonly RuleOperator[] = ['eq', 'ne', 'lt', 'gt', 'contains', 'answered', 'unanswered']

/** Maximum length of the text value of a rule. */
export const MAX_RULE_VALUE_CHARACTERS = 200
/** Maximum number of values of a rule. */
export const MAX_RULE_VALUES = 1000

/** Questions by every name that a rule can use: id, identifier, response key. */
export type Names = ReadonlyMap<string, Outlined>

/** Returns questions by id, identifier and response key. */
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

/** The number of rules of a structure. */
export interface RuleCount {
  count: number
  /** Rules that search a text. */
  searches: number
}

/** Limit because every rule is evaluated each time a page is submitted. */
const MAX_RULES = 10_000
/** Lower limit because searching a text takes longer than comparing it. */
const MAX_SEARCHES = 1000

/** The questions that a condition can refer to: those answered before it is evaluated. */
export interface Reach {
  names: Names
  rules: RuleCount
  earlier: (question: Outlined) => boolean
  /** The message for a question that is answered later. */
  unreachable: string
}

/** Checks a condition: `all` or `any` of rules and conditions, or a single rule. */
export function checkCondition(errors: FieldErrors, pointer: string, value: unknown, reach: Reach): void {
  if (!isRecord(value)) {
    errors.add(pointer, 'invalid_type', { type: 'an object with all or any' })
    return
  }
  if ('question' in value || 'op' in value) {
    checkRule(errors, pointer, value, reach)
    return
  }
  const members = ['all', 'any'].filter((member) => Object.hasOwn(value, member))
  if (members.length !== 1) {
    errors.add(pointer, 'invalid_structure', {}, 'must have either all or any')
    return
  }
  const place = under(pointer, members[0]!)
  const parts = value[members[0]!]
  if (!Array.isArray(parts)) {
    errors.add(place, 'invalid_type', { type: 'an array of rules' })
    return
  }
  for (const [index, part] of parts.entries()) checkCondition(errors, under(place, index), part, reach)
}

function checkRule(
  errors: FieldErrors,
  pointer: string,
  rule: Json,
  { names, rules, earlier, unreachable }: Reach,
): void {
  rules.count++
  if (rules.count === MAX_RULES + 1)
    errors.add(pointer, 'too_many', { max: MAX_RULES }, `exceeds the maximum of ${MAX_RULES} rules per structure`)
  const question = typeof rule.question === 'string' ? names.get(rule.question) : undefined
  const place = under(pointer, 'question')
  if (typeof rule.question !== 'string')
    errors.add(place, 'invalid_type', { type: 'the id or identifier of a question' })
  else if (!question) errors.add(place, 'unknown_question', { value: rule.question.slice(0, 60).toWellFormed() })
  else if (!shapeOf(question.kind)?.fieldType) errors.add(place, 'not_answerable')
  else if (!earlier(question)) errors.add(place, 'out_of_reach', {}, unreachable)

  const op = operators.find((known) => known === rule.op)
  if (!op) {
    errors.add(under(pointer, 'op'), 'invalid_value', {}, `must be one of ${operators.join(', ')}`)
    return
  }
  if (op === 'contains') rules.searches++
  if (op === 'contains' && rules.searches === MAX_SEARCHES + 1)
    errors.add(
      pointer,
      'too_many',
      { max: MAX_SEARCHES },
      `exceeds the maximum of ${MAX_SEARCHES} “contains” rules per structure`,
    )
  if (op === 'answered' || op === 'unanswered') return
  if (!isComparable(rule.value))
    errors.add(under(pointer, 'value'), 'invalid_type', {
      type: 'a string, a number, true or false, or an array of them',
    })
  else checkLength(errors, under(pointer, 'value'), rule.value)
}

function checkLength(errors: FieldErrors, pointer: string, value: unknown): void {
  if (Array.isArray(value) && value.length > MAX_RULE_VALUES) errors.add(pointer, 'too_many', { max: MAX_RULE_VALUES })
  else if ([value].flat().some((one) => typeof one === 'string' && one.length > MAX_RULE_VALUE_CHARACTERS))
    errors.add(pointer, 'too_long', { max: MAX_RULE_VALUE_CHARACTERS })
}

const isPlain = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value)

const isComparable = (value: unknown) =>
  isGiven(value) && (Array.isArray(value) ? value.every(isPlain) : isPlain(value))
