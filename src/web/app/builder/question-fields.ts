import type { KnownKind } from '../../../domain/structure/kinds.ts'
import { isAutomatic, kinds } from '../../../domain/structure/kinds.ts'
import { perLanguage, t } from '../../i18n/t.ts'

/** The kinds of form controls for a setting. */
export type SettingControl = 'check' | 'count' | 'number' | 'line' | 'text' | 'select' | 'checks' | 'numbers'

/** A setting in the form of a question. */
export interface QuestionSetting {
  /** The name of the member in the structure. */
  name: string
  control: SettingControl
  label: string
  hint?: string
  /** Whether the setting is a member of `validation`. */
  ofValidation?: true
  /** The options of a drop-down list or of a group of checkboxes. In a drop-down list, '' means no value. */
  options?: readonly { value: string; label: string }[]
}

const required: () => QuestionSetting = perLanguage(() => ({
  name: 'required',
  control: 'check',
  label: t('Required'),
  hint: t('Respondents must answer before they can continue.'),
}))
const randomize: () => QuestionSetting = perLanguage(() => ({
  name: 'randomize',
  control: 'check',
  label: t('Random order'),
  hint: t('Each respondent sees the choices in a different order.'),
}))
const bounds: () => readonly QuestionSetting[] = perLanguage(() => [
  { name: 'minSelected', control: 'count', label: t('Minimum number of selected choices') },
  { name: 'maxSelected', control: 'count', label: t('Maximum number of selected choices') },
])
const lines: () => QuestionSetting = perLanguage(() => ({
  name: 'lines',
  control: 'count',
  label: t('Height in lines'),
  hint: t('Use 1 for a short answer, and 5 for a paragraph. Default: 1.'),
}))
const validation: () => readonly QuestionSetting[] = perLanguage(() => [
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
])

const unit: () => QuestionSetting = perLanguage(() => ({
  name: 'unit',
  control: 'text',
  label: t('Unit'),
  hint: t('Shown next to the field, for example kg.'),
}))
const numberLimits: () => readonly QuestionSetting[] = perLanguage(() => [
  { name: 'min', control: 'number', label: t('Minimum value') },
  { name: 'max', control: 'number', label: t('Maximum value') },
])

const settingsByKind: () => { readonly [Kind in KnownKind]?: readonly QuestionSetting[] } = perLanguage(() => ({
  'text-response': [lines(), ...validation()],
  'multiple-choice': bounds(),
  ranking: bounds(),
  calculation: [
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
  consent: [
    { name: 'statement', control: 'text', label: t('Text of the checkbox'), hint: t('Default: “I agree”.') },
    {
      name: 'version',
      control: 'line',
      label: t('Version'),
      hint: t('Stored with the answer, for example 2026-01. Change it when you change the texts.'),
    },
  ],
  'image-choice': [
    {
      name: 'multiple',
      control: 'check',
      label: t('Several choices'),
      hint: t('Respondents can select several images.'),
    },
    ...bounds(),
  ],
  'file-upload': [
    {
      name: 'fileTypes',
      control: 'checks',
      label: t('Accepted files'),
      hint: t('Leave all boxes unticked to accept all of these types.'),
      options: [
        { value: 'image', label: t('Images') },
        { value: 'pdf', label: 'PDF' },
        { value: 'document', label: t('Text documents and presentations') },
        { value: 'spreadsheet', label: t('Spreadsheets and CSV') },
        { value: 'text', label: t('Plain text') },
        { value: 'audio', label: t('Audio') },
        { value: 'video', label: t('Video') },
        { value: 'archive', label: t('ZIP files') },
      ],
    },
    { name: 'maxFiles', control: 'count', label: t('Maximum number of files'), hint: t('From 1 to 10. Default: 1.') },
    { name: 'maxSize', control: 'count', label: t('Maximum size of a file in MB'), hint: t('Default: 10.') },
  ],
  datetime: [
    {
      name: 'format',
      control: 'select',
      label: t('Respondents enter'),
      options: [
        { value: '', label: t('Date and time') },
        { value: 'date', label: t('Date') },
        { value: 'time', label: t('Time') },
      ],
    },
    {
      name: 'earliest',
      control: 'line',
      label: t('First day'),
      hint: t('A date such as 2026-01-31, today, or today with a number of days such as today-7.'),
    },
    { name: 'latest', control: 'line', label: t('Last day'), hint: t('For example today, for a date of birth.') },
  ],
  'hidden-field': [
    {
      name: 'default',
      control: 'line',
      label: t('Default value'),
      hint: t('Used if the survey link contains no value.'),
    },
  ],
  'net-promoter': [
    { name: 'leftLabel', control: 'text', label: t('Label of 0') },
    { name: 'rightLabel', control: 'text', label: t('Label of 10') },
  ],
  'text-response-grid': [lines()],
  number: [
    ...numberLimits(),
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
    unit(),
  ],
  rating: [
    { name: 'steps', control: 'count', label: t('Number of stars'), hint: t('From 3 to 10. Default: 5.') },
    { name: 'leftLabel', control: 'text', label: t('Label of the first star') },
    { name: 'rightLabel', control: 'text', label: t('Label of the last star') },
  ],
  slider: [
    { name: 'min', control: 'number', label: t('Lowest value'), hint: t('Default: 0.') },
    { name: 'max', control: 'number', label: t('Highest value'), hint: t('Default: 100.') },
    { name: 'step', control: 'number', label: t('Step'), hint: t('The distance between two values. Default: 1.') },
    unit(),
    { name: 'leftLabel', control: 'text', label: t('Label of the lowest value') },
    { name: 'rightLabel', control: 'text', label: t('Label of the highest value') },
  ],
}))

/** Returns the settings of a question type, in the order of the form. */
export function settingsOf(kind: KnownKind): readonly QuestionSetting[] {
  const { fieldType, choices, grid } = kinds[kind]
  return [
    ...(fieldType && !isAutomatic(kind) ? [required()] : []),
    ...(choices && !grid ? [randomize()] : []),
    ...(settingsByKind()[kind] ?? []),
  ]
}

/** Returns the lists of items in the form of a question type: choices, rows or columns. */
export function listsOf(kind: KnownKind): { rows: 'row' | undefined; choices: 'choice' | 'column' | undefined } {
  const { choices, grid } = kinds[kind]
  return { rows: grid ? 'row' : undefined, choices: choices ? (grid ? 'column' : 'choice') : undefined }
}
