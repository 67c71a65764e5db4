import { t } from '../i18n/t.ts'
import { severalInRows } from './paper.ts'
import type { QuestionView } from './question-view.ts'
import { choiceGrid } from './rows.ts'

/** How a `multiple-choice-grid` question is drawn and edited. */
export const multipleChoiceGrid: QuestionView<'multiple-choice-grid'> = {
  idname: 'multiple-choice-grid',
  name: () => ({
    label: t('Grid of checkboxes'),
    hint: t('Several choices for each row.'),
    words: t('matrix multiple checkbox table'),
  }),
  exclusiveLabel: () => t('Cannot be combined with other choices'),
  isFullWidth: true,
  paper: severalInRows,
  render: (context) => choiceGrid(context, 'checkbox'),
}
