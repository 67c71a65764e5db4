import { fieldsOf, subjectOf } from './answer-cache.ts'
import { answerTo, isList } from './answered.ts'
import { choiceAt } from './choice-at.ts'
import { TEXT_TYPES } from './condition.ts'
import { shapeOf } from './kinds.ts'
import type {
  Answer,
  Answers,
  Choice,
  ChoiceFilter,
  Field,
  Question,
  QuestionKind,
  Questionnaire,
} from './questionnaire.ts'
import { settingOf } from './setting.ts'
import { isRemoved } from './stored.ts'
import { arrayOf, isRecord, type Json } from './walk.ts'
import { evaluationWork } from './work.ts'

/** The question types whose choices an earlier answer can filter. */
export const FILTERED_KINDS: ReadonlySet<QuestionKind> = new Set([
  'single-choice',
  'multiple-choice',
  'dropdown-choice',
  'image-choice',
])

/** The question types whose answers cannot filter choices. */
const NEVER_FILTERING: ReadonlySet<QuestionKind> = new Set(['ranking', 'consent', 'file-upload', 'signature'])

/** Reports whether the answers to a question of a type can filter the choices of later questions. */
export const isFiltering = (kind: QuestionKind): boolean =>
  Boolean(shapeOf(kind)?.fieldType) && !NEVER_FILTERING.has(kind)

/** Maximum number of earlier questions that filter the choices of one question. */
export const MAX_FILTERS = 10
/** Maximum number of attributes of a choice. */
export const MAX_ATTRIBUTES = 20
/** Maximum number of characters of the name of an attribute, and of its value. */
export const MAX_ATTRIBUTE_CHARACTERS = 200
/** Maximum number of values of one attribute. */
export const MAX_ATTRIBUTE_VALUES = 100

/** Returns the authored filters of a question. */
export const filtersOf = (source: Json): { question: string; attribute: string }[] =>
  arrayOf(settingOf(source, 'choiceFilter'))
    .filter(isRecord)
    .map(({ question, attribute }) => ({ question: String(question), attribute: String(attribute) }))

/** Returns the values of an attribute of an authored choice; undefined if the choice does not have the attribute. */
export function attributeValues(choice: Json, attribute: string): string[] | undefined {
  const { attributes } = choice
  if (!isRecord(attributes) || !Object.hasOwn(attributes, attribute)) return undefined
  const value = attributes[attribute]
  return value === null ? undefined : [value].flat().map((one) => String(one).trim())
}

/** Returns the filters of a question with the values of its choices; undefined if no question filters them. */
export function compileChoiceFilter(kind: QuestionKind, source: Json): readonly ChoiceFilter[] | undefined {
  const filters = FILTERED_KINDS.has(kind) ? filtersOf(source) : []
  const choices = arrayOf(settingOf(source, 'choices')).filter(isRecord)
  return filters.length === 0
    ? undefined
    : filters.map((filter) => ({
        ...filter,
        values: choices.map((choice) => attributeValues(choice, filter.attribute)),
      }))
}

/** Returns the text with which an attribute names a choice: its code, otherwise its position from 1. */
export const filterValueOf = ({ code, index }: Pick<Choice, 'code' | 'index'>): string =>
  code?.trim() ?? String(index + 1)

/** Returns the texts with which attributes name an answer. */
function namesOf(field: Field, value: Answer): string[] {
  const { type } = field
  if (TEXT_TYPES.has(type)) return [String(value).trim().toLowerCase()]
  if (type !== 'single' && type !== 'multi' && type !== 'boolean') return [String(value)]
  const indices = typeof value === 'boolean' ? [value ? 0 : 1] : isList(value) ? value : [Number(value)]
  return indices.flatMap((index) => {
    const choice = choiceAt(field, index)
    return choice ? [filterValueOf(choice)] : []
  })
}

/**
 * Returns the choices that a question offers: those whose attributes match the answers to the questions that filter
 * them. A question without an answer matches only choices without its attribute.
 */
export function offeredChoices(
  { choices, choiceFilter }: Question,
  q: Questionnaire,
  answers: Answers,
): readonly Choice[] {
  if (!choiceFilter) return choices
  const matches = choiceFilter.map(({ question, values }) => {
    const subject = subjectOf(question, q)
    const fields = subject ? fieldsOf(subject) : []
    const isText = fields.some(({ type }) => TEXT_TYPES.has(type))
    const names = new Set(
      fields.flatMap((field) => {
        const value = answerTo(answers, field.key)
        return value === undefined ? [] : namesOf(field, value)
      }),
    )
    const isNamed = (value: string) => value !== '' && names.has(isText ? value.toLowerCase() : value)
    return (choice: number): boolean => {
      const named = values[choice]
      evaluationWork.comparisons += named?.length ?? 1
      return named === undefined || named.some(isNamed)
    }
  })
  return choices.filter((_, position) => matches.every((isMatch) => isMatch(position)))
}

/**
 * Returns an answer without the choices that are not offered; undefined if none remains. Choices that were removed from
 * the survey stay.
 */
export function offeredAnswer(value: Answer, offered: readonly Choice[]): Answer | undefined {
  const indices = new Set(offered.map(({ index }) => index))
  const isOffered = (index: number) => isRemoved(index) || indices.has(index)
  if (typeof value === 'number') return isOffered(value) ? value : undefined
  if (!isList(value)) return value
  const remaining = value.filter(isOffered)
  return remaining.length === value.length ? value : remaining.length > 0 ? remaining : undefined
}
