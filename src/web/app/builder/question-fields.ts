import type { ItemChange, QuestionChange } from '../../../domain/structure/edit/operation.ts'
import { noText, yesText } from '../../../domain/structure/language-text.ts'
import { isAutomatic, type KnownKind, questionTypes } from '../../../questions/index.ts'
import { type FormFields, formValue, formValues } from '../../forms/form-fields.ts'
import { perLanguage, t } from '../../i18n/t.ts'

/** The questionTypes of form controls for a setting. */
type SettingControl = 'check' | 'count' | 'number' | 'line' | 'text' | 'select' | 'checks' | 'numbers'

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
  const { fieldType, choices, grid } = questionTypes[kind]
  return [
    ...(fieldType && !isAutomatic(kind) ? [required()] : []),
    ...(choices && !grid ? [randomize()] : []),
    ...(settingsByKind()[kind] ?? []),
  ]
}

/** Returns the lists of items in the form of a question type: choices, rows or columns. */
export function listsOf(kind: KnownKind): { rows: 'row' | undefined; choices: 'choice' | 'column' | undefined } {
  const { choices, grid } = questionTypes[kind]
  return { rows: grid ? 'row' : undefined, choices: choices ? (grid ? 'column' : 'choice') : undefined }
}

/**
 * Maximum number of choices or rows that are read from a form. It is higher than the limit of the domain. If a form has
 * too many choices, the domain therefore receives more choices than it accepts, and rejects the form.
 */
const MAX_ITEMS = 2000

/** A choice, row or column as the author entered it in the form. */
export interface EnteredItem {
  uid: string
  label: string
  score: string
  other: boolean
  exclusive: boolean
  /** undefined if the form has no field for a code. */
  code?: string
  /** The URL and the description of the image; undefined if the form has no fields for an image. */
  image?: { url: string; alt: string }
}

const textOf = (form: FormFields, name: string): string => (formValue(form, name) ?? '').replaceAll('\r\n', '\n')

/**
 * Returns the choices, rows or columns of a form. If a button that moves or removes an item was pressed, moves or
 * removes the item. Appends the new items.
 * @param name the name of the list: `choice` or `row`
 */
export function parseItems(form: FormFields, name: string): EnteredItem[] {
  const items: EnteredItem[] = []
  for (let index = 0; index < MAX_ITEMS; index += 1) {
    const label = formValue(form, `${name}.${index}.label`)
    if (label === undefined) break
    const value = (member: string) => formValue(form, `${name}.${index}.${member}`) ?? ''
    const [other, exclusive] = [value('other') !== '', value('exclusive') !== '']
    const url = formValue(form, `${name}.${index}.image`)
    const image = url === undefined ? {} : { image: { url: url.trim(), alt: value('alt').trim() } }
    const code = formValue(form, `${name}.${index}.code`)?.trim()
    items.push({
      uid: value('uid'),
      label,
      score: value('score').trim(),
      other,
      exclusive,
      ...(code !== undefined && { code }),
      ...image,
    })
  }
  const added = textOf(form, `${name}.new`)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .slice(0, MAX_ITEMS)
  const [action, list, position] = (formValue(form, 'do') ?? '').split('.')
  const at = Number(position)
  const [item] = list === name && items[at] ? items.splice(at, 1) : []
  if (item && action === 'up') items.splice(Math.max(0, at - 1), 0, item)
  if (item && action === 'down') items.splice(at + 1, 0, item)
  if (item && action === 'image') items.splice(at, 0, item)
  if (item && action === 'remove-image') items.splice(at, 0, { ...item, image: { url: '', alt: '' } })
  return [...items, ...added.map((label) => ({ uid: '', label, score: '', other: false, exclusive: false }))]
}

const itemChange = (
  { uid, label, score, other, exclusive, code, image }: EnteredItem,
  language: string,
): ItemChange => ({
  ...(/^\d{1,9}$/.test(uid) && { uid: Number(uid) }),
  label: { [language]: label.trim() },
  score: score === '' ? null : numberOf(score),
  other,
  exclusive,
  ...(code !== undefined && { code: code || null }),
  ...(image && { image: image.url || image.alt ? { url: image.url, alt: { [language]: image.alt } } : null }),
})

const rowChange = (item: EnteredItem, code: string): ItemChange => {
  const { uid, label } = itemChange(item, code)
  return { ...(uid !== undefined && { uid }), label }
}

/**
 * Converts a text to a number. If the text is not a number, returns the text unchanged, so that the domain rejects it
 * with an error that names the field.
 */
const numberOf = (text: string): number => {
  const number = Number(text.replace(',', '.'))
  return Number.isNaN(number) ? (text as unknown as number) : number
}

/** Returns the change that the form of a question requests. The texts in the change are in the default language. */
export function parseQuestion(form: FormFields, kind: KnownKind, code: string): QuestionChange {
  const settings = settingsOf(kind)
  const { rows, choices } = listsOf(kind)
  const values = (ofValidation: boolean) =>
    Object.fromEntries(
      settings
        .filter((setting) => (setting.ofValidation ?? false) === ofValidation)
        .map((setting) => [setting.name, settingValue(setting, form, code)]),
    )
  return {
    title: { [code]: textOf(form, 'title').trim() },
    description: { [code]: textOf(form, 'description').trim() },
    identifier: textOf(form, 'identifier').trim() || null,
    settings: values(false),
    ...(settings.some(({ ofValidation }) => ofValidation) && { validation: values(true) }),
    ...(choices && { choices: parseItems(form, 'choice').map((item) => itemChange(item, code)) }),
    ...(rows && { rows: parseItems(form, 'row').map((item) => rowChange(item, code)) }),
    ...(kind === 'boolean-choice' && yesNoLabels(form, code)),
  }
}

/**
 * Returns the default label of yes (0) or no (1) in a language. If the language has no default label, returns the
 * English one.
 */
const defaultLabel = (index: number, code: string): string => {
  const texts = index === 0 ? yesText : noText
  return texts[code] ?? texts.en!
}

/**
 * Returns the change of the labels of yes and no. A label that the author cleared becomes the default label. If both
 * fields are blank and no labels are stored, returns an empty change.
 */
function yesNoLabels(form: FormFields, code: string): QuestionChange {
  const entered = ['yes', 'no'].map((name) => ({
    label: textOf(form, name).trim(),
    uid: formValue(form, `${name}.uid`) ?? '',
    // A label that was blank before and is still blank stays blank.
    stays: formValue(form, `${name}.uid`) !== '' && formValue(form, `${name}.was`) === '',
  }))
  if (entered.every(({ label, uid }) => label === '' && uid === '')) return {}
  return {
    choices: entered.map(({ label, uid, stays }, index) => ({
      ...(/^[01]$/.test(uid) && { uid: Number(uid) }),
      label: { [code]: label || (stays ? '' : defaultLabel(index, code)) },
    })),
  }
}

const checked = (form: FormFields, name: string): boolean => formValue(form, name) !== undefined

function settingValue({ name, control }: QuestionSetting, form: FormFields, code: string): unknown {
  const value = textOf(form, name).trim()
  switch (control) {
    case 'checks':
      return form[name] === undefined ? null : [...formValues(form, name)]
    case 'check':
      return checked(form, name)
    case 'count':
    case 'number':
      return value === '' ? null : numberOf(value)
    case 'numbers':
      return value === ''
        ? null
        : value
            .split(/[\s;]+/)
            .filter((part) => part !== '')
            .map(numberOf)
    case 'text':
      return { [code]: value }
    default:
      return value === '' ? null : value
  }
}
