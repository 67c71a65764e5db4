import { type Html, html } from '../../lib/html.ts'
import { t } from '../i18n/t.ts'
import { choicesOf, clearButton, group } from './choice-list.ts'
import { oneChoice } from './paper.ts'
import type { QuestionView, RenderContext } from './question-view.ts'
import { isSelected, mainField } from './render-context.ts'

/** How a `boolean-choice` question is drawn and edited. */
export const booleanChoice: QuestionView<'boolean-choice'> = {
  idname: 'boolean-choice',
  name: () => ({ label: t('Yes or no'), hint: t('Two choices.'), words: t('boolean true false') }),
  isRadio: true,
  paper: oneChoice,
  render,
}

/** Renders `boolean-choice`. The form submits the choice with the number 0 as true. */
function render(context: RenderContext): Html {
  const { key } = mainField(context.question)
  const { question, i18n, idOf } = context
  return group(
    context,
    key,
    html`
      <div class="choices pair">
        ${choicesOf(context).map(({ index, uid, label }) => {
          const id = `${idOf(key)}-${index}`
          return html`<div class="choice">
            <input type="radio" id="${id}" name="${key}"
                value="${String(uid === 0)}"${isSelected(context, key, index === 0) && html` checked`}${
                  question.required && html` required`
                }>
            <label for="${id}">${i18n.surveyText(label)}</label>
          </div>`
        })}
      </div>
      ${clearButton(context, key)}`,
  )
}
