import type { FieldError, ValueError } from '../field-error.ts'
import { ANSWER_REQUIRED, answerError, notAChoice } from './answer-error.ts'
import { answerTo, isAnswer, isList } from './answered.ts'
import { walk } from './flow.ts'
import { removedIndex } from './pick.ts'
import type { Answer, Answers, Field, Questionnaire } from './questionnaire.ts'
import { checkText } from './text-validation.ts'
import { dropHidden, visibleQuestions } from './visibility.ts'

export { dropHidden, isVisible, visibleQuestions } from './visibility.ts'

/** The part of a survey to validate and the language of its messages. */
export interface PageScope {
  /** The page to validate (from 1); absent: every page on the path of the answers. */
  page?: number
  /** Language of the author's messages; absent: the language of the survey. */
  language?: string
}

/**
 * Returns the errors of stored answers: missing required answers, invalid texts, too few or too many choices. Hidden
 * questions and skipped pages are ignored. `field` is a response key.
 */
export function validateAnswers(q: Questionnaire, answers: Answers, scope: PageScope = {}): FieldError[] {
  const kept = dropHidden(q, answers)
  const pages = scope.page === undefined ? walk(q, answers) : [scope.page]
  const errors: FieldError[] = []
  for (const field of pages.flatMap((page) => visibleQuestions(q, page, kept)).flatMap(({ fields }) => fields)) {
    const value = answerTo(kept, field.key)
    const error = isAnswer(value)
      ? checkAnswer(field, value, q, scope.language ?? q.defaultLanguage)
      : field.required && ANSWER_REQUIRED
    if (error) errors.push({ field: field.key, ...error })
  }
  return errors
}

function checkAnswer(field: Field, value: Answer, q: Questionnaire, language: string): ValueError | undefined {
  switch (field.type) {
    case 'single':
    case 'number':
      return typeof value === 'number' && isChoice(field, value) ? undefined : notAChoice(value)
    case 'boolean':
      return typeof value === 'boolean' ? undefined : notAChoice(value)
    case 'multi':
    case 'ranking':
      return isList(value) ? checkList(field, value) : notAChoice(value)
    case 'string':
      return checkText(field.question.validation, String(value), q, language)
    default:
      return undefined
  }
}

/** Reports whether an index is a valid choice. A choice that was removed after it was chosen stays valid. */
const isChoice = (field: Field, index: number): boolean =>
  field.choices[index] !== undefined || removedIndex(field, index) !== undefined

function checkList(field: Field, chosen: readonly number[]) {
  const { choices, question } = field
  const { minSelected, maxSelected } = question
  const stray = chosen.find((index) => !isChoice(field, index))
  if (stray !== undefined) return notAChoice(stray)
  if (chosen.length > 1 && chosen.some((index) => choices[index]?.exclusive)) {
    return answerError('not_exclusive')
  }
  // An exclusive choice such as “none of these” satisfies the minimum.
  if (minSelected !== undefined && chosen.length < minSelected && !choices[chosen[0]!]?.exclusive) {
    return answerError('too_few', { min: minSelected }, `must have at least ${choicesText(minSelected)}`)
  }
  if (maxSelected !== undefined && chosen.length > maxSelected) {
    return answerError('too_many', { max: maxSelected }, `must have at most ${choicesText(maxSelected)}`)
  }
  return undefined
}

const choicesText = (count: number): string => `${count} ${count === 1 ? 'choice' : 'choices'}`
