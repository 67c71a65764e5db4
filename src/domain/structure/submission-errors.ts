import { type FieldError, fieldError } from '../field-error.ts'
import { answerTo, isList } from './answered.ts'
import type { ParsedAnswers } from './parse-answers.ts'
import type { Answers, Questionnaire } from './questionnaire.ts'
import { isRemoved } from './stored.ts'
import { targetOf } from './target.ts'
import { validateAnswers } from './validate-answers.ts'

/**
 * Returns the errors of a submission in the order of the structure, at most one for each response key. Errors of
 * unknown keys come last. If an answer cannot be parsed, it is not also reported as missing.
 * @param merged the parsed answers merged with the stored answers
 * @param now the time of the submission, for limits of dates such as `today`
 * @param complete whether the response is complete; only then are answers required and validated
 */
export function submissionErrors(
  q: Questionnaire,
  { answers, errors: parseErrors }: ParsedAnswers,
  merged: Answers,
  complete: boolean,
  now?: Date,
): FieldError[] {
  const errors = new Map(parseErrors.map((error) => [error.field, error]))
  const ruleErrors = complete ? validateAnswers(q, merged, { now }) : []
  for (const error of [...orphanedOtherText(q, answers, merged), ...ruleErrors]) {
    const question = q.byKey.get(error.field)?.question.id ?? ''
    if (!errors.has(error.field) && !errors.has(question)) errors.set(error.field, error)
  }
  if (errors.size === 0) return []
  const positions = new Map(q.fields.map(({ key }, index) => [key, index]))
  const positionOf = ({ field }: FieldError) =>
    positions.get(field) ?? positions.get(targetOf(q, field)?.question?.fields[0]?.key ?? '') ?? positions.size
  return [...errors.values()].sort((a, b) => positionOf(a) - positionOf(b))
}

/** Returns an error for each text of an “other” choice whose question has no answer (docs/specification.md 7.3). */
const orphanedOtherText = (q: Questionnaire, submitted: Answers, merged: Answers): FieldError[] =>
  Object.keys(submitted)
    .map((key) => q.byKey.get(key))
    .filter((field) => field?.type === 'other' && !Object.hasOwn(merged, field.question.id))
    .map((field) => fieldError(field!.key, 'other_without_answer', { question: field!.question.id }))

/**
 * Removes the texts of “other” choices that are not chosen.
 * @returns the same object if nothing changes
 */
export function withoutUnchosenTexts(q: Questionnaire, answers: Answers): Answers {
  const isUnchosen = (key: string) => {
    const field = q.byKey.get(key)
    if (field?.type !== 'other' || field.part) return false
    const value = answerTo(answers, field.question.id)
    const indices = value === undefined ? [] : isList(value) ? value : [value]
    // A removed choice can have been an “other” choice.
    return !indices.some(
      (index) => typeof index === 'number' && (isRemoved(index) || field.question.choices[index]?.other),
    )
  }
  const unchosen = Object.keys(answers).filter(isUnchosen)
  if (unchosen.length === 0) return answers
  const kept: Record<string, Answers[string]> = Object.assign(Object.create(null), answers)
  for (const key of unchosen) delete kept[key]
  return kept
}
