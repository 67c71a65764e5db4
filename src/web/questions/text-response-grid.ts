import { html } from '../../lib/html.ts'
import { t } from '../i18n/t.ts'
import { textLines } from './paper.ts'
import type { QuestionView } from './question-view.ts'
import { rowList } from './rows.ts'
import { linesField } from './setting-fields.ts'
import { textInput } from './text-input.ts'

/** How a `text-response-grid` question is drawn and edited. */
export const textResponseGrid: QuestionView<'text-response-grid'> = {
  idname: 'text-response-grid',
  name: () => ({ label: t('Grid of texts'), hint: t('One text for each row.'), words: t('matrix table open') }),
  settings: () => [linesField()],
  isFullWidth: true,
  paper: {
    render: ({ question, i18n }) =>
      html`<table class="paper-rows">
        <tbody>
          ${question.fields.map(
            ({ row }) => html`<tr><th scope="row">${i18n.surveyText(row?.label)}</th><td>${textLines(1)}</td></tr>`,
          )}
        </tbody>
      </table>`,
  },
  render: rowList((context, field) => textInput(context, field, field.required)),
}
