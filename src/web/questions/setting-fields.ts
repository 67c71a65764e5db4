import { perLanguage, t } from '../i18n/t.ts'
import type { QuestionSetting } from './question-view.ts'

/** Settings that several question types have. */

export const bounds: () => readonly QuestionSetting[] = perLanguage(() => [
  { name: 'minSelected', control: 'count', label: t('Minimum number of selected choices') },
  { name: 'maxSelected', control: 'count', label: t('Maximum number of selected choices') },
])

export const linesField: () => QuestionSetting = perLanguage(() => ({
  name: 'lines',
  control: 'count',
  label: t('Height in lines'),
  hint: t('Use 1 for a short answer, and 5 for a paragraph. Default: 1.'),
}))

export const unitField: () => QuestionSetting = perLanguage(() => ({
  name: 'unit',
  control: 'text',
  label: t('Unit'),
  hint: t('Shown next to the field, for example kg.'),
}))

export const limitFields: () => readonly QuestionSetting[] = perLanguage(() => [
  { name: 'min', control: 'number', label: t('Minimum value') },
  { name: 'max', control: 'number', label: t('Maximum value') },
])
