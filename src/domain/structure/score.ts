import { answerScore } from './answer-cache.ts'
import { answerTo } from './answered.ts'
import type { Answers, Questionnaire } from './questionnaire.ts'
import { roundSignificant } from './round.ts'
import { answersOnPath } from './visibility.ts'

/**
 * Returns the weighted score: the sum of the scores of all selected choices on the path, also in grids. For a
 * net-promoter answer and a rating, the score is the number itself. A ranking has no score, because it always contains
 * the same choices.
 * @returns null if no question with a score is answered
 */
export function scoreOf(q: Questionnaire, answers: Answers): number | null {
  const onPath = answersOnPath(q, answers)
  let sum: number | null = null
  for (const field of q.fields) {
    const value = answerTo(onPath, field.key)
    const score = value === undefined ? null : answerScore(field, value)
    if (score !== null) sum = (sum ?? 0) + score
  }
  return sum === null ? null : roundSignificant(sum)
}
