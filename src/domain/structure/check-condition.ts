import { typeOf } from '../../questions/index.ts'
import { detail, type ErrorDetail } from '../error-details.ts'
import type { Loops } from './check-loops.ts'
import { ambiguousCode, codedChoices } from './choices.ts'
import { fieldCountOf, type StructureCost } from './cost.ts'
import { additionalKeys, type QuestionOutline } from './outline.ts'
import type { Field, RuleOperator } from './questionnaire.ts'
import { authoredSetting, compileChoices } from './setting.ts'
import {
  arrayOf,
  type FieldErrors,
  isPresent,
  isRecord,
  type Json,
  MAX_CODE_CHARACTERS,
  recordsIn,
  under,
} from './walk.ts'

/** The operators of a rule. */
export const operators = [
  'eq',
  'ne',
  'lt',
  'gt',
  'contains',
  'not_contains',
  'answered',
  'unanswered',
] as const satisfies readonly RuleOperator[]

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
  loops: Loops
  /** The page with the condition; undefined for a quota. */
  page: number | undefined
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
  { questionsByName, isReachable, unreachable, loops, page }: ConditionContext,
): QuestionOutline | undefined {
  const question = typeof name === 'string' ? questionsByName.get(name) : undefined
  if (typeof name !== 'string') errors.addType(pointer, 'type_question_name')
  else if (!question) errors.add(pointer, 'unknown_question', { value: name.slice(0, 60).toWellFormed() })
  else if (!typeOf(question.kind)?.fieldType)
    errors.add(pointer, 'not_answerable', {}, detail('not_answerable_question'))
  else if (!isReachable(question)) errors.add(pointer, 'out_of_reach', {}, unreachable)
  else if (loops.isOutside(question, page)) errors.add(pointer, 'out_of_reach', {}, detail('loop_reference'))
  return question
}

function checkRule(errors: FieldErrors, pointer: string, rule: Json, context: ConditionContext): void {
  const question = checkSubject(errors, under(pointer, 'question'), rule.question, context)
  const op = operators.find((operator) => operator === rule.op)
  const other = isPresent(rule.answer)
    ? checkSubject(errors, under(pointer, 'answer'), rule.answer, context)
    : undefined
  const fields =
    (question ? fieldCountOf(question, String(rule.question)) : 1) *
    (other ? fieldCountOf(other, String(rule.answer)) : 1)
  context.cost.addRule(pointer, op, fields, Math.max(arrayOf(rule.value).length, arrayOf(rule.code).length))
  if (!op) {
    errors.add(under(pointer, 'op'), 'invalid_value', {}, detail('one_of', { values: operators.join(', ') }))
    return
  }
  if (op === 'answered' || op === 'unanswered') return
  if (isPresent(rule.answer)) checkPair(errors, pointer, rule, question, other)
  else if (isPresent(rule.code)) checkCodes(errors, pointer, rule, question)
  else if (!isComparable(rule.value)) errors.addType(under(pointer, 'value'), 'type_rule_value')
  else {
    checkLength(errors, under(pointer, 'value'), rule.value)
    if (question) checkReadings(errors, under(pointer, 'value'), rule.value, question)
  }
}

/** Checks that a rule compares two questions whose answers can be compared, and has no other value. */
function checkPair(
  errors: FieldErrors,
  pointer: string,
  rule: Json,
  question: QuestionOutline | undefined,
  other: QuestionOutline | undefined,
): void {
  const at = under(pointer, 'answer')
  if (isPresent(rule.value) || isPresent(rule.code)) errors.add(at, 'not_allowed', {}, detail('code_or_value'))
  if (!COMPARING.has(rule.op))
    errors.add(under(pointer, 'op'), 'invalid_value', {}, detail('one_of', { values: [...COMPARING].join(', ') }))
  else if (question && other) {
    const [one, two] = [comparable(question, rule.question), comparable(other, rule.answer)]
    if (one === undefined || one !== two) errors.add(at, 'invalid_value', {}, detail('incomparable_answers'))
  }
}

