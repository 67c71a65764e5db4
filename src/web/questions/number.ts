import { html } from '../../lib/html.ts'
import { t } from '../i18n/t.ts'
import { keyboardOf, numberField, rangeHint } from './number-field.ts'
import { limits, numberBox } from './paper.ts'
import type { QuestionView } from './question-view.ts'
import { limitFields, unitField } from './setting-fields.ts'

/** How a `number` question is drawn and edited. */
export const number: QuestionView<'number'> = {
  idname: 'number',
  name: () => ({
    label: t('Number'),
    hint: t('A whole or decimal number, with an optional unit.'),
    words: t('integer decimal amount age quantity'),
  }),
  settings: () => [
    ...limitFields(),
    {
      name: 'also',
      control: 'numbers',
      label: t('Also accepted'),
      hint: t('Numbers outside of these limits, separated by spaces, for example 999 for a refusal.'),
    },
    {
      name: 'decimals',
      control: 'count',
      label: t('Decimal places'),
      hint: t('Default: 0, which accepts whole numbers only.'),
    },
    unitField(),
  ],
  hint: rangeHint,
  // Unlike a number field, a text field accepts a decimal comma, and keeps an entry that is not a number.
  paper: {
    instructions: (paper) => [
      decimals(paper.question.decimals),
      limits(paper),
      paper.question.also && t('Also accepted: {numbers}.', { numbers: paper.question.also.join(', ') }),
    ],
    render: numberBox,
  },
  render: (context) => numberField(context, html`type="text" inputmode="${keyboardOf(context.question)}"`),
}

const decimals = (count: number | undefined): string =>
  count ? t('Write a number with at most {count} decimal places.', { count }) : t('Write a whole number.')
