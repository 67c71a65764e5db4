import type { SettingsChange } from '../../../domain/survey/settings.ts'
import { type FormFields, formValue } from '../../forms/form-fields.ts'
import { type SettingField, settingFields } from './fields.ts'

/**
 * Returns the settings in the form, as the domain expects them. A blank field for a secret leaves the stored secret
 * unchanged.
 */
export function parseSettings(form: FormFields): SettingsChange {
  const change: Record<string, unknown> = {}
  const custom: Record<string, unknown> = {}
  for (const field of settingFields) {
    const [outer, inner] = field.name.split('.')
    if (inner === undefined) change[outer!] = fieldValue(field, form)
    else custom[inner] = fieldValue(field, form)
  }
  return { ...change, custom_authentication: custom }
}

function fieldValue({ name, kind }: SettingField, form: FormFields): unknown {
  const value = formValue(form, name) ?? ''
  switch (kind) {
    case 'check':
      return value !== ''
    case 'count':
      // The domain rejects NaN with an error that names the field.
      return value.trim() === '' ? '' : Number(value)
    case 'secret':
      return formValue(form, `${name}.remove`) !== undefined ? null : value || undefined
    case 'prose':
      return value.replaceAll('\r\n', '\n')
    default:
      return value
  }
}
