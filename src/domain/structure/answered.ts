import type { Answer, Answers } from './questionnaire.ts'

/** The stored answer under a key. Own members only: a question may be called `constructor`. */
export const answerTo = (answers: Answers, key: string): Answer | undefined =>
  Object.hasOwn(answers, key) ? (answers[key] ?? undefined) : undefined

/** Whether an answer is a list of indices. */
export const isList = (value: Answer): value is readonly number[] => typeof value === 'object'

/** More blanks than this are not read to their end, and count as an answer. */
const MAX_BLANKS = 10_000

/** Whether a value says something: blank text and an empty list do not. */
export function isAnswer(value: Answer | undefined): value is Answer {
  if (value === undefined) return false
  if (typeof value === 'string') return value.length > MAX_BLANKS || value.trim() !== ''
  return !isList(value) || value.length > 0
}

/** Whether the answers say something under this key. */
export const isAnswered = (answers: Answers, key: string): boolean => isAnswer(answerTo(answers, key))
