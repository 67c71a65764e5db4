import { answerFields, answerTo } from './answered.ts'
import { evaluate } from './expression.ts'
import { MAX_NUMBER } from './kind-settings.ts'
import type { Answer, Answers, Field, Question, Questionnaire } from './questionnaire.ts'
import { answerScore } from './score.ts'

/**
 * Returns an answer as a number: a number itself, the number in a numeric text, or the score of the selected choices.
 */
function numberOf(field: Field, value: Answer): number | null {
  if (field.type === 'decimal') return typeof value === 'number' ? value : null
  if (typeof value !== 'string') return answerScore(field, value)
  const text = value.trim()
  return /^-?\d{1,15}(?:\.\d{1,15})?$/.test(text) ? Number(text) : null
}

/**
 * Returns the value of a question or of a grid row: the sum of its answers, each converted to a number; null if no
 * answer can be converted.
 */
function numberFor(name: string, q: Questionnaire, answers: Answers): number | null {
  const field = q.byKey.get(name)
  const question = q.byId.get(name) ?? q.byIdentifier.get(name)
  const fields = field ? [field] : question ? answerFields(question) : []
  let sum: number | null = null
  for (const one of fields) {
    if (one.type === 'other') continue
    const answer = answerTo(answers, one.key)
    const number = answer === undefined ? null : numberOf(one, answer)
    if (number !== null) sum = (sum ?? 0) + number
  }
  return sum
}

/**
 * Returns the value of a calculation, rounded to its decimal places.
 * @returns undefined if an answer that the calculation needs is missing, or the result is not a number or too large
 */
export function calculatedValue(
  { expression, decimals = 0 }: Question,
  q: Questionnaire,
  answers: Answers,
): number | undefined {
  if (!expression) return undefined
  const value = evaluate(expression, (name) => numberFor(name, q, answers))
  if (value === null || !Number.isFinite(value) || Math.abs(value) > MAX_NUMBER) return undefined
  const rounded = Number(Number(value.toPrecision(15)).toFixed(decimals))
  // Avoids a negative zero.
  return rounded === 0 ? 0 : rounded
}
