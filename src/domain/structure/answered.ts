import type { Answer, Answers } from './questionnaire.ts'

/** Returns the stored answer under a key. It reads own members only: a question may be called `constructor`. */
export const answerTo = (answers: Answers, key: string): Answer | undefined =>
  Object.hasOwn(answers, key) ? (answers[key] ?? undefined) : undefined

/** Reports whether an answer is a list of indices. */
export const isList = (value: Answer): value is readonly number[] => typeof value === 'object'

/** Maximum length of a text that is scanned for white space; a longer text counts as an answer. */
const MAX_BLANKS = 10_000

/** Reports whether a value is an answer: blank text and an empty list are not. */
export function isAnswer(value: Answer | undefined): value is Answer {
  if (value === undefined) return false
  if (typeof value === 'string') return value.length > MAX_BLANKS || value.trim() !== ''
  return !isList(value) || value.length > 0
}

/** Reports whether the answers contain one under this key. */
export const isAnswered = (answers: Answers, key: string): boolean => isAnswer(answerTo(answers, key))
