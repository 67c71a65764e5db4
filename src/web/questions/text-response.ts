import { t } from '../i18n/t.ts'
import { ownLines } from './paper.ts'
import type { QuestionView } from './question-view.ts'
import { linesField } from './setting-fields.ts'
import { renderTextField } from './text-input.ts'

/** How a `text-response` question is drawn and edited. */
export const textResponse: QuestionView<'text-response'> = {
  idname: 'text-response',
  name: () => ({ label: t('Text'), hint: t('A short or long answer.'), words: t('open paragraph comment') }),
  settings: () => [
    linesField(),
    {
      name: 'kind',
      control: 'select',
      label: t('Accepted answers'),
      ofValidation: true,
      options: [
        { value: '', label: t('Any text') },
        { value: 'email', label: t('Email address') },
        { value: 'integer', label: t('Whole number') },
        { value: 'number', label: t('Number') },
        { value: 'url', label: t('Web address') },
        { value: 'phone', label: t('Telephone number') },
        { value: 'letters', label: t('Letters only') },
      ],
    },
    { name: 'min', control: 'number', label: t('Minimum value'), hint: t('For numbers.'), ofValidation: true },
    { name: 'max', control: 'number', label: t('Maximum value'), hint: t('For numbers.'), ofValidation: true },
    { name: 'minLength', control: 'count', label: t('Minimum number of characters'), ofValidation: true },
    { name: 'maxLength', control: 'count', label: t('Maximum number of characters'), ofValidation: true },
    {
      name: 'message',
      control: 'text',
      label: t('Error message'),
      hint: t('Shown instead of the default message.'),
      ofValidation: true,
    },
  ],
  paper: ownLines,
  render: renderTextField,
}
