import { html } from '../../lib/html.ts'
import { t } from '../i18n/t.ts'
import type { QuestionView } from './question-view.ts'

/** How a `random-group` question is drawn and edited. */
export const randomGroup: QuestionView<'random-group'> = {
  idname: 'random-group',
  name: () => ({
    label: t('Random group'),
    hint: t('Assigns each respondent to a group, for A/B tests.'),
    words: t('experiment ab test split randomise assignment variant condition arm'),
  }),
  render: () => html``,
}
