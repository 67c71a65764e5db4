import { type Html, html } from '../../lib/html.ts'
import { t } from '../i18n/t.ts'
import { clearButton, group, scaleEnds } from './choice-list.ts'
import { oneOfScale } from './paper.ts'
import type { QuestionView, RenderContext } from './question-view.ts'
import { isSelected, mainField } from './render-context.ts'

/** How a `rating` question is drawn and edited. */
export const rating: QuestionView<'rating'> = {
  idname: 'rating',
  name: () => ({
    label: t('Rating'),
    hint: t('A number of stars.'),
    words: t('star rating score scale satisfaction csat'),
  }),
  settings: () => [
    { name: 'steps', control: 'count', label: t('Number of stars'), hint: t('From 3 to 10. Default: 5.') },
    { name: 'leftLabel', control: 'text', label: t('Label of the first star') },
    { name: 'rightLabel', control: 'text', label: t('Label of the last star') },
  ],
  isRadio: true,
  isFullWidth: true,
  paper: oneOfScale,
  render,
}

/** Renders `rating`: a radio button for each number of stars. */
function render(context: RenderContext): Html {
  const { key } = mainField(context.question)
  const { question, idOf, i18n } = context
  const { choices, leftLabel, rightLabel } = question
  const of = choices.length
  const endLabel = (n: number) => (n === 1 ? leftLabel : n === of ? rightLabel : undefined)
  return group(
    context,
    key,
    html`
      <div class="stars">
        ${choices.map(({ index: n }) => {
          const id = `${idOf(key)}-${n}`
          const end = endLabel(n)
          return html`<div class="star">
            <input type="radio" id="${id}" name="${key}"
                value="${n}"${isSelected(context, key, n) && html` checked`}${question.required && html` required`}>
            <label for="${id}">
              <span class="hidden">
                ${i18n.text(i18n.texts.ratingValue, { n, of })}
                ${i18n.plainText(end) !== '' && html` (${i18n.surveyText(end)})`}
              </span>
              <span aria-hidden="true">${n}</span>
            </label>
          </div>`
        })}
      </div>
      ${scaleEnds(context, leftLabel, rightLabel)}
      ${clearButton(context, key)}`,
  )
}
