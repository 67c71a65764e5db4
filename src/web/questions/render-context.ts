import type { FieldError } from '../../domain/field-error.ts'
import type { Choice, Field, Question } from '../../domain/structure/questionnaire.ts'
import { type Html, html, type Part } from '../../lib/html.ts'
import type { ErrorsByKey, RenderContext } from './question-view.ts'

export const errorsByKey = (errors: readonly FieldError[]): ErrorsByKey =>
  new Map(errors.map((error) => [error.field, error]))

/** Returns the value of a field as the text that a browser would submit. */
export function textOf({ values }: RenderContext, key: string): string {
  const value = values[key]
  return value === undefined || value === null ? '' : String(Array.isArray(value) ? (value.at(-1) ?? '') : value)
}

/** Returns whether a choice of a field is selected. The value can be a stored answer or an entered value. */
export function isSelected({ values }: RenderContext, key: string, index: number | boolean): boolean {
  const value = values[key]
  return (Array.isArray(value) ? value : [value]).some((one) => one !== undefined && String(one) === String(index))
}

/**
 * Returns the form value of a choice. It is the stable number of the choice and not its position. If the survey is
 * edited after a respondent has opened a page, the page still submits the choice that the respondent saw.
 */
export const formValueOf = ({ uid }: Choice): string => String(uid)

/** Renders the title of a question for a legend or a label. The title of a required question is marked as required. */
export const titleOf = ({ question, i18n }: RenderContext, required: boolean = question.required): Html =>
  html`<span class="title">${i18n.surveyText(question.title)}</span>${
    required && html` <span class="required">${i18n.text(i18n.texts.required)}</span>`
  }`

/** Renders the description below the title. */
export const descriptionOf = ({ question, i18n, idOf }: RenderContext): Part =>
  i18n.plainText(question.description) !== '' &&
  html`<p class="description" id="${idOf(question.id)}-d">${i18n.surveyText(question.description)}</p>`

/**
 * Renders the error of an answer. Renders nothing if the answer has no error.
 * @param key the response key of the answer
 */
export function errorView({ errors, i18n, idOf }: RenderContext, key: string): Part {
  const error = errors.get(key)
  return (
    error !== undefined &&
    html`<p class="error" id="${idOf(key)}-e">
      <span class="hidden">${i18n.text(i18n.texts.errorPrefix)}: </span>
      ${i18n.errorText(error)}
    </p>`
  )
}

/** Returns the maximum size of a file of a question in megabytes. */
export const maxSizeOf = ({ question: { maxSize = 0 }, maxMegabytes }: RenderContext): number =>
  Math.min(maxSize || maxMegabytes, maxMegabytes)

/** Renders the hint that states what the question accepts. */
export function hintOf(context: RenderContext): Part {
  const { question, view, idOf } = context
  const text = view.hint?.(context)
  return text && html`<p class="hint" id="${idOf(question.id)}-h">${text}</p>`
}

/** Returns the ids of the description, the hint, the unit and the error of an element. */
function descriptionIds(context: RenderContext, key: string): string[] {
  const { question, errors, i18n, idOf } = context
  return [
    i18n.plainText(question.description) !== '' && `${idOf(question.id)}-d`,
    hintOf(context) && `${idOf(question.id)}-h`,
    i18n.plainText(question.unit) !== '' && `${idOf(question.id)}-u`,
    errors.has(key) && `${idOf(key)}-e`,
  ].filter((id) => typeof id === 'string')
}

/** Returns the attributes that refer to the description and the error of an element. */
export function describedBy(context: RenderContext, key: string): Part {
  const { errors } = context
  const ids = descriptionIds(context, key)
  return [ids.length > 0 && html` aria-describedby="${ids.join(' ')}"`, errors.has(key) && html` aria-invalid="true"`]
}

/** Returns the attributes that refer to the description and the error of a group, which cannot have `aria-invalid`. */
export function describedGroup(context: RenderContext, key: string): Part {
  const ids = descriptionIds(context, key)
  return ids.length > 0 && html` aria-describedby="${ids.join(' ')}"`
}

/** Returns the first field of a question. */
export const mainField = ({ fields }: Question): Field => fields[0]!
