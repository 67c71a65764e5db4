import type { ValueError } from '../../field-error.ts'
import { answerFields } from '../../structure/answered.ts'
import { ambiguousCode, choiceIndex, indexOfCode, parseBoolean, parseTick } from '../../structure/choices.ts'
import { parseIsoDatetime } from '../../structure/datetime.ts'
import { anyChoiceIndex } from '../../structure/parse-answer.ts'
import type { Field } from '../../structure/questionnaire.ts'
import { toStoredValue, uidAt } from '../../structure/stored.ts'
import type { Target } from '../../structure/target.ts'
import { type Comparison, type Condition, DECIMAL, invalidFilter, type Operator } from './condition.ts'

/** A choice of a ranking. */
export interface RankTarget {
  field: Field
  /** Index of the choice. */
  choice: number
}

/**
 * Parses a comparison with an answer. Returns a condition or an error. For a grid, the condition is true if at least
 * one row matches; with an empty value, it is true if no row has an answer.
 */
export function answerCondition(
  { field, choice, question }: Target,
  operator: Operator,
  value: string,
): Condition | ValueError {
  const fields = fieldsOf({ field, question })
  const first = fields[0]
  if (!first) return invalidFilter('does not accept an answer')
  const keys = fields.map(({ storedKey }) => storedKey)
  if (operator === '~') return containsCondition(first, keys, value)
  if (operator === '=' && value === '') return { kind: 'unanswered', keys }
  if (choice !== undefined) return choiceCondition(first, choice, operator, value)
  if (first.type === 'decimal' && operator === '=')
    return new RegExp(DECIMAL).test(value)
      ? { kind: 'order', keys, operator, limit: value }
      : invalidFilter('must be a number')
  if (first.type === 'datetime') return datetimeCondition(keys, operator, value)
  const readings = choiceIndex(first, value) === undefined ? ambiguousCode(first, value) : undefined
  if (readings) return ambiguous(value, readings)
  if (operator === '=' && TEXT_TYPES.has(first.type))
    return { kind: 'equals', keys, text: value, numbers: numbersIn(storedValues(first, value)) }
  if (operator === '=') return { kind: 'answer', keys, values: storedValues(first, value), negated: false }
  if (['multi', 'ranking', 'boolean'].includes(first.type)) return invalidFilter('can be compared with = only')
  const limit = new RegExp(DECIMAL).test(value) ? value : choiceIndex(first, value)?.toString()
  if (limit === undefined) return invalidFilter('must be a number')
  if (first.renumbered && first.choices.length > 0) return positionCondition(first, keys, operator, Number(limit))
  return { kind: 'order', keys, operator, limit }
}

const fieldsOf = ({ field, question }: Target): Field[] => (field ? [field] : question ? answerFields(question) : [])

function ambiguous(value: string, { coded, other }: NonNullable<ReturnType<typeof ambiguousCode>>): ValueError {
  const [code, label] = [coded, other].map(({ label, index }) => `“${Object.values(label)[0] || index}”`)
  return invalidFilter(
    `can be read in two ways: “${value}” is the code of ${code} and the label of ${label}; write the name with \\code for the code, or the index of the choice`,
  )
}

/** Parses a comparison with the code of a choice (`<id>\code`). */
export function codeCondition(target: Target, operator: Operator, value: string): Condition | ValueError {
  if (operator !== '=') return invalidFilter('can be compared with = only')
  if (value === '') return answerCondition(target, operator, value)
  const fields = fieldsOf(target)
  const index = indexOfCode(fields[0]!, value)
  if (index === undefined) return invalidFilter('must be the code of a choice')
  const [first] = fields
  const stored = first!.type === 'boolean' ? toStoredValue(first!, index === 0) : uidAt(first!, index)
  const keys = fields.map(({ storedKey }) => storedKey)
  return { kind: 'answer', keys, values: [stored as number | boolean], negated: false }
}

