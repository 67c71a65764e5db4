import type { SettingsChange } from '../../../domain/survey/settings.ts'
import { type FormFields, formValue } from '../../forms/form-fields.ts'
import { type SettingField, settingFields } from './fields.ts'

/** What the form of settings asks for, in the domain's own words; a secret that is left empty stays. */
export function parseSettings(form: FormFields): SettingsChange {
  const change: Record<string, unknown> = {}
  const custom: Record<string, unknown> = {}
  for (const field of settingFields) {
    const [outer, inner] = field.name.split('.')
    if (inner === undefined) change[outer!] = given(field, form)
    else custom[inner] = given(field, form)
  }
  return { ...change, custom_authentication: custom }
}

function given({ name, kind }: SettingField, form: FormFields): unknown {
  const typed = formValue(form, name) ?? ''
  switch (kind) {
    case 'check':
      return typed !== ''
    case 'count':
      // What is no number stays a text, and is refused by name.
      return typed.trim() === '' ? '' : Number(typed)
    case 'secret':
      return formValue(form, `${name}.remove`) !== undefined ? null : typed || undefined
    case 'prose':
      return typed.replaceAll('\r\n', '\n')
    default:
      return typed
  }
}
