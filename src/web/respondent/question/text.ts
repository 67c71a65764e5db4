import type { Field, ValidationKind } from '../../../domain/structure/questionnaire.ts'
import { html, type Part } from '../../../lib/html.ts'
import {
  describedBy,
  descriptionOf,
  errorView,
  mainField,
  type RenderContext,
  type RenderQuestion,
  textOf,
  titleOf,
} from './render-context.ts'

/** What a keyboard on a phone should offer, and what a browser may fill in, by what the text has to be. */
const inputs: Readonly<Record<ValidationKind, Part>> = {
  email: html`type="email" autocomplete="email" spellcheck="false"`,
  url: html`type="url" autocomplete="url" spellcheck="false"`,
  phone: html`type="tel" autocomplete="tel"`,
  integer: html`type="text" inputmode="numeric" autocomplete="off"`,
  number: html`type="text" inputmode="decimal" autocomplete="off"`,
  letters: html`type="text" autocomplete="off"`,
}

/**
 * One text box: a line, or as many as the author says. An answer that has line breaks is shown with them, and an element
 * of one line takes none.
 */
export function textBox(asked: RenderContext, { key, storedKey }: Field, required: boolean): Part {
  const { validation, lines = 1 } = asked.question
  const { kind, min, max } = validation ?? {}
  const value = textOf(asked, key)
  const common = html`id="${asked.idOf(key)}" name="${storedKey}"${describedBy(asked, key)}${required && html` required`}`
  // A line break right after the tag is dropped by browsers: this one keeps a first empty line of the answer.
  if (value.includes('\n') || (lines > 1 && !kind))
    return html`<textarea class="box" rows="${lines}" autocomplete="off" ${common}>
${value}</textarea>`
  if (kind) return html`<input class="box" ${inputs[kind]} ${common} value="${value}">`
  if (min !== undefined || max !== undefined)
    return html`<input class="box" ${inputs.number} ${common} value="${value}">`
  return html`<input class="box" type="text" autocomplete="off" ${common} value="${value}">`
}

/** `text-response` */
export const textFace: RenderQuestion = (asked) => {
  const field = mainField(asked.question)
  const { key } = field
  return html`<label class="ask" for="${asked.idOf(key)}">${titleOf(asked)}</label>
${descriptionOf(asked)}${errorView(asked, key)}${textBox(asked, field, asked.question.required)}`
}

const dateTypes = { datetime: 'datetime-local', date: 'date', time: 'time' } as const

/** `datetime`; a picker shows nothing it does not understand, so what was typed wrongly comes back as text. */
export const datetimeFace: RenderQuestion = (asked) => {
  const { key } = mainField(asked.question)
  const { format = 'datetime', required } = asked.question
  const value = textOf(asked, key)
  const type = asked.errors.has(key) && value !== '' ? 'text' : dateTypes[format]
  const local = type === 'datetime-local' ? value.replace(/(Z|[+-]\d{2}:?\d{2})$/i, '') : value
  return html`<label class="ask" for="${asked.idOf(key)}">${titleOf(asked)}</label>
${descriptionOf(asked)}${errorView(asked, key)}<input class="box short" type="${type}" id="${asked.idOf(key)}" name="${key}" value="${local}"${describedBy(asked, key)}${required && html` required`}>`
}