/** Parses a comparison with the rank of a choice (`<id>\<n>`), counted from 1. An empty value means: not ranked. */
export function rankCondition(
  { field, choice }: RankTarget,
  operator: Operator,
  value: string,
): Condition | ValueError {
  const uid = uidAt(field, choice)
  if (operator === '=' && value === '') return { kind: 'answer', keys: [field.storedKey], values: [uid], negated: true }
  if (operator === '~' || !/^[1-9]\d{0,5}$/.test(value)) return invalidFilter('must be a rank: a whole number from 1')
  return { kind: 'rank', key: field.storedKey, uid, operator, rank: Number(value) }
}

const COMPARE: Readonly<Record<Comparison, (index: number, limit: number) => boolean>> = {
  '=': (index, limit) => index === limit,
  '<': (index, limit) => index < limit,
  '>': (index, limit) => index > limit,
  '<=': (index, limit) => index <= limit,
  '>=': (index, limit) => index >= limit,
}

/**
 * Builds a comparison of the positions of choices. The stable numbers (`uid`) cannot be compared, because they do not
 * change when choices are moved.
 */
function positionCondition(
  { choices }: Field,
  keys: readonly string[],
  operator: Comparison,
  limit: number,
): Condition {
  const values = choices.filter(({ index }) => COMPARE[operator](index, limit)).map(({ uid }) => uid)
  return { kind: 'answer', keys, values, negated: false }
}

const TEXT_TYPES: ReadonlySet<Field['type']> = new Set(['string', 'other', 'hidden'])

function containsCondition({ type }: Field, keys: readonly string[], text: string): Condition | ValueError {
  if (!TEXT_TYPES.has(type)) return invalidFilter('cannot be searched with ~, which applies to text answers only')
  return text === '' ? invalidFilter('requires a text to search for') : { kind: 'contains', keys, text }
}

const numbersIn = (values: readonly unknown[]): number[] => values.filter((value) => typeof value === 'number')

/**
 * Returns all stored values that a text can mean: the text itself, a number or boolean, and the choice with that
 * position or label. There can be several, because an answer that was stored before the question changed can have
 * another type.
 */
function storedValues(field: Field, value: string): (string | number | boolean)[] {
  const values: (string | number | boolean)[] = [value]
  if (field.type === 'boolean') {
    const answer = parseBoolean(field, value)
    return answer === undefined ? values : [...values, toStoredValue(field, answer) as boolean]
  }
  const index = anyChoiceIndex(field, value)
  if (index !== undefined) return [...values, uidAt(field, index)]
  // The value is not the position of a choice. If choices have been moved or removed, it can still equal the stable
  // number (`uid`) of a choice at another position, which must not match.
  if (field.renumbered) return values
  const number = new RegExp(DECIMAL).test(value) ? Number(value) : Number.NaN
  if (String(number) === value) values.push(number)
  if (field.choices.length === 0 && (value === 'true' || value === 'false')) values.push(value === 'true')
  return values
}

/** Parses a comparison with one choice of a multiple-choice question (`<id>\<n>`): selected or not. */
function choiceCondition(field: Field, choice: number, operator: Comparison, value: string): Condition | ValueError {
  if (operator !== '=') return invalidFilter('can be compared with = only')
  const isSelected = parseTick(value) ?? (choiceIndex(field, value) === choice || undefined)
  if (isSelected === undefined) return invalidFilter('must be 1 or 0')
  return { kind: 'answer', keys: [field.storedKey], values: [uidAt(field, choice)], negated: !isSelected }
}

function datetimeCondition(keys: readonly string[], operator: Comparison, value: string): Condition | ValueError {
  const text = value.trim().replace(' ', 'T')
  const datetime = parseIsoDatetime(text)
  if (!datetime)
    return invalidFilter(
      'must be a date such as 2024-01-31, a date and time such as 2024-01-31T09:30, or a time such as 09:30',
    )
  return { kind: 'moment', keys, operator, moment: text, format: datetime.format === 'time' ? 'time' : 'date' }
}
