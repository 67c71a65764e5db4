import type { KnownKind } from '../../../domain/structure/kinds.ts'
import { isAutomatic, kinds } from '../../../domain/structure/kinds.ts'

/** The control of a setting. */
export type SettingControl = 'check' | 'count' | 'number' | 'line' | 'text' | 'select' | 'checks'

/** A setting in the form of a question. */
export interface QuestionSetting {
  /** The member of the structure. */
  name: string
  control: SettingControl
  label: string
  hint?: string
  /** Whether the setting is a member of `validation`. */
  ofValidation?: true
  /** The options of a select, where '' stands for no value, or of several boxes to tick. */
  options?: readonly { value: string; label: string }[]
}

const required: QuestionSetting = {
  name: 'required',
  control: 'check',
  label: 'Required',
  hint: 'Respondents must answer before they can continue.',
}
const randomize: QuestionSetting = {
  name: 'randomize',
  control: 'check',
  label: 'Random order',
  hint: 'Each respondent sees the choices in a different order.',
}
const bounds: readonly QuestionSetting[] = [
  { name: 'minSelected', control: 'count', label: 'Minimum number of choices' },
  { name: 'maxSelected', control: 'count', label: 'Maximum number of choices' },
]
const lines: QuestionSetting = {
  name: 'lines',
  control: 'count',
  label: 'Height in lines',
  hint: 'Use 1 for a short answer, and 5 for a paragraph. Default: 1.',
}
const validation: readonly QuestionSetting[] = [
  {
    name: 'kind',
    control: 'select',
    label: 'Accepted answers',
    ofValidation: true,
    options: [
      { value: '', label: 'Any text' },
      { value: 'email', label: 'Email address' },
      { value: 'integer', label: 'Whole number' },
      { value: 'number', label: 'Number' },
      { value: 'url', label: 'Web address' },
      { value: 'phone', label: 'Telephone number' },
      { value: 'letters', label: 'Letters only' },
    ],
  },
  { name: 'min', control: 'number', label: 'Minimum value', hint: 'For numbers.', ofValidation: true },
  { name: 'max', control: 'number', label: 'Maximum value', hint: 'For numbers.', ofValidation: true },
  { name: 'minLength', control: 'count', label: 'Minimum number of characters', ofValidation: true },
  { name: 'maxLength', control: 'count', label: 'Maximum number of characters', ofValidation: true },
  {
    name: 'message',
    control: 'text',
    label: 'Error message',
    hint: 'Shown instead of the default message.',
    ofValidation: true,
  },
]

const unit: QuestionSetting = {
  name: 'unit',
  control: 'text',
  label: 'Unit',
  hint: 'Shown next to the field, for example kg.',
}
const numberLimits: readonly QuestionSetting[] = [
  { name: 'min', control: 'number', label: 'Minimum value' },
  { name: 'max', control: 'number', label: 'Maximum value' },
]

const settingsByKind: { readonly [Kind in KnownKind]?: readonly QuestionSetting[] } = {
  'text-response': [lines, ...validation],
  'multiple-choice': bounds,
  ranking: bounds,
  calculation: [
    {
      name: 'expression',
      control: 'line',
      label: 'Expression',
      hint: 'Combine numbers with earlier questions, by short name or ID: for example {{ price }} * {{ pieces }} or mean({{ taste }}, {{ look }}). A choice counts with its score.',
    },
    { name: 'decimals', control: 'count', label: 'Decimal places', hint: 'Default: 2.' },
  ],
  consent: [
    { name: 'statement', control: 'text', label: 'Text of the checkbox', hint: 'Default: “I agree”.' },
    {
      name: 'version',
      control: 'line',
      label: 'Version',
      hint: 'Stored with the answer, for example 2026-01. Change it when you change the texts.',
    },
  ],
  'image-choice': [
    { name: 'multiple', control: 'check', label: 'Several choices', hint: 'Respondents can select several images.' },
    ...bounds,
  ],
  'file-upload': [
    {
      name: 'fileTypes',
      control: 'checks',
      label: 'Accepted files',
      hint: 'Leave all boxes unticked to accept all of these types.',
      options: [
        { value: 'image', label: 'Images' },
        { value: 'pdf', label: 'PDF' },
        { value: 'document', label: 'Text documents and presentations' },
        { value: 'spreadsheet', label: 'Spreadsheets and CSV' },
        { value: 'text', label: 'Plain text' },
        { value: 'audio', label: 'Audio' },
        { value: 'video', label: 'Video' },
        { value: 'archive', label: 'ZIP files' },
      ],
    },
    { name: 'maxFiles', control: 'count', label: 'Maximum number of files', hint: 'From 1 to 10. Default: 1.' },
    { name: 'maxSize', control: 'count', label: 'Maximum size of a file in MB', hint: 'Default: 10.' },
  ],
  datetime: [
    {
      name: 'format',
      control: 'select',
      label: 'Respondents enter',
      options: [
        { value: '', label: 'Date and time' },
        { value: 'date', label: 'Date' },
        { value: 'time', label: 'Time' },
      ],
    },
  ],
  'hidden-field': [
    { name: 'default', control: 'line', label: 'Default value', hint: 'Used if the survey link contains no value.' },
  ],
  'net-promoter': [
    { name: 'leftLabel', control: 'text', label: 'Label of 0' },
    { name: 'rightLabel', control: 'text', label: 'Label of 10' },
  ],
  'text-response-grid': [lines],
  number: [
    ...numberLimits,
    { name: 'decimals', control: 'count', label: 'Decimal places', hint: 'Default: 0, whole numbers only.' },
    unit,
  ],
  rating: [
    { name: 'steps', control: 'count', label: 'Number of stars', hint: 'From 3 to 10. Default: 5.' },
    { name: 'leftLabel', control: 'text', label: 'Label of one star' },
    { name: 'rightLabel', control: 'text', label: 'Label of the last star' },
  ],
  slider: [
    { name: 'min', control: 'number', label: 'Lowest value', hint: 'Default: 0.' },
    { name: 'max', control: 'number', label: 'Highest value', hint: 'Default: 100.' },
    { name: 'step', control: 'number', label: 'Step', hint: 'The distance between two values. Default: 1.' },
    unit,
    { name: 'leftLabel', control: 'text', label: 'Label of the lowest value' },
    { name: 'rightLabel', control: 'text', label: 'Label of the highest value' },
  ],
}

/** Returns the settings of a question type, in the order of the form. */
export function settingsOf(kind: KnownKind): readonly QuestionSetting[] {
  const { fieldType, choices, grid } = kinds[kind]
  return [
    ...(fieldType && !isAutomatic(kind) ? [required] : []),
    ...(choices && !grid ? [randomize] : []),
    ...(settingsByKind[kind] ?? []),
  ]
}

/** The lists of items in the form of a question type: choices, rows and columns. */
export function listsOf(kind: KnownKind): { rows: string | undefined; choices: string | undefined } {
  const { choices, grid } = kinds[kind]
  return { rows: grid ? 'row' : undefined, choices: choices ? (grid ? 'column' : 'choice') : undefined }
}
