import { containsText } from '../../lib/text-search.ts'
import { answerFields, answerTo, isAnswered, isList } from './answered.ts'
import { choiceIndex, parseBoolean } from './choice-index.ts'
import { instantOf } from './datetime.ts'
import type { Answer, Answers, Condition, Field, Questionnaire, Rule } from './questionnaire.ts'
import { isRemoved } from './stored.ts'

/**
 * Maximum number of characters that a `contains` rule compares; it ignores the rest of a longer text. A text answer can
 * be longer, and so can the value of a rule in old surveys.
 */
const MAX_COMPARED_CHARACTERS = 10_000
/** Maximum length of a text that is compared as a number. */
const MAX_NUMBER_CHARACTERS = 400

/**
 * Reports whether a condition or a rule is true. An empty `all` is true, an empty `any` is false. If the question is
 * not answered, only rules with `unanswered` and `ne` are true.
 */
export function holds(condition: Condition | Rule, q: Questionnaire, answers: Answers): boolean {
  if ('all' in condition) return condition.all.every((part) => holds(part, q, answers))
  if ('any' in condition) return condition.any.some((part) => holds(part, q, answers))
  const fields = fieldsOf(condition.question, q)
  const anyAnswer = (test: (value: Answer, field: Field) => boolean) =>
    fields.some((field) => isAnswered(answers, field.key) && test(answerTo(answers, field.key)!, field))
  switch (condition.op) {
    case 'answered':
      return anyAnswer(() => true)
    case 'unanswered':
      return !anyAnswer(() => true)
    case 'eq':
      return anyAnswer((value, field) => equals(value, condition.value, field))
    case 'ne':
      return !anyAnswer((value, field) => equals(value, condition.value, field))
    case 'contains':
      return anyAnswer((value, field) => contains(value, condition.value, field))
    case 'lt':
      return anyAnswer((value, field) => compare(value, condition.value, field) < 0)
    case 'gt':
      return anyAnswer((value, field) => compare(value, condition.value, field) > 0)
    default:
      return false
  }
}

/** Returns the field of a response key, or all fields of a question id or identifier, such as the rows of a grid. */
function fieldsOf(name: string, q: Questionnaire): readonly Field[] {
  const field = q.byKey.get(name)
  if (field) return [field]
  const question = q.byId.get(name) ?? q.byIdentifier.get(name)
  return question ? answerFields(question) : []
}

function equals(value: Answer, expected: unknown, field: Field): boolean {
  if (typeof value === 'boolean') return parseBoolean(field, expected) === value
  if (isList(value)) {
    const list = (Array.isArray(expected) ? expected : [expected]).map((value) => choiceIndex(field, value))
    if (list.length !== value.length) return false
    if (field.type === 'ranking') return value.every((index, position) => list[position] === index)
    const set = new Set(list)
    return value.every((index) => set.has(index))
  }
  if (field.choices.length > 0) return choiceIndex(field, expected) === value
  return String(value) === String(expected) || compare(value, expected, field) === 0
}

function contains(value: Answer, expected: unknown, field: Field): boolean {
  if (isList(value)) {
    const index = choiceIndex(field, expected)
    return index !== undefined && value.includes(index)
  }
  if (typeof value === 'string')
    return expected !== '' && expected != null && containsText(truncate(value), truncate(String(expected)))
  return equals(value, expected, field)
}

const truncate = (text: string): string => text.slice(0, MAX_COMPARED_CHARACTERS)

/**
 * Compares two numbers or, for a datetime question, two times.
 * @returns a negative number, 0 or a positive number; NaN for values that cannot be ordered
 */
function compare(value: Answer, expected: unknown, field: Field): number {
  if (field.type === 'datetime') return instantOf(String(value)) - instantOf(String(expected))
  // A removed choice has no position, so it cannot be compared with others.
  if (typeof value === 'boolean' || isList(value) || (field.renumbered && isRemoved(value))) return Number.NaN
  const limit = field.choices.length > 0 ? (choiceIndex(field, expected) ?? numberOf(expected)) : numberOf(expected)
  return numberOf(value) - limit
}

function numberOf(value: unknown): number {
  if (typeof value === 'number') return value
  if (typeof value !== 'string' || value.length > MAX_NUMBER_CHARACTERS) return Number.NaN
  return value.trim() !== '' ? Number(value) : Number.NaN
}
