import { type Html, html } from '../../lib/html.ts'
import { t } from '../i18n/t.ts'
import { choicesOf, liveAttribute, liveTemplate, option, optionsOf, otherBox } from './choice-list.ts'
import { oneChoice } from './paper.ts'
import type { QuestionView, RenderContext } from './question-view.ts'
import { describedBy, descriptionOf, errorView, mainField, titleOf } from './render-context.ts'

/** How a `dropdown-choice` question is drawn and edited. */
export const dropdownChoice: QuestionView<'dropdown-choice'> = {
  idname: 'dropdown-choice',
  name: () => ({ label: t('Dropdown'), hint: t('One choice from a long list.'), words: t('select menu list') }),
  withOther: true,
  exclusiveLabel: () => t('Always at the end, even in random order'),
  paper: oneChoice,
  render,
}

/** Renders `dropdown-choice`. */
function render(context: RenderContext): Html {
  const { key } = mainField(context.question)
  const other = (context.isLive ? context.question.choices : context.offered).find((choice) => choice.other)
  return html`
    <label class="question-label" for="${context.idOf(key)}">${titleOf(context)}</label>
    ${descriptionOf(context)}
    ${errorView(context, key)}
    <select class="box" id="${context.idOf(key)}" name="${key}"
        autocomplete="off"${liveAttribute(context)}${describedBy(context, key)}${
          context.question.required && html` required`
        }>${optionsOf(context, key, choicesOf(context))}</select>
    ${other && otherBox(context, other)}
    ${liveTemplate(context, option(context, key))}`
}