/** The operators that compare the answers to two questions. */
const COMPARING: ReadonlySet<unknown> = new Set(['eq', 'ne', 'lt', 'gt'])

/** Returns how the answers under a name are compared with others; undefined if they cannot be. */
function comparable({ source, kind, id, identifier }: QuestionOutline, name: unknown): string | undefined {
  const shape = typeOf(kind)
  // Any other name is that of a part of the answer, such as the text of an “other” choice.
  if (!shape?.grid && name !== id && name !== identifier) return 'text'
  switch (shape?.fieldType) {
    case 'decimal':
    case 'number':
      return 'number'
    case 'datetime':
      return authoredSetting(source, 'format') === 'time' ? 'time' : 'date'
    case 'string':
    case 'hidden':
      return 'text'
    case 'boolean':
      return shape.onlyYes ? undefined : 'boolean'
    default:
      return undefined
  }
}

/** Checks that a rule names choices of its question by their codes, and has no other value. */
function checkCodes(errors: FieldErrors, pointer: string, rule: Json, question: QuestionOutline | undefined): void {
  const at = under(pointer, 'code')
  if (isPresent(rule.value)) errors.add(at, 'not_allowed', {}, detail('code_or_value'))
  const codes = [rule.code].flat()
  if (codes.length > MAX_RULE_VALUES) errors.add(at, 'too_many', { max: MAX_RULE_VALUES })
  else if (!codes.every((code) => typeof code === 'string' && code.length <= MAX_CODE_CHARACTERS))
    errors.addType(at, 'type_string_up_to', { max: MAX_CODE_CHARACTERS })
  else if (question) {
    const known = new Set(codedChoices(choiceField(question)).map(({ code }) => code.trim()))
    const unknown = codes.find((code) => !known.has(String(code).trim()))
    if (unknown !== undefined)
      errors.add(at, 'invalid_value', {}, detail('unknown_code', { value: String(unknown).toWellFormed() }))
  }
}

/** Checks that no text is the code of one choice, and the position or the label of another. */
function checkReadings(errors: FieldErrors, pointer: string, value: unknown, question: QuestionOutline): void {
  for (const text of [value].flat()) {
    const readings = typeof text === 'string' ? ambiguousCode(choiceField(question), text) : undefined
    if (!readings) continue
    const [coded, other] = [readings.coded, readings.other].map(
      ({ label, index }) => Object.values(label)[0]?.slice(0, 60).toWellFormed() || String(index),
    )
    const values = { value: String(text).trim(), coded: coded!, other: other! }
    errors.add(pointer, 'ambiguous_choice', values, detail('ambiguous_code', values))
    return
  }
}

const choiceFields = new WeakMap<Json, Pick<Field, 'choices' | 'type' | 'removed'>>()

/** Returns the choices of an authored question, compiled as far as their names are concerned. */
function choiceField({ source, kind }: QuestionOutline): Pick<Field, 'choices' | 'type' | 'removed'> {
  const cached = choiceFields.get(source)
  if (cached) return cached
  const shape = typeOf(kind)
  const authored = recordsIn(shape?.grid ? source.choices : authoredSetting(source, 'choices'))
  const choices = compileChoices(kind, source).map((choice, index) => {
    const label = authored[index]?.label
    return typeof label === 'string' ? { ...choice, label: { '': label } } : choice
  })
  const field = { choices, type: shape?.fieldType ?? 'string', removed: [] }
  choiceFields.set(source, field)
  return field
}

function checkLength(errors: FieldErrors, pointer: string, value: unknown): void {
  if (Array.isArray(value) && value.length > MAX_RULE_VALUES) errors.add(pointer, 'too_many', { max: MAX_RULE_VALUES })
  else if ([value].flat().some((text) => typeof text === 'string' && text.length > MAX_RULE_VALUE_CHARACTERS))
    errors.add(pointer, 'too_long', { max: MAX_RULE_VALUE_CHARACTERS })
}

const isScalar = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value)

const isComparable = (value: unknown) =>
  isPresent(value) && (Array.isArray(value) ? value.every(isScalar) : isScalar(value))
