import type { SettingsChange } from '../../../domain/survey/settings.ts'
import { type FormFields, formValue } from '../../forms/form-fields.ts'
import { type SettingField, settingFields } from './fields.ts'

/** Returns the settings of the form for the domain. A blank secret leaves the stored one unchanged. */
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
      // The domain rejects NaN with the name of the field.
      return value.trim() === '' ? '' : Number(value)
    case 'secret':
      return formValue(form, `${name}.remove`) !== undefined ? null : value || undefined
    case 'prose':
      return value.replaceAll('\r\n', '\n')
    default:
      return value
  }
}
