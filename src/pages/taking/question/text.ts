import type { ValidationKind } from '../../../domain/structure/questionnaire.ts'
import { html, type Part } from '../../../lib/html.ts'
import { type Asked, described, descriptionOf, type Face, faultOf, mainField, textOf, titleOf } from './asked.ts'

/** Texts of at most this many characters get a single line. */
const ONE_LINE = 80

/** What a keyboard on a phone should offer, and what a browser may fill in, by what the text has to be. */
const inputs: Readonly<Record<ValidationKind, Part>> = {
  email: html`type="email" autocomplete="email" spellcheck="false"`,
  url: html`type="url" autocomplete="url" spellcheck="false"`,
  phone: html`type="tel" autocomplete="tel"`,
  integer: html`type="text" inputmode="numeric" autocomplete="off"`,
  number: html`type="text" inputmode="decimal" autocomplete="off"`,
  letters: html`type="text" autocomplete="off"`,
}

/** One text box: a line where the text is of a kind or short, else a box that grows. `label` are attributes that name it. */
export function textBox(asked: Asked, key: string, required: boolean, label: Part): Part {
  const { validation } = asked.question
  const { kind, min, max, maxLength } = validation ?? {}
  const value = textOf(asked, key)
  const common = html`id="${asked.idOf(key)}" name="${key}"${label}${described(asked, key)}${required && html` required`}`
  if (kind) return html`<input class="box" ${inputs[kind]} ${common} value="${value}">`
  if (min !== undefined || max !== undefined)
    return html`<input class="box" ${inputs.number} ${common} value="${value}">`
  if (maxLength !== undefined && maxLength <= ONE_LINE)
    return html`<input class="box" type="text" autocomplete="off" ${common} value="${value}">`
  // A line break right after the tag is dropped by browsers: this one keeps a first empty line of the answer.
  return html`<textarea class="box" rows="1" autocomplete="off" ${common}>
${value}</textarea>`
}

/** `text-response` */
export const textFace: Face = (asked) => {
  const { key } = mainField(asked.question)
  return html`<label class="ask" for="${asked.idOf(key)}">${titleOf(asked)}</label>
${descriptionOf(asked)}${faultOf(asked, key)}${textBox(asked, key, asked.question.required, null)}`
}

const dateTypes = { datetime: 'datetime-local', date: 'date', time: 'time' } as const

/** `datetime`; a picker shows nothing it does not understand, so what was typed wrongly comes back as text. */
export const datetimeFace: Face = (asked) => {
  const { key } = mainField(asked.question)
  const { format = 'datetime', required } = asked.question
  const value = textOf(asked, key)
  const type = asked.faults.has(key) && value !== '' ? 'text' : dateTypes[format]
  const local = type === 'datetime-local' ? value.replace(/(Z|[+-]\d{2}:?\d{2})$/i, '') : value
  return html`<label class="ask" for="${asked.idOf(key)}">${titleOf(asked)}</label>
${descriptionOf(asked)}${faultOf(asked, key)}<input class="box short" type="${type}" id="${asked.idOf(key)}" name="${key}" value="${local}"${described(asked, key)}${required && html` required`}>`
}
