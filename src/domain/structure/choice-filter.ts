import { filteredKinds, type Settings } from '../../questions/index.ts'
import { evaluationWork, fieldsOf, subjectOf } from './answer-cache.ts'
import { answerTo, isList } from './answered.ts'
import { attributeValues, filterValueOf } from './choice-attributes.ts'
import { TEXT_TYPES } from './condition.ts'
import type { Answer, Answers, Choice, ChoiceFilter, Field, Question, Questionnaire } from './questionnaire.ts'
import { choiceAt, isRemoved } from './stored.ts'

/** Returns the filters of a question with the values of its choices; undefined if no question filters them. */
export function compileChoiceFilter(
  kind: string,
  { choices = [], choiceFilter = [] }: Settings,
): readonly ChoiceFilter[] | undefined {
  const filters = filteredKinds.has(kind) ? choiceFilter : []
  return filters.length === 0
    ? undefined
    : filters.map(({ question, attribute }) => ({
        question: String(question),
        attribute: String(attribute),
        values: choices.map((choice) => attributeValues(choice, String(attribute))),
      }))
}

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
