import { html } from '../../lib/html.ts'
import { t } from '../i18n/t.ts'
import type { QuestionView } from './question-view.ts'

/** How a `calculation` question is drawn and edited. */
export const calculation: QuestionView<'calculation'> = {
  idname: 'calculation',
  name: () => ({
    label: t('Calculation'),
    hint: t('A number calculated from earlier answers.'),
    words: t('equation formula expression score sum'),
  }),
  settings: () => [
    {
      name: 'expression',
      control: 'line',
      label: t('Expression'),
      hint: t(
        'Use numbers and the answers to earlier questions. Write the short name or ID of a question in double braces, for example {{ price }} * {{ pieces }} or mean({{ taste }}, {{ look }}). The value of a choice is its score.',
      ),
    },
    { name: 'decimals', control: 'count', label: t('Decimal places'), hint: t('Default: 2.') },
  ],
  render: () => html``,
}
