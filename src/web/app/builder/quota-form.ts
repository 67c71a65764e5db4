import { mergeText } from '../../../domain/structure/edit/merge.ts'
import type { Quota } from '../../../domain/structure/questionnaire.ts'
import type { StructureQuota } from '../../../domain/structure/schema.ts'
import type { Structure } from '../../../domain/structure/structure.ts'
import { type Html, html } from '../../../lib/html.ts'
import { field, select, textArea } from '../../forms/field.ts'
import { type FormFields, formValue } from '../../forms/form-fields.ts'
import { perLanguage, t } from '../../i18n/t.ts'
import { textOf } from './texts.ts'

/** Returns what can happen when a quota is full, as options of the form. */
const ACTIONS: () => readonly { value: Quota['action']; label: string }[] = perLanguage(() => [
  { value: 'complete', label: t('Accept further responses and show the quota message') },
  { value: 'terminate', label: t('Screen further respondents out') },
  { value: 'close', label: t('Accept one more response, then close the survey') },
])

/** Returns the texts of {@link ACTIONS}, worded for the middle of a sentence. */
const SENTENCES: () => Readonly<Record<Quota['action'], string>> = perLanguage(() => ({
  complete: t('accept further responses and show the quota message'),
  terminate: t('screen further respondents out'),
  close: t('accept one more response, then close the survey'),
}))

/** Returns the quotas of a structure. */
export const quotasOf = (structure: Structure): readonly StructureQuota[] => structure.quotas ?? []

/** Returns what happens when a quota is full, worded for the middle of a sentence. */
export const actionText = (action: Quota['action']): string => SENTENCES()[action] ?? action

/** Renders the fields of a quota. If the form was rejected, the fields contain the entered values. */
export const quotaFields = (quota: StructureQuota, code: string, form: FormFields): Html =>
  html`
    ${field({
      name: 'name',
      label: t('Name'),
      value: formValue(form, 'name') ?? quota.name,
      hint: t('Respondents do not see the name.'),
    })}
    ${limitField(formValue(form, 'limit') ?? String(quota.limit))}
    ${actionSelect(formValue(form, 'action') ?? quota.action)}
    ${textArea({
      name: 'message',
      label: t('Message'),
      prose: true,
      rows: 2,
      value: formValue(form, 'message') ?? textOf(quota.message, code),
      hint: t('Shown to respondents when the quota is full. Optional.'),
    })}`

/** Renders the field for the limit of a quota. */
export const limitField = (value = ''): Html =>
  field({
    name: 'limit',
    label: t('Limit'),
    value,
    hint: t('The quota is full after this many complete responses.'),
    attributes: html` inputmode="numeric" autocomplete="off"`,
  })

/** Renders the list of what can happen when a quota is full. */
export const actionSelect = (value: string): Html =>
  select({ name: 'action', label: t('When the quota is full'), value, options: ACTIONS() })

/**
 * Parses the limit. If the text is not a number, returns the text unchanged, so that the domain rejects it with an
 * error that names the quota.
 */
export const parseLimit = (text: string | undefined): number => {
  const entered = (text ?? '').trim()
  return /^\d{1,15}$/.test(entered) ? Number(entered) : (entered as unknown as number)
}

/** Returns all properties of a quota except its condition, with the values in the submitted form. */
export function quotaChange(form: FormFields, quota: StructureQuota, code: string): Readonly<Record<string, unknown>> {
  const message = (formValue(form, 'message') ?? '').replaceAll('\r\n', '\n').trim()
  const texts = mergeText(quota.message, { [code]: message })
  return {
    name: (formValue(form, 'name') ?? '').trim(),
    limit: parseLimit(formValue(form, 'limit')),
    action: formValue(form, 'action') ?? quota.action,
    message: texts && Object.keys(texts).length > 0 ? texts : null,
  }
}
