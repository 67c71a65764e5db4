import type { Field, ValidationKind } from '../../domain/structure/questionnaire.ts'
import { html, type Part } from '../../lib/html.ts'
import type { RenderContext, RenderQuestion } from './question-view.ts'
import { describedBy, descriptionOf, errorView, mainField, textOf, titleOf } from './render-context.ts'

/**
 * Attributes of the input by kind of text. They select the keyboard of phones and the values with which browsers fill
 * in forms.
 */
const inputs: Readonly<Record<ValidationKind, Part>> = {
  email: html`type="email" autocomplete="email" spellcheck="false"`,
  url: html`type="url" autocomplete="url" spellcheck="false"`,
  phone: html`type="tel" autocomplete="tel"`,
  integer: html`type="text" inputmode="numeric" autocomplete="off"`,
  number: html`type="text" inputmode="decimal" autocomplete="off"`,
  letters: html`type="text" autocomplete="off"`,
}

/**
 * Renders a text field with the number of lines that the author sets. If the answer has line breaks, the field is a
 * `textarea`, because an `input` would remove the line breaks.
 */
export function textInput(context: RenderContext, { key, storedKey }: Field, required: boolean): Part {
  const { validation, lines = 1 } = context.question
  const { kind, min, max } = validation ?? {}
  const value = textOf(context, key)
  const common = html`id="${context.idOf(key)}" name="${storedKey}"${describedBy(context, key)}${
    required && html` required`
  }`
  // Browsers remove a line break directly after the start tag. A line break is added here, so that an empty first line
  // of the answer is kept.
  if (value.includes('\n') || (lines > 1 && !kind))
    return html`<textarea class="box" rows="${lines}" autocomplete="off" ${common}>
${value}</textarea>`
  if (kind) return html`<input class="box" ${inputs[kind]} ${common} value="${value}">`
  if (min !== undefined || max !== undefined)
    return html`<input class="box" ${inputs.number} ${common} value="${value}">`
  return html`<input class="box" type="text" autocomplete="off" ${common} value="${value}">`
}

/** Renders a question with one text field. */
export const renderTextField: RenderQuestion = (context) => {
  const field = mainField(context.question)
  const { key } = field
  return html`
    <label class="question-label" for="${context.idOf(key)}">${titleOf(context)}</label>
    ${descriptionOf(context)}
    ${errorView(context, key)}
    ${textInput(context, field, context.question.required)}`
}
