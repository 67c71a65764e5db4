import { typeOf } from '../../questions/index.ts'
import { type FieldError, fieldError, type ValueError } from '../field-error.ts'
import { ANSWER_REQUIRED, answerError, notAChoice } from './answer-error.ts'
import { answerTo, isAnswer, isList } from './answered.ts'
import { offeredAnswer } from './choice-filter.ts'
import { removedIndex } from './choices.ts'
import { validateDay } from './day-limit.ts'
import { fileKeysOf } from './file-answer.ts'
import { pagePath } from './flow.ts'
import { validateNumber } from './number.ts'
import type { ParsedAnswers } from './parse-answers.ts'
import type { Answer, Answers, Choice, Field, Question, Questionnaire } from './questionnaire.ts'
import { choiceAt, isRemoved } from './stored.ts'
import { targetOf } from './target.ts'
import { validateText } from './text-validation.ts'
import { type Evaluation, evaluationOf } from './visibility.ts'

export { answersOnPath, shownQuestions, withDerivedAnswers } from './visibility.ts'

/** The part of a survey to validate, and the language of the messages. */
interface PageScope {
  /**
   * The page that a respondent submits (from 1): then choices that a filter leaves out are errors. Absent: every page that
   * a respondent with these answers sees; what a program sends is stored as it is, so that every choice is accepted.
   */
  page?: number
  /** The time of the answers, for limits such as `today`; absent: such limits are not checked. */
  now?: Date | undefined
  /** Language of the author's messages; absent: the default language of the survey. */
  language?: string
  /** Keys of answers that could not be read. The answers to their questions are not checked together. */
  unread?: ReadonlySet<string>
}

/**
 * Returns the errors of answers with positions of choices (stored.ts), such as missing required answers, invalid texts,
 * and too few or too many choices. Hidden questions and skipped pages are ignored. `field` of each error is a response
 * key.
 */
export function validateAnswers(q: Questionnaire, answers: Answers, scope: PageScope = {}): FieldError[] {
  const evaluation = evaluationOf(q, answers)
  const questions =
    scope.page === undefined
      ? pagePath(q, answers).flatMap((page) => evaluation.visibleQuestions(page))
      : evaluation.visibleQuestions(scope.page)
  const errors: FieldError[] = []
  for (const question of questions) {
    const before = errors.length
    for (const field of question.fields) {
      const value = question.choiceFilter ? answerTo(answers, field.key) : evaluation.answerTo(question, field.key)
      const error = isAnswer(value)
        ? (checkAnswer(
            field,
            value,
            q,
            scope.language ?? q.defaultLanguage,
            evaluation.offeredChoices(question).length,
            scope.now,
          ) ??
          (scope.page !== undefined && unofferedError(value, evaluation.offeredChoices(question), question)))
        : field.required && ANSWER_REQUIRED
      if (error) errors.push({ field: field.key, ...error })
    }
    const error = errors.length === before && jointError(question, evaluation, scope)
    if (error) errors.push({ field: question.id, ...error })
  }
  return errors
}

/** Returns the error of answers that are valid one by one but do not fit together. */
function jointError(question: Question, evaluation: Evaluation, { unread }: PageScope): ValueError | undefined {
  const check = typeOf(question.kind)?.checkAnswers
  if (!check || question.fields.some(({ key }) => unread?.has(key))) return undefined
  return check(question, ({ key }) => {
    const value = evaluation.answerTo(question, key)
    return isAnswer(value) ? value : undefined
  })
}

/** Returns the error of an answer with a choice that a filter leaves out. */
function unofferedError(value: Answer, offered: readonly Choice[], { choiceFilter }: Question): ValueError | undefined {
  const remaining = choiceFilter ? offeredAnswer(value, offered) : value
  if (remaining === value) return undefined
  const kept = new Set([remaining].flat())
  return notAChoice([value].flat().find((index) => !kept.has(index)))
}

/**
 * Reports whether an answer to a field is valid, whether or not its question is visible. Unlike
 * {@link validateAnswers}, evaluates no conditions.
 */
export const isValidAnswer = (q: Questionnaire, field: Field, value: Answer): boolean =>
  !isAnswer(value) || checkAnswer(field, value, q, q.defaultLanguage) === undefined

/** @param offered number of choices that the question offers; it never requires more */
function checkAnswer(
  field: Field,
  value: Answer,
  q: Questionnaire,
  language: string,
  offered = field.choices.length,
  now?: Date,
): ValueError | undefined {
  switch (field.type) {
    case 'single':
    case 'number':
      return typeof value === 'number' && isChoice(field, value) ? undefined : notAChoice(value)
    case 'decimal':
      return typeof value === 'number' ? validateNumber(field.question, value) : answerError('not_a_number')
    case 'boolean':
      return typeof value === 'boolean' ? undefined : notAChoice(value)
    case 'multi':
    case 'ranking':
      return isList(value) ? checkList(field, value, offered) : notAChoice(value)
    case 'file':
      return checkFiles(field, value)
    case 'datetime':
      return validateDay(field.question, String(value), now)
    case 'string':
      return validateText(field.question.validation, String(value), q, language)
    default:
      return undefined
  }
}

function checkFiles({ question: { maxFiles = 1 } }: Field, value: Answer) {
  return fileKeysOf(value).length > maxFiles ? answerError('too_many_files', { max: maxFiles }) : undefined
}

/** Reports whether an index is that of a present or removed choice of a field. Answers may contain removed choices. */
const isChoice = (field: Field, index: number): boolean =>
  choiceAt(field, index) !== undefined || removedIndex(field, index) !== undefined

function checkList(field: Field, indices: readonly number[], offered: number) {
  const { choices, question } = field
  const { maxSelected } = question
  const minSelected = question.minSelected && Math.min(question.minSelected, offered)
  const invalid = indices.find((index) => !isChoice(field, index))
  if (invalid !== undefined) return notAChoice(invalid)
  if (indices.length > 1 && indices.some((index) => choices[index]?.exclusive)) {
    return answerError('not_exclusive')
  }
  // An exclusive choice such as “none of these” satisfies the minimum.
  if (minSelected !== undefined && indices.length < minSelected && !choices[indices[0]!]?.exclusive) {
    return answerError('too_few', { min: minSelected }, `must have at least ${choicesText(minSelected)}`)
  }
  if (maxSelected !== undefined && indices.length > maxSelected) {
    return answerError('too_many', { max: maxSelected }, `must have at most ${choicesText(maxSelected)}`)
  }
  return undefined
}

const choicesText = (count: number): string => `${count} ${count === 1 ? 'choice' : 'choices'}`

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
  const ruleErrors = complete ? validateAnswers(q, merged, { now, unread: new Set(errors.keys()) }) : []
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
