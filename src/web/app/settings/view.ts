import { type Html, html } from '../../../lib/html.ts'
import { type FieldErrorTexts, field, textArea } from '../../forms/field.ts'
import type { SettingField } from './fields.ts'

/** One setting as it is entered. @param value what stands in it: as stored, or as just typed */
export function settingView(setting: SettingField, value: string, errors: FieldErrorTexts): Html {
  const { name, kind, label, hint } = setting
  switch (kind) {
    case 'check':
      return tickView(setting, value !== '', errors)
    case 'prose':
      return textArea({ name, label, hint, value, prose: true, rows: 3, errors })
    case 'secret':
      return secretView(setting, value !== '', errors)
    case 'count':
      return field({ name, label, hint, value, type: 'number', errors })
    case 'time':
      return field({ name, label, hint, value, type: 'datetime-local', errors })
    case 'address':
      return field({ name, label, hint, value, type: 'url', errors })
  }
}

/** A tick with what it means beside it. */
function tickView({ name, label, hint }: SettingField, ticked: boolean, errors: FieldErrorTexts): Html {
  const fieldError = errors.get(name)
  return html`<div class="field tickbox"><label><input type="checkbox" name="${name}" value="on"${ticked && html` checked`} aria-describedby="${name}-hint${fieldError !== undefined && ` ${name}-error`}"${
    fieldError !== undefined && html` aria-invalid="true"`
  }> ${label}</label><p class="hint" id="${name}-hint">${hint}</p>${fieldError !== undefined && html`<p class="fault" id="${name}-error">${fieldError}</p>`}</div>`
}

/** Never what it is; where there is one, a way to take it away. */
function secretView({ name, label, hint }: SettingField, isSet: boolean, errors: FieldErrorTexts): Html {
  const told = isSet ? `${hint} One is set; left empty, it stays.` : `${hint} Left empty, there is none.`
  return html`${field({ name, label, hint: told, type: 'password', autocomplete: 'new-password', errors })}${
    isSet &&
    html`<div class="field tickbox under"><label><input type="checkbox" name="${name}.remove" value="on"> Take it away</label></div>`
  }`
}
