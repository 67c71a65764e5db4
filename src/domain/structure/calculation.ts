import { type AnswerCache, subjectOf } from './answer-cache.ts'
import { evaluate } from './expression.ts'
import { MAX_NUMBER } from './kind-settings.ts'
import type { Answers, Question, Questionnaire } from './questionnaire.ts'
import { roundDecimal } from './round.ts'

/**
 * Returns the value of a calculation, rounded to its decimal places. An answer in an expression is the sum of the
 * answers to the question or the grid row.
 * @returns undefined if an answer that the calculation needs is missing, or the result is not a number or too large
 */
export function calculatedValue(
  { expression, decimals = 0 }: Question,
  q: Questionnaire,
  answers: Answers,
  cache: AnswerCache,
): number | undefined {
  if (!expression) return undefined
  const value = evaluate(expression, (name) => {
    const subject = subjectOf(name, q)
    return subject ? cache.sum(subject, answers) : null
  })
  if (value === null || !Number.isFinite(value) || Math.abs(value) > MAX_NUMBER) return undefined
  return roundDecimal(value, decimals)
}
