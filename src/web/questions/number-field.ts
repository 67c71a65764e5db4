import type { Question } from '../../domain/structure/questionnaire.ts'
import { type Html, html, type Part } from '../../lib/html.ts'
import type { Translator } from '../i18n/i18n.ts'
import type { RenderContext } from './question-view.ts'
import { describedBy, descriptionOf, errorView, hintOf, mainField, textOf, titleOf } from './render-context.ts'

/** Renders a label, the texts below it, and an input with its unit. */
export function numberField(context: RenderContext, type: Part, more: Part = null): Html {
  const { question, i18n, idOf } = context
  const { key } = mainField(question)
  const id = idOf(key)
  const unit = i18n.plainText(question.unit) !== ''
  return html`
    <label class="question-label" for="${id}" id="${id}-t">${titleOf(context)}</label>
    ${descriptionOf(context)}
    ${hintOf(context)}
    ${errorView(context, key)}
    <div class="number"${more}>
      <input class="box" ${type} autocomplete="off" id="${id}" name="${key}"
          value="${textOf(context, key)}"${describedBy(context, key)}${question.required && html` required`}>
      ${unit && html`<span class="unit" id="${id}-u">${i18n.surveyText(question.unit)}</span>`}
    </div>`
}

/**
 * Returns the `inputmode` that selects a phone's keyboard for a number. The numeric keyboards of some phones have no
 * minus sign.
 */
export const keyboardOf = ({ min = 0, decimals, also = [] }: Pick<Question, 'min' | 'decimals' | 'also'>): string =>
  Math.min(min, ...also) < 0 ? 'text' : decimals === 0 ? 'numeric' : 'decimal'

/** Returns the range of a number as text. */
export function rangeHint({
  question: { min, max },
  i18n,
}: Pick<RenderContext, 'i18n'> & { question: Pick<Question, 'min' | 'max'> }): Part {
  if (min === undefined && max === undefined) return null
  return i18n.text(...numberHint({ min, max }, i18n.texts))
}

function numberHint(
  { min, max }: Pick<Question, 'min' | 'max'>,
  texts: Translator['texts'],
): [string, Record<string, number>] {
  if (min === undefined) return [texts.numberAtMost, { max: max! }]
  return max === undefined ? [texts.numberAtLeast, { min }] : [texts.numberBetween, { min, max }]
}
