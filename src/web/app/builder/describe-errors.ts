import { type FieldError, type ValueError, valueError } from '../../../domain/field-error.ts'
import type { Structure } from '../../../domain/structure/structure.ts'
import { type KnownKind, kindOf } from '../../../questions/index.ts'
import { errorSentence } from '../../forms/field.ts'
import { errorText } from '../../i18n/error-texts.ts'
import { perLanguage, t } from '../../i18n/t.ts'
import { capitalize } from '../../layout/format.ts'
import { listsOf, settingsOf } from './question-fields.ts'
import { cardTitle, defaultCode, nameOfPage } from './texts.ts'

/**
 * Returns the errors of an operation as sentences for authors. The sentences name questions and pages instead of JSON
 * pointers.
 * @param structure the structure after the operation
 */
export const describeErrors = (errors: readonly FieldError[], structure: Structure): string[] => [
  ...new Set(errors.map((error) => describeError(error, structure))),
]

function describeError(error: FieldError, structure: Structure): string {
  const { field, code } = error
  const message = errorText(error)
  const [, member, index, inner, position, ...rest] = field.split('/')
  const language = defaultCode(structure)
  if (member === 'quotas') {
    const name = String(structure.quotas?.[Number(index)]?.name ?? '')
    return sentence(t('Quota “{value}”', { value: name }), error, message, [inner ?? '', ...rest])
  }
  const page = member === 'form' ? structure.form[Number(index)] : undefined
  if (!page) return field.startsWith('/') ? t('Survey: {message}.', { message }) : `${message}`
  const question = inner === 'children' ? page.children[Number(position)] : undefined
  const [, choice] = /\/choices\/(\d+)\/image\/alt$/.exec(field) ?? []
  if (question && choice !== undefined && code === 'required')
    return t('“{title}”: describe the image of choice {number}.', {
      title: cardTitle(question, structure, language),
      number: Number(choice) + 1,
    })
  if (question) {
    const name = t('“{title}”', { title: cardTitle(question, structure, language) })
    const kind = kindOf(question.idname)
    return kind === 'unknown' || isLogic(rest) || isFilter(rest)
      ? sentence(name, error, message, rest)
      : `${name}: ${settingError(error, kind)}`
  }
  return sentence(nameOfPage(page, Number(index), language), error, message, [inner ?? '', ...rest])
}

/** Error texts for conditions and skips, with the terms that the builder uses. */
const LOGIC_ERRORS: () => Readonly<Record<string, string>> = perLanguage(() => ({
  unknown_question: t('depends on a question that would no longer exist. Change the condition first.'),
  out_of_reach: t('depends on a question that would come after it. Change the condition first.'),
  not_answerable: t('depends on a question that accepts no answer. Change the condition first.'),
  cycle: t('has a skip that would lead to the same page or an earlier one. Change the skip first.'),
}))

/** Error texts for filters of choices. */
const FILTER_ERRORS: () => Readonly<Record<string, string>> = perLanguage(() => ({
  unknown_question: t('has choices that depend on a question that would no longer exist. Change them first.'),
  out_of_reach: t('has choices that depend on a question that would come after it. Change them first.'),
}))

const isFilter = (path: readonly string[]): boolean => path.includes('choiceFilter')

const isLogic = (path: readonly string[]): boolean => path.some((step) => ['condition', 'when', 'skip'].includes(step))

/** Error texts for pages that are repeated for each choice, by code or by the name of the detail. */
const LOOP_ERRORS: () => Readonly<Record<string, string>> = perLanguage(() => ({
  unknown_question: t('is repeated for each choice of a question that would no longer exist. Change the page first.'),
  out_of_reach: t(
    'is repeated for each choice of a question that would not be on an earlier page. Change the page first.',
  ),
  loop_source: t(
    'is repeated for each choice of a question that would not allow several choices. Change the page first.',
  ),
  not_repeated: t('is repeated for each choice, so it can have no skips and no random order of pages.'),
}))

function sentence(name: string, error: FieldError, message: string, path: readonly string[]): string {
  const { code, detail } = error
  const texts = path[0] === 'loop' || detail?.name === 'not_repeated' ? LOOP_ERRORS() : {}
  const logic =
    texts[detail?.name ?? ''] ??
    texts[code] ??
    (detail?.name === 'loop_reference'
      ? t('depends on a question that is repeated for each choice. Change the condition first.')
      : isLogic(path)
        ? LOGIC_ERRORS()[code]
        : isFilter(path)
          ? FILTER_ERRORS()[code]
          : undefined)
  if (logic) return `${name} ${logic}`
  const member = path.findLast((step) => !/^\d+$/.test(step))
  return `${name}: ${member ? `${member} ` : ''}${message}.`
}

/**
 * Returns the label of the form field for a member of a question; undefined if the form has no field for this member.
 */
function labelOf(member: string, kind: KnownKind): string | undefined {
  const labels: Readonly<Record<string, string>> = {
    identifier: t('Short name'),
    score: t('Score'),
    code: t('Code'),
    alt: t('Description of the image'),
    url: t('Image URL (https)'),
    choices: NOUNS()[listsOf(kind).choices ?? 'choice'].all,
    ...Object.fromEntries(settingsOf(kind).map(({ name, label }) => [name, label])),
  }
  return Object.hasOwn(labels, member) ? labels[member] : undefined
}

/**
 * Replaces the name of a second member in an error with the label of its field. For example, an error about
 * `minSelected` can contain the name `maxSelected`.
 */
function withLabel({ field, ...error }: FieldError, kind: KnownKind): ValueError & Partial<FieldError> {
  const { code, params, detail } = error
  const label = labelOf(String(detail?.values.member), kind)
  return detail && label !== undefined
    ? valueError(code, params, { ...detail, values: { ...detail.values, member: `“${label}”` } })
    : { ...error, field }
}

/**
 * Returns an error in a question as a sentence that names the fields of the form instead of the members of the
 * structure: `Number of stars must be a whole number from 3 to 10.`
 */
export function settingError(error: FieldError, kind: KnownKind): string {
  const member = error.field.split('/').findLast((step) => !/^\d+$/.test(step)) ?? ''
  const sentence = errorSentence(labelOf(member, kind) ?? member, errorText(withLabel(error, kind)))
  const [, choice] = /\/choices\/(\d+)\//.exec(error.field) ?? []
  return choice === undefined
    ? sentence
    : `${capitalize(NOUNS()[listsOf(kind).choices ?? 'choice'].one)} ${Number(choice) + 1}: ${sentence}`
}

/** The kinds of items that a list can contain. */
export type ItemNoun = 'choice' | 'row' | 'column'

/**
 * Returns the labels for each kind of item: `one` names an item, `all` names the list, `add` is the label of the text
 * area that adds several items, and `addOne` is the label of the button that adds one item.
 */
export const NOUNS: () => Readonly<Record<ItemNoun, { one: string; all: string; add: string; addOne: string }>> =
  perLanguage(() => ({
    choice: { one: t('choice'), all: t('Choices'), add: t('Add choices'), addOne: t('Add a choice') },
    row: { one: t('row'), all: t('Rows'), add: t('Add rows'), addOne: t('Add a row') },
    column: { one: t('column'), all: t('Columns'), add: t('Add columns'), addOne: t('Add a column') },
  }))
