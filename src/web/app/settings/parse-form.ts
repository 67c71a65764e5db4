import type { SettingsChange, SurveySettings } from '../../../domain/survey/settings.ts'
import { type FormFields, formValue } from '../../forms/form-fields.ts'
import { utcValue } from '../../forms/zone.ts'
import { type SettingField, settingFields } from './fields.ts'

/**
 * Returns the settings in the form, as the domain expects them. A blank field for a secret leaves the stored secret
 * unchanged. A time that was not edited is not changed, although a clock that is set back shows it twice.
 */
export function parseSettings(form: FormFields, stored: SurveySettings): SettingsChange {
  const change: Record<string, unknown> = {}
  const custom: Record<string, unknown> = {}
  for (const field of settingFields) {
    const [outer, inner] = field.name.split('.')
    if (inner === undefined) change[outer!] = fieldValue(field, form, stored)
    else custom[inner] = fieldValue(field, form, stored)
  }
  return { ...change, custom_authentication: custom }
}

function fieldValue({ name, kind, shown }: SettingField, form: FormFields, stored: SurveySettings): unknown {
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
    case 'time':
      return value === shown(stored) ? stored[name as 'open_at' | 'close_at'] : utcValue(value)
    default:
      return value
  }
}
