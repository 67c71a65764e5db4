import { isAutomatic, type KnownKind } from '../../../domain/structure/kinds.ts'
import { settingOf } from '../../../domain/structure/setting.ts'
import type { StructureQuestion } from '../../../domain/structure/structure.ts'
import { uidOf } from '../../../domain/structure/uid.ts'
import { isRecord, type Json } from '../../../domain/structure/walk.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import { errorSentence, type FieldErrorTexts, field, textArea } from '../../forms/field.ts'
import { select } from '../../forms/select.ts'
import { perLanguage, t } from '../../i18n/t.ts'
import type { Difference } from './conflict.ts'
import { itemList, NOUNS } from './item-list.ts'
import type { EnteredItem } from './parse-question.ts'
import { listsOf, type QuestionSetting, settingsOf } from './question-fields.ts'
import { choicesOf, textOf } from './texts.ts'

/** The values of the form of a question. */
export interface QuestionForm {
  kind: KnownKind
  /** Returns the value of a field; '' for a checkbox that is not ticked. */
  value(name: string): string
  choices: readonly EnteredItem[]
  rows: readonly EnteredItem[]
  errors: FieldErrorTexts
}

/** Returns the form values of a stored question. */
export function storedValues(question: StructureQuestion, kind: KnownKind, code: string): Omit<QuestionForm, 'errors'> {
  const values: Record<string, string> = {
    title: textOf(question.title, code),
    description: textOf(question.description, code),
    identifier: typeof question.identifier === 'string' ? question.identifier : '',
  }
  const validation = settingOf(question, 'validation')
  for (const { name, control, ofValidation } of settingsOf(kind)) {
    const stored = ofValidation ? (isRecord(validation) ? validation[name] : undefined) : settingOf(question, name)
    values[name] =
      control === 'text'
        ? textOf(stored, code)
        : control === 'check'
          ? stored === true
            ? 'on'
            : ''
          : control === 'numbers'
            ? Array.isArray(stored)
              ? stored.join(' ')
              : String(stored ?? '')
            : String(stored ?? '')
  }
  // `datetime` is the default format of a date question. In the drop-down list of the form, the default has the value
  // ''.
  if (values.format === 'datetime') values.format = ''
  const choices = choicesOf(question)
  for (const [index, name] of ['yes', 'no'].entries()) {
    values[name] = textOf(choices[index]?.label, code)
    values[`${name}.was`] = values[name]
    values[`${name}.uid`] = choices[index] ? String(uidOf(choices[index], index)) : ''
  }
  const entered = (items: readonly Json[]) => items.map((item, index) => enteredItem(item, index, code))
  const { rows } = listsOf(kind)
  return {
    kind,
    value: (name) => values[name] ?? '',
    choices: entered(choices),
    rows: rows ? entered(question.children) : [],
  }
}

const enteredItem = (item: Json, index: number, code: string): EnteredItem => ({
  uid: String(uidOf(item, index)),
  label: textOf(item.label, code),
  score: item.score === undefined || item.score === null ? '' : String(item.score),
  other: item.other === true,
  exclusive: item.exclusive === true,
  code: typeof item.code === 'string' ? item.code : '',
  ...(isRecord(item.image) && { image: { url: String(item.image.url ?? ''), alt: textOf(item.image.alt, code) } }),
})

const YES_NO = perLanguage(
  () =>
    [
      { name: 'yes', label: t('Label for yes') },
      { name: 'no', label: t('Label for no') },
    ] as const,
)

/** Returns the fields whose values differ between two forms of a question, with both values as text. */
export function differencesOf(theirs: Omit<QuestionForm, 'errors'>, mine: Omit<QuestionForm, 'errors'>): Difference[] {
  const fields = [
    { name: 'title', label: t('Question') },
    { name: 'description', label: t('Description') },
    ...(mine.kind === 'boolean-choice' ? YES_NO() : []),
    ...settingsOf(mine.kind),
    { name: 'identifier', label: t('Short name') },
  ]
  const text = (value: string) => (value === 'on' ? t('Yes') : value.replaceAll('\r\n', '\n').trim())
  const items = (list: readonly EnteredItem[]) =>
    list.map(({ label, score }) => (score === '' ? label : `${label} (${score})`)).join(', ')
  const { rows, choices } = listsOf(mine.kind)
  return [
    ...fields.map(({ name, label }) => ({ label, theirs: text(theirs.value(name)), mine: text(mine.value(name)) })),
    { label: NOUNS()[rows ?? 'row'].all, theirs: items(theirs.rows), mine: items(mine.rows) },
    {
      label: NOUNS()[choices ?? 'choice'].all,
      theirs: items(theirs.choices),
      mine: choices ? items(mine.choices) : items(theirs.choices),
    },
  ].filter(({ theirs: before, mine: after }) => before !== after)
}

