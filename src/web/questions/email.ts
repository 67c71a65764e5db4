import { t } from '../i18n/t.ts'
import { oneLine } from './paper.ts'
import type { QuestionView } from './question-view.ts'
import { renderTextField } from './text-input.ts'

/** How a `email` question is drawn and edited. */
export const email: QuestionView<'email'> = {
  idname: 'email',
  name: () => ({ label: t('Email'), hint: t('An email address.'), words: t('mail contact address') }),
  paper: oneLine,
  render: renderTextField,
}
