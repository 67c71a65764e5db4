import type { Question } from '../../../domain/structure/questionnaire.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import {
  describedBy,
  descriptionOf,
  errorView,
  hintOf,
  mainField,
  type RenderContext,
  type RenderQuestion,
  textOf,
  titleOf,
} from './render-context.ts'

/** Renders a label, the texts below it, and an input with its unit. */
function numberField(context: RenderContext, type: Part, more: Part = null): Html {
  const { question, i18n, idOf } = context
  const { key } = mainField(question)
  const id = idOf(key)
  const unit = i18n.plainText(question.unit) !== ''
  return html`<label class="question-label" for="${id}" id="${id}-t">${titleOf(context)}</label>
${descriptionOf(context)}${hintOf(context)}${errorView(context, key)}<div class="number"${more}><input class="box" ${type} autocomplete="off" id="${id}" name="${key}" value="${textOf(context, key)}"${describedBy(context, key)}${question.required && html` required`}>${unit && html`<span class="unit" id="${id}-u">${i18n.surveyText(question.unit)}</span>`}</div>`
}

/**
 * Returns the `inputmode` that selects a phone's keyboard for a number. The numeric keyboards of some phones have no
 * minus sign.
 */
const keyboardOf = ({ min = 0, decimals, also = [] }: Pick<Question, 'min' | 'decimals' | 'also'>): string =>
  Math.min(min, ...also) < 0 ? 'text' : decimals === 0 ? 'numeric' : 'decimal'

/**
 * Renders `number` as a text field. Unlike a number field, it accepts a decimal comma, and keeps an entry that is not a
 * number.
 */
export const renderNumber: RenderQuestion = (context) =>
  numberField(context, html`type="text" inputmode="${keyboardOf(context.question)}"`)

/** Renders `slider` as a number field. The script adds a slider to this field. */
export const renderSlider: RenderQuestion = (context) => {
  const { question, i18n } = context
  const { min, max, step, leftLabel, rightLabel } = question
  const limits = html`min="${min}" max="${max}" step="${step}"`
  const hasEnds = [leftLabel, rightLabel].some((label) => i18n.plainText(label) !== '')
  return html`${numberField(context, html`type="number" inputmode="${keyboardOf({ ...question, decimals: Number.isInteger(step) ? 0 : 1 })}" ${limits}`, html` data-slider`)}${
    hasEnds &&
    html`<p class="scale-ends"><span>${i18n.surveyText(leftLabel)}</span><span>${i18n.surveyText(rightLabel)}</span></p>`
  }`
}
