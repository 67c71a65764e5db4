import type { ItemChange, QuestionChange } from '../../../domain/structure/edit/operation.ts'
import { noText, yesText } from '../../../domain/structure/language-text.ts'
import { isAutomatic, type KnownKind, questionTypes } from '../../../questions/index.ts'
import { type FormFields, formValue, formValues } from '../../forms/form-fields.ts'
import { perLanguage, t } from '../../i18n/t.ts'
import { viewOf } from '../../questions/index.ts'
import type { QuestionSetting } from '../../questions/question-view.ts'

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
/** Returns the settings of a question type, in the order of the form. */
export function settingsOf(kind: KnownKind): readonly QuestionSetting[] {
  const { fieldType, choices, grid } = questionTypes[kind]
  return [
    ...(fieldType && !isAutomatic(kind) ? [required()] : []),
    ...(choices && !grid && !isAutomatic(kind) ? [randomize()] : []),
    ...(viewOf(kind).settings?.() ?? []),
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
  /** Whether the label is that of a new choice or row, which the author has not replaced yet. */
  isNew?: boolean
  score: string
  /** undefined if the form has no field for a weight. */
  weight?: string
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
    const weight = formValue(form, `${name}.${index}.weight`)?.trim()
    items.push({
      uid: value('uid'),
      label,
      score: value('score').trim(),
      other,
      exclusive,
      ...(code !== undefined && { code }),
      ...(weight !== undefined && { weight }),
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
  { uid, label, score, weight, other, exclusive, code, image }: EnteredItem,
  language: string,
): ItemChange => ({
  ...(/^\d{1,9}$/.test(uid) && { uid: Number(uid) }),
  label: { [language]: label.trim() },
  score: score === '' ? null : numberOf(score),
  other,
  exclusive,
  ...(code !== undefined && { code: code || null }),
  ...(weight !== undefined && { weight: weight === '' ? null : numberOf(weight) }),
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
    ...(questionTypes[kind].yesNo && yesNoLabels(form, code)),
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
