import { answerTo, isList } from './answered.ts'
import type { Answer, Answers, Field, Questionnaire } from './questionnaire.ts'

/**
 * The weighted score: the scores of all chosen choices, grids included; a net-promoter answer counts as its number.
 * A ranking has no score of its own: it holds the same choices however they are ordered. Null when nothing scored is
 * answered.
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

/** The score of one stored answer, or null where it has none. */
export function answerScore(field: Field, value: Answer): number | null {
  if (field.type === 'ranking') return null
  if (typeof value === 'boolean') return field.choices[value ? 0 : 1]?.score ?? null
  if (typeof value === 'number') return field.choices[value]?.score ?? null
  if (!isList(value)) return null
  const scores = value.flatMap((index) => field.choices[index]?.score ?? [])
  return scores.length === 0 ? null : scores.reduce((total, score) => total + score, 0)
}
