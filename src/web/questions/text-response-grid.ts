import { t } from '../i18n/t.ts'
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
  render: rowList((context, field) => textInput(context, field, field.required)),
}
