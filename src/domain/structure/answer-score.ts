import { isList } from './answered.ts'
import { choiceAt } from './choice-at.ts'
import type { Answer, Field } from './questionnaire.ts'

/** Returns the score of one answer, or null if the answer has no score. */
export function answerScore(field: Field, value: Answer): number | null {
  if (field.type === 'ranking') return null
  if (typeof value === 'boolean') return field.choices[value ? 0 : 1]?.score ?? null
  if (typeof value === 'number') return choiceAt(field, value)?.score ?? null
  if (!isList(value)) return null
  const scores = value.flatMap((index) => field.choices[index]?.score ?? [])
  return scores.length === 0 ? null : scores.reduce((total, score) => total + score, 0)
}
