import { consentValue, hasConsented, isConsentValue } from '../../../domain/structure/parse-answers.ts'
import type { Answers } from '../../../domain/structure/questionnaire.ts'
import { html } from '../../../lib/html.ts'
import { group } from './choice.ts'
import { mainField, type RenderQuestion } from './render-context.ts'

/**
 * Renders `consent`: a checkbox whose value identifies the texts of the consent. If the respondent consented to an
 * earlier version of the texts, the checkbox is not ticked.
 */
export const renderConsent: RenderQuestion = (context) => {
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
    html`<div class="choices"><div class="choice"><input type="checkbox" id="${idOf(key)}-0" name="${key}" value="${value}"${isTicked && html` checked`}${question.required && html` required`}><label class="statement" for="${idOf(key)}-0">${statement}</label></div></div>`,
  )
}
