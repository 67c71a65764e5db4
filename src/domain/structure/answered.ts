import type { Answer, Answers, Field, Question } from './questionnaire.ts'

/**
 * Returns the answer under a key. Reads only own properties of the object, because the ID of a question can be
 * `constructor`.
 */
export const answerTo = (answers: Answers, key: string): Answer | undefined =>
  Object.hasOwn(answers, key) ? (answers[key] ?? undefined) : undefined

/**
 * Returns the fields that hold the answer to a question. Fields with the text of an “other” choice, and with parts of
 * an answer, are not included.
 */
export const answerFields = ({ fields }: Pick<Question, 'fields'>): Field[] =>
  fields.filter(({ type, part }) => type !== 'other' && !part)

/** Reports whether an answer is a list of indices. */
export const isList = (value: Answer): value is readonly number[] => typeof value === 'object'

/** Maximum length of a text that is checked for being blank. A longer text is always treated as an answer. */
const MAX_BLANK_CHARACTERS = 10_000

/** Reports whether a value is an answer. A blank text and an empty list are not answers. */
export function isAnswer(value: Answer | undefined): value is Answer {
  if (value === undefined) return false
  if (typeof value === 'string') return value.length > MAX_BLANK_CHARACTERS || value.trim() !== ''
  return !isList(value) || value.length > 0
}

/** Reports whether a key has an answer. */
export const isAnswered = (answers: Answers, key: string): boolean => isAnswer(answerTo(answers, key))
