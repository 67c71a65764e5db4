import { html } from '../../lib/html.ts'
import { t } from '../i18n/t.ts'
import { optionsOf } from './choice-list.ts'
import { oneInRows } from './paper.ts'
import type { QuestionView, RenderQuestion } from './question-view.ts'
import { describedBy } from './render-context.ts'
import { renderNumberedGrid, rowList } from './rows.ts'

/** How a `dropdown-grid` question is drawn and edited. */
export const dropdownGrid: QuestionView<'dropdown-grid'> = {
  idname: 'dropdown-grid',
  name: () => ({
    label: t('Grid of dropdowns'),
    hint: t('One dropdown for each row.'),
    words: t('matrix table select'),
  }),
  isFullWidth: true,
  paper: oneInRows,
  render: (context) => (context.oversized ? renderNumberedGrid(context) : renderListedGrid(context)),
}

const renderListedGrid: RenderQuestion = rowList(
  (context, field, id) =>
    html`<select class="box" id="${id}" name="${field.storedKey}"
        autocomplete="off"${describedBy(context, field.key)}${field.required && html` required`}>
      ${optionsOf(context, field.key, field.choices)}
    </select>`,
)
