import type { FieldError, ValueError } from '../../../domain/field-error.ts'
import type { Choice, Field, Question } from '../../../domain/structure/questionnaire.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import type { Translator } from '../../i18n/i18n.ts'

/** The error of each response key that has one. */
export type ErrorsByKey = ReadonlyMap<string, ValueError>

export const errorsByKey = (errors: readonly FieldError[]): ErrorsByKey =>
  new Map(errors.map((error) => [error.field, error]))

/** A question about to be shown: what to show in it and how to speak. */
export interface RenderContext {
  question: Question
  i18n: Translator
  /** What was typed or is stored, by response key. */
  values: Readonly<Record<string, unknown>>
  errors: ErrorsByKey
  /** Orders what is randomized: the same for the same response. */
  seed: string
  /** The page has more cells than a page may have now: grids ask for numbers. */
  oversized: boolean
  /** The id of a response key's element in the document. */
  idOf(key: string): string
}

/** Shows one kind of question. */
export type RenderQuestion = (asked: RenderContext) => Html

/** What is in a field as a browser would send it. */
export function textOf({ values }: RenderContext, key: string): string {
  const value = values[key]
  return value === undefined || value === null ? '' : String(Array.isArray(value) ? (value.at(-1) ?? '') : value)
}

/** Whether a choice of a field is chosen, in the form stored or typed. */
export function isSelected({ values }: RenderContext, key: string, index: number | boolean): boolean {
  const value = values[key]
  return (Array.isArray(value) ? value : [value]).some((one) => one !== undefined && String(one) === String(index))
}

/** What a choice is sent as: its stable number, so that a page opened before an edit means what the respondent saw. */
export const formValueOf = ({ uid }: Choice): string => String(uid)

/** What is asked, with a mark where an answer is needed: goes into a legend or a label. */
export const titleOf = ({ question, i18n }: RenderContext, required: boolean = question.required): Html =>
  html`<span class="title">${i18n.surveyText(question.title)}</span>${
    required && html` <span class="required">${i18n.text(i18n.texts.required)}</span>`
  }`

/** The author's explanation below the title. */
export const descriptionOf = ({ question, i18n, idOf }: RenderContext): Part =>
  i18n.plainText(question.description) !== '' &&
  html`<p class="description" id="${idOf(question.id)}-d">${i18n.surveyText(question.description)}</p>`

/** What is wrong with the answer under a key, beside it. */
export function errorView({ errors, i18n, idOf }: RenderContext, key: string): Part {
  const error = errors.get(key)
  return (
    error !== undefined &&
    html`<p class="fault" id="${idOf(key)}-e"><span class="hidden">${i18n.text(i18n.texts.errorPrefix)}: </span>${i18n.errorText(error)}</p>`
  )
}

/** Returns how many choices the respondent may make, where the author limits that. */
export function limitOf({ question, i18n, idOf }: RenderContext): Part {
  const { minSelected: least = 0, maxSelected: most, choices } = question
  const bounded = most !== undefined && most < choices.length
  if (question.kind !== 'multiple-choice' || (least < 2 && !bounded)) return null
  const { chooseExactly, chooseAtLeast, chooseAtMost, chooseBetween } = i18n.texts
  const text = !bounded
    ? i18n.text(chooseAtLeast, { n: least })
    : least === most
      ? i18n.text(chooseExactly, { n: most })
      : least > 1
        ? i18n.text(chooseBetween, { n: least, most })
        : i18n.text(chooseAtMost, { n: most })
  return html`<p class="hint" id="${idOf(question.id)}-h">${text}</p>`
}

/** The attributes that tie an element to its explanation and to what is wrong. */
export function describedBy(asked: RenderContext, key: string): Part {
  const { question, errors, i18n, idOf } = asked
  const ids = [
    i18n.plainText(question.description) !== '' && `${idOf(question.id)}-d`,
    errors.has(key) && `${idOf(key)}-e`,
  ].filter(Boolean)
  return [ids.length > 0 && html` aria-describedby="${ids.join(' ')}"`, errors.has(key) && html` aria-invalid="true"`]
}

/** The same for a group, which cannot be invalid itself. */
export function describedGroup(asked: RenderContext, key: string): Part {
  const { question, errors, i18n, idOf } = asked
  const ids = [
    i18n.plainText(question.description) !== '' && `${idOf(question.id)}-d`,
    limitOf(asked) && `${idOf(question.id)}-h`,
    errors.has(key) && `${idOf(key)}-e`,
  ].filter(Boolean)
  return ids.length > 0 && html` aria-describedby="${ids.join(' ')}"`
}

/** The first response key of a question. */
export const mainField = ({ fields }: Question): Field => fields[0]!
