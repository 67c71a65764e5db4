import { consentValue, hasConsented, isConsentValue } from '../../domain/structure/parse-answers.ts'
import type { Answers } from '../../domain/structure/questionnaire.ts'
import { type Html, html } from '../../lib/html.ts'
import { t } from '../i18n/t.ts'
import { group } from './choice-list.ts'
import { isShown, TICK } from './paper.ts'
import type { QuestionView, RenderContext } from './question-view.ts'
import { mainField } from './render-context.ts'

/** How a `consent` question is drawn and edited. */
export const consent: QuestionView<'consent'> = {
  idname: 'consent',
  name: () => ({
    label: t('Consent'),
    hint: t('A checkbox. Canvass stores its text and the version of the text.'),
    words: t('legal gdpr privacy terms agree accept'),
  }),
  settings: () => [
    { name: 'statement', control: 'text', label: t('Text of the checkbox'), hint: t('Default: “I agree”.') },
    {
      name: 'version',
      control: 'line',
      label: t('Version'),
      hint: t('Stored with the answer, for example 2026-01. Change it when you change the texts.'),
    },
  ],
  isPersonal: true,
  paper: {
    instructions: () => [t('Tick the box if you agree.')],
    render({ question: { statement }, i18n }) {
      const text = isShown(statement, i18n) ? i18n.surveyText(statement) : i18n.text(i18n.texts.agree)
      return html`<ul class="paper-choices"><li>${TICK}<span class="code">1</span> <span>${text}</span></li></ul>`
    },
  },
  render,
}

/**
 * Renders `consent`: a checkbox whose value identifies the texts of the consent. If the respondent consented to an
 * earlier version of the texts, the checkbox is not ticked.
 */
function render(context: RenderContext): Html {
  const { question, i18n, q, values, idOf } = context
  const { key } = mainField(question)
  const value = consentValue(question, q, i18n.language)
  const entered = [values[key]].flat().at(-1)
  const isTicked = isConsentValue(entered) ? entered === value : hasConsented(question, q, values as Answers)
  const statement =
    i18n.plainText(question.statement) === '' ? i18n.text(i18n.texts.agree) : i18n.surveyText(question.statement)
  return group(
    context,
    key,
    html`<div class="choices">
      <div class="choice">
        <input type="checkbox" id="${idOf(key)}-0" name="${key}"
            value="${value}"${isTicked && html` checked`}${question.required && html` required`}>
        <label class="statement" for="${idOf(key)}-0">${statement}</label>
      </div>
    </div>`,
  )
}
