import { type Html, html } from '../../../lib/html.ts'
import { errorSentence, type FieldErrorTexts, field, textArea } from '../../forms/field.ts'
import { t } from '../../i18n/t.ts'
import type { SettingField } from './fields.ts'

/**
 * Renders the control of a setting.
 * @param value the stored value, or the entered value if the form was rejected
 */
export function settingView(setting: SettingField, value: string, errors: FieldErrorTexts): Html {
  const { name, kind, label, hint } = setting
  switch (kind) {
    case 'check':
      return checkboxView(setting, value !== '', errors)
    case 'prose':
      return textArea({ name, label, hint, value, prose: true, rows: 3, errors })
    case 'secret':
      return secretView(setting, value !== '', errors)
    case 'count':
      return field({ name, label, hint, value, type: 'number', errors })
    case 'time':
      return field({ name, label, hint, value, type: 'datetime-local', errors })
    case 'word':
      return field({ name, label, hint, value, attributes: html` autocapitalize="off" spellcheck="false"`, errors })
    case 'address':
      return field({ name, label, hint, value, type: 'url', errors })
  }
}

/** Renders a checkbox with its hint. */
function checkboxView({ name, label, hint }: SettingField, ticked: boolean, errors: FieldErrorTexts): Html {
  const fieldError = errors.get(name)
  return html`<div class="field tickbox"><label><input type="checkbox" id="${name}" name="${name}" value="on"${ticked && html` checked`} aria-describedby="${name}-hint${fieldError !== undefined && ` ${name}-error`}"${
    fieldError !== undefined && html` aria-invalid="true"`
  }> ${label}</label><p class="hint" id="${name}-hint">${hint}</p>${fieldError !== undefined && html`<p class="error" id="${name}-error">${errorSentence(label, fieldError)}</p>`}</div>`
}

/** Renders a password field without its value, and a checkbox that removes a stored secret. */
function secretView({ name, label, hint }: SettingField, isSet: boolean, errors: FieldErrorTexts): Html {
  const fullHint = isSet
    ? t('{hint} Leave blank to keep the current value.', { hint })
    : t('{hint} Optional.', { hint })
  return html`${field({ name, label, hint: fullHint, type: 'password', autocomplete: 'new-password', errors })}${
    isSet &&
    html`<div class="field tickbox indented"><label><input type="checkbox" name="${name}.remove" value="on"> Remove the current value of “${label}”</label></div>`
  }`
}
