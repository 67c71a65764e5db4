import { t } from '../i18n/t.ts'
import { oneInRows } from './paper.ts'
import type { QuestionView } from './question-view.ts'
import { choiceGrid, renderNumberedGrid } from './rows.ts'

/** How a `single-choice-grid` question is drawn and edited. */
export const singleChoiceGrid: QuestionView<'single-choice-grid'> = {
  idname: 'single-choice-grid',
  name: () => ({
    label: t('Grid of choices'),
    hint: t('The same choices for several rows.'),
    words: t('matrix likert scale table'),
  }),
  isRadio: true,
  isFullWidth: true,
  paper: oneInRows,
  render: (context) => (context.oversized ? renderNumberedGrid(context) : choiceGrid(context, 'radio')),
}
