import { type Html, html } from '../../lib/html.ts'
import { t } from '../i18n/t.ts'
import { clearButton, group, scaleEnds } from './choice-list.ts'
import { oneOfScale } from './paper.ts'
import type { QuestionView, RenderContext } from './question-view.ts'
import { isSelected, mainField } from './render-context.ts'

/** How a `net-promoter` question is drawn and edited. */
export const netPromoter: QuestionView<'net-promoter'> = {
  idname: 'net-promoter',
  name: () => ({
    label: t('Net Promoter Score'),
    hint: t('A number from 0 to 10.'),
    words: t('nps rating scale recommend'),
  }),
  settings: () => [
    { name: 'leftLabel', control: 'text', label: t('Label of 0') },
    { name: 'rightLabel', control: 'text', label: t('Label of 10') },
  ],
  isRadio: true,
  isFullWidth: true,
  paper: oneOfScale,
  render,
}

/** Renders `net-promoter`: radio buttons for 0 to 10 in one row. */
function render(context: RenderContext): Html {
  const { key } = mainField(context.question)
  const { question, idOf, i18n } = context
  // Old structures have labels for single values in `categories`. If a structure has no `leftLabel` and `rightLabel`,
  // the labels of 0 and 10 are shown instead.
  const endLabel = (index: number) => {
    const label = question.choices[index]?.label
    return i18n.plainText(label) === String(index) ? undefined : label
  }
  const { leftLabel = endLabel(0), rightLabel = endLabel(10) } = question
  const labelOf = (index: number) => (index === 0 ? leftLabel : index === 10 ? rightLabel : endLabel(index))
  return group(
    context,
    key,
    html`
      <div class="scale">
        ${question.choices.map(({ index }) => {
          const id = `${idOf(key)}-${index}`
          const text = labelOf(index)
          return html`<div class="step">
            <input type="radio" id="${id}" name="${key}"
                value="${index}"${isSelected(context, key, index) && html` checked`}${
                  question.required && html` required`
                }>
            <label for="${id}">${index}${text && html`<span class="hidden"> (${i18n.surveyText(text)})</span>`}</label>
          </div>`
        })}
      </div>
      ${scaleEnds(context, leftLabel, rightLabel)}
      ${clearButton(context, key)}`,
  )
}