/**
 * Renders the fields of a question.
 * @param belowTexts is shown below the fields for the title and the description
 */
export function questionFields(form: QuestionForm, belowTexts: Part = null): Html {
  const { kind, value, errors } = form
  const { rows, choices } = listsOf(kind)
  const isText = kind === 'section-separator'
  const isHidden = isAutomatic(kind)
  const hint = isText
    ? t('Optional. Shown below the heading.')
    : isHidden
      ? t('Optional. Not shown to respondents.')
      : t('Optional. Shown below the question.')
  return html`${textArea({ name: 'title', label: isText ? t('Heading') : isHidden ? t('Name') : t('Question'), ...(isHidden && { hint: t('Shown in responses and reports, not to respondents.') }), value: value('title'), prose: true, rows: 2, errors })}
${textArea({ name: 'description', label: isText ? t('Text') : t('Description'), hint, value: value('description'), prose: true, rows: 2, errors })}${!isHidden && belowTexts}
${kind === 'boolean-choice' && yesNoFields(form)}
${rows && itemList({ name: 'row', noun: 'row', items: form.rows, errors })}
${choices && itemList({ name: 'choice', noun: choices, items: form.choices, errors, optionsOf: kind })}
${settingFields(form)}
${!isText && html`<details class="advanced"${errors.has('identifier') && html` open`}><summary>Advanced</summary>${field({ name: 'identifier', label: t('Short name'), hint: t('Used in exports, conditions and placeholders. Starts with a letter and contains only letters, digits and underscores. For example, drink.'), value: value('identifier'), errors })}</details>`}`
}

function yesNoFields({ value, errors }: QuestionForm): Html {
  return html`<div class="pair">${YES_NO().map(
    ({ name, label }) =>
      html`<input type="hidden" name="${name}.uid" value="${value(`${name}.uid`)}"><input type="hidden" name="${name}.was" value="${value(`${name}.was`)}">${field({ name, label, hint: t('Leave blank for the default.'), value: value(name), errors })}`,
  )}</div>`
}

function settingFields(form: QuestionForm): Part {
  const settings = settingsOf(form.kind)
  const own = settings.filter(({ ofValidation }) => !ofValidation)
  const [kind, ...limits] = settings.filter(({ ofValidation }) => ofValidation)
  const isOpen = limits.some(({ name }) => form.value(name) !== '' || form.errors.has(name))
  return html`${own.map((setting) => settingField(setting, form))}${kind && settingField(kind, form)}${
    limits.length > 0 &&
    html`<details class="advanced"${isOpen && html` open`}><summary>Limits and error message</summary>${limits.map((setting) => settingField(setting, form))}</details>`
  }`
}

function settingField({ name, control, label, hint, options = [] }: QuestionSetting, form: QuestionForm): Html {
  const { errors } = form
  const value = form.value(name)
  const common = { name, label, value, errors, ...(hint !== undefined && { hint }) }
  switch (control) {
    case 'check':
      return html`<div class="field tickbox"><label><input type="checkbox" name="${name}" value="on"${value !== '' && html` checked`}${hint !== undefined && html` aria-describedby="${name}-hint"`}> ${label}</label>${
        hint !== undefined && html`<p class="hint" id="${name}-hint">${hint}</p>`
      }${errors.has(name) && html`<p class="error">${errorSentence(label, errors.get(name)!)}</p>`}</div>`
    case 'count':
    case 'number':
      return field({
        ...common,
        short: true,
        attributes: html` inputmode="${control === 'count' ? 'numeric' : 'decimal'}"`,
      })
    case 'checks':
      return html`<fieldset class="field"${hint !== undefined && html` aria-describedby="${name}-hint"`}><legend>${label}</legend>${hint !== undefined && html`<p class="hint" id="${name}-hint">${hint}</p>`}${errors.has(name) && html`<p class="error">${errorSentence(label, errors.get(name)!)}</p>`}${options.map(
        (option) =>
          html`<div class="tickbox"><label><input type="checkbox" name="${name}" value="${option.value}"${value.split(',').includes(option.value) && html` checked`}> ${option.label}</label></div>`,
      )}</fieldset>`
    case 'select':
      return select({ ...common, options })
    default:
      return field(common)
  }
}
