import { detail, type ErrorDetail } from '../error-details.ts'
import { isPresent } from './check-member.ts'
import { fieldCountOf, type StructureCost } from './cost.ts'
import type { FieldErrors } from './field-errors.ts'
import { shapeOf } from './kinds.ts'
import { additionalKeys, type QuestionOutline } from './outline.ts'
import type { RuleOperator } from './questionnaire.ts'
import { arrayOf, isRecord, type Json, under } from './walk.ts'

/** The operators of a rule. */
export const operators: readonly RuleOperator[] = [
  'eq',
  'ne',
  'lt',
  'gt',
  'contains',
  'not_contains',
  'answered',
  'unanswered',
]

/** Maximum length of the text value of a rule. */
export const MAX_RULE_VALUE_CHARACTERS = 200
/** Maximum number of values of a rule. */
export const MAX_RULE_VALUES = 1000

/** Questions by every name that a rule can use: id, identifier and response key. */
export type QuestionsByName = ReadonlyMap<string, QuestionOutline>

export function indexByName(questions: readonly QuestionOutline[]): QuestionsByName {
  const names = new Map<string, QuestionOutline>()
  const add = (name: string, question: QuestionOutline) => names.has(name) || names.set(name, question)
  for (const question of questions) {
    if (question.id !== undefined)
      for (const key of [question.id, ...additionalKeys(question, question.id)]) add(key, question)
  }
  for (const question of questions) if (question.identifier) add(question.identifier, question)
  return names
}

/** The questions to which a condition can refer: those that are answered before the condition is evaluated. */
export interface ConditionContext {
  questionsByName: QuestionsByName
  cost: StructureCost
  isReachable: (question: QuestionOutline) => boolean
  /** Replaces the default text of the error for a rule that refers to a question which is answered later. */
  unreachable: ErrorDetail | undefined
}

/** Checks a condition. It combines rules and other conditions with `all` or `any`, or is a single rule. */
export function checkCondition(errors: FieldErrors, pointer: string, value: unknown, context: ConditionContext): void {
  if (!isRecord(value)) {
    errors.addType(pointer, 'type_condition')
    return
  }
  if ('question' in value || 'op' in value) {
    checkRule(errors, pointer, value, context)
    return
  }
  const [member, ...others] = ['all', 'any'].filter((name) => Object.hasOwn(value, name))
  if (member === undefined || others.length > 0) {
    errors.add(pointer, 'invalid_structure', {}, detail('all_or_any'))
    return
  }
  const membersPointer = under(pointer, member)
  const parts = value[member]
  if (!Array.isArray(parts)) {
    errors.addType(membersPointer, 'type_rules')
    return
  }
  for (const [index, part] of parts.entries()) checkCondition(errors, under(membersPointer, index), part, context)
}

/**
 * Checks the name of the question to which a rule or a filter refers.
 * @returns the question, if the survey has it
 */
export function checkSubject(
  errors: FieldErrors,
  pointer: string,
  name: unknown,
  { questionsByName, isReachable, unreachable }: ConditionContext,
): QuestionOutline | undefined {
  const question = typeof name === 'string' ? questionsByName.get(name) : undefined
  if (typeof name !== 'string') errors.addType(pointer, 'type_question_name')
  else if (!question) errors.add(pointer, 'unknown_question', { value: name.slice(0, 60).toWellFormed() })
  else if (!shapeOf(question.kind)?.fieldType)
    errors.add(pointer, 'not_answerable', {}, detail('not_answerable_question'))
  else if (!isReachable(question)) errors.add(pointer, 'out_of_reach', {}, unreachable)
  return question
}

function checkRule(errors: FieldErrors, pointer: string, rule: Json, context: ConditionContext): void {
  const question = checkSubject(errors, under(pointer, 'question'), rule.question, context)
  const op = operators.find((operator) => operator === rule.op)
  const fields = question ? fieldCountOf(question, String(rule.question)) : 1
  context.cost.addRule(pointer, op, fields, arrayOf(rule.value).length)
  if (!op) {
    errors.add(under(pointer, 'op'), 'invalid_value', {}, detail('one_of', { values: operators.join(', ') }))
    return
  }
  if (op === 'answered' || op === 'unanswered') return
  if (!isComparable(rule.value)) errors.addType(under(pointer, 'value'), 'type_rule_value')
  else checkLength(errors, under(pointer, 'value'), rule.value)
}

function checkLength(errors: FieldErrors, pointer: string, value: unknown): void {
  if (Array.isArray(value) && value.length > MAX_RULE_VALUES) errors.add(pointer, 'too_many', { max: MAX_RULE_VALUES })
  else if ([value].flat().some((text) => typeof text === 'string' && text.length > MAX_RULE_VALUE_CHARACTERS))
    errors.add(pointer, 'too_long', { max: MAX_RULE_VALUE_CHARACTERS })
}

const isScalar = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value)

const isComparable = (value: unknown) =>
  isPresent(value) && (Array.isArray(value) ? value.every(isScalar) : isScalar(value))
