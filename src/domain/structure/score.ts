import { answerTo, isList } from './answered.ts'
import { choiceAt } from './choice-at.ts'
import type { Answer, Answers, Field, Questionnaire } from './questionnaire.ts'

/**
 * Returns the weighted score: the sum of the scores of all selected choices, also in grids. For a net-promoter answer
 * and a rating, the score is the number itself. A ranking has no score, because it always contains the same choices.
 * @returns null if no question with a score is answered
 */
export function scoreOf(q: Questionnaire, answers: Answers): number | null {
  let sum: number | null = null
  for (const field of q.fields) {
    const value = answerTo(answers, field.key)
    const score = value === undefined ? null : answerScore(field, value)
    if (score !== null) sum = (sum ?? 0) + score
  }
  return sum
}

/** Returns the score of one answer, or null if the answer has no score. */
export function answerScore(field: Field, value: Answer): number | null {
  if (field.type === 'ranking') return null
  if (typeof value === 'boolean') return field.choices[value ? 0 : 1]?.score ?? null
  if (typeof value === 'number') return choiceAt(field, value)?.score ?? null
  if (!isList(value)) return null
  const scores = value.flatMap((index) => field.choices[index]?.score ?? [])
  return scores.length === 0 ? null : scores.reduce((total, score) => total + score, 0)
}
