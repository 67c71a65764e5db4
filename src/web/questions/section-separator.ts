import { type Html, html } from '../../lib/html.ts'
import { t } from '../i18n/t.ts'
import type { QuestionView, RenderContext } from './question-view.ts'

/** How a `section-separator` question is drawn and edited. */
export const sectionSeparator: QuestionView<'section-separator'> = {
  idname: 'section-separator',
  name: () => ({
    label: t('Heading or text'),
    hint: t('Shows text between questions.'),
    words: t('section separator paragraph'),
  }),
  render,
}

/** Renders the texts of a question. Questions of an unknown type have no more than these. */
export function render({ question, i18n }: RenderContext): Html {
  const title = i18n.plainText(question.title)
  return html`${title !== '' && html`<h2>${i18n.surveyText(question.title)}</h2>`}${
    i18n.plainText(question.description) !== '' &&
    html`<p class="description">${i18n.surveyText(question.description)}</p>`
  }`
}
