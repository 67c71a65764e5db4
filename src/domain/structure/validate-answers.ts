import type { FieldError } from '../problem.ts'
import { answerTo, isAnswer, isList } from './answered.ts'
import { walk } from './flow.ts'
import { ANSWER_REQUIRED, notAChoice } from './messages.ts'
import { removedIndex } from './pick.ts'
import type { Answer, Answers, Field, Questionnaire } from './questionnaire.ts'
import { checkText } from './text-validation.ts'
import { dropHidden, visibleQuestions } from './visibility.ts'

export { dropHidden, isVisible, visibleQuestions } from './visibility.ts'

export interface PageScope {
  /** This page alone (from 1); without it, every page these answers lead to. */
  page?: number
  /** Of messages the author wrote; the default language when not given. */
  language?: string
}

/**
 * Whether stored answers make sense as given: required questions answered, texts as their author wants them, neither
 * too few nor too many choices. Only visible questions count, and of skipped pages none. `field` is a response key.
 */
export function validateAnswers(q: Questionnaire, answers: Answers, scope: PageScope = {}): FieldError[] {
  const kept = dropHidden(q, answers)
  const pages = scope.page === undefined ? walk(q, answers) : [scope.page]
  const errors: FieldError[] = []
  for (const field of pages.flatMap((page) => visibleQuestions(q, page, kept)).flatMap(({ fields }) => fields)) {
    const value = answerTo(kept, field.key)
    const message = isAnswer(value)
      ? checkAnswer(field, value, q, scope.language ?? q.defaultLanguage)
      : field.required && ANSWER_REQUIRED
    if (message) errors.push({ field: field.key, message })
  }
  return errors
}

function checkAnswer(field: Field, value: Answer, q: Questionnaire, language: string): string | undefined {
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

/** What was chosen while it was offered stays a choice. */
const isChoice = (field: Field, index: number): boolean =>
  field.choices[index] !== undefined || removedIndex(field, index) !== undefined

function checkList(field: Field, chosen: readonly number[]) {
  const { choices, question } = field
  const { minSelected, maxSelected } = question
  const stray = chosen.find((index) => !isChoice(field, index))
  if (stray !== undefined) return notAChoice(stray)
  if (chosen.length > 1 && chosen.some((index) => choices[index]?.exclusive)) {
    return 'One of the chosen answers cannot be combined with others.'
  }
  // An exclusive choice such as "none of these" is a whole answer.
  if (minSelected !== undefined && chosen.length < minSelected && !choices[chosen[0]!]?.exclusive) {
    return `Choose at least ${minSelected}.`
  }
  if (maxSelected !== undefined && chosen.length > maxSelected) return `Choose at most ${maxSelected}.`
  return undefined
}
