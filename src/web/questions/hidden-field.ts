import { html } from '../../lib/html.ts'
import { t } from '../i18n/t.ts'
import type { QuestionView } from './question-view.ts'

/** How a `hidden-field` question is drawn and edited. */
export const hiddenField: QuestionView<'hidden-field'> = {
  idname: 'hidden-field',
  name: () => ({
    label: t('Hidden value'),
    hint: t('Takes a value from the survey link.'),
    words: t('parameter url variable'),
  }),
  settings: () => [
    {
      name: 'default',
      control: 'line',
      label: t('Default value'),
      hint: t('Used if the survey link contains no value.'),
    },
  ],
  render: () => html``,
}
