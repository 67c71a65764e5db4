import { type FieldError, type ValueError, valueError } from '../../../domain/field-error.ts'
import type { KnownKind } from '../../../domain/structure/kinds.ts'
import { errorSentence } from '../../forms/field.ts'
import { errorText } from '../../i18n/error-texts.ts'
import { t } from '../../i18n/t.ts'
import { capitalize } from '../../layout/pluralize.ts'
import { NOUNS } from './item-list.ts'
import { listsOf, settingsOf } from './question-fields.ts'

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
