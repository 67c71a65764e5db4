import { type FieldError, fieldError } from '../field-error.ts'
import type { ReadAnswers } from './answers.ts'
import type { Answers, Questionnaire } from './questionnaire.ts'
import { targetOf } from './target.ts'
import { validateAnswers } from './validate-answers.ts'

/**
 * Returns the errors of a submission, at most one per response key, in the order of the structure; unknown keys come
 * last. An answer that cannot be parsed is not reported as missing as well.
 * @param whole the parsed answers merged with the stored ones
 * @param complete whether the response is complete, which requires answers and applies the rules of questions
 */
export function submissionErrors(
  q: Questionnaire,
  { answers, errors: parseErrors }: ReadAnswers,
  whole: Answers,
  complete: boolean,
): FieldError[] {
  const errors = new Map(parseErrors.map((error) => [error.field, error]))
  const ruleErrors = complete ? validateAnswers(q, whole) : []
  for (const error of [...orphanedOtherText(q, answers, whole), ...ruleErrors]) {
    const question = q.byKey.get(error.field)?.question.id ?? ''
    if (!errors.has(error.field) && !errors.has(question)) errors.set(error.field, error)
  }
  if (errors.size === 0) return []
  const places = new Map(q.fields.map(({ key }, place) => [key, place]))
  const placeOf = ({ field }: FieldError) =>
    places.get(field) ?? places.get(targetOf(q, field)?.question?.fields[0]?.key ?? '') ?? places.size
  return [...errors.values()].sort((one, other) => placeOf(one) - placeOf(other))
}

/** Returns an error for each text of an “other” choice without an answer to its question (docs/specification.md 7.3). */
const orphanedOtherText = (q: Questionnaire, sent: Answers, whole: Answers): FieldError[] =>
  Object.keys(sent)
    .map((key) => q.byKey.get(key))
    .filter((field) => field?.type === 'other' && !Object.hasOwn(whole, field.question.id))
    .map((field) => fieldError(field!.key, 'other_without_answer', { question: field!.question.id }))
