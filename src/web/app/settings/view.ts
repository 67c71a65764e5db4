import { type Html, html } from '../../../lib/html.ts'
import { area, type Faults, field } from '../../forms/field.ts'
import type { SettingField } from './fields.ts'

/** One setting as it is entered. @param value what stands in it: as stored, or as just typed */
export function settingView(setting: SettingField, value: string, faults: Faults): Html {
  const { name, kind, label, hint } = setting
  switch (kind) {
    case 'check':
      return tickView(setting, value !== '', faults)
    case 'prose':
      return area({ name, label, hint, value, prose: true, rows: 3, faults })
    case 'secret':
      return secretView(setting, value !== '', faults)
    case 'count':
      return field({ name, label, hint, value, type: 'number', faults })
    case 'time':
      return field({ name, label, hint, value, type: 'datetime-local', faults })
    case 'address':
      return field({ name, label, hint, value, type: 'url', faults })
  }
}

/** A tick with what it means beside it. */
function tickView({ name, label, hint }: SettingField, ticked: boolean, faults: Faults): Html {
  const fault = faults.get(name)
  return html`<div class="field tickbox"><label><input type="checkbox" name="${name}" value="on"${ticked && html` checked`} aria-describedby="${name}-hint${fault !== undefined && ` ${name}-fault`}"${
    fault !== undefined && html` aria-invalid="true"`
  }> ${label}</label><p class="hint" id="${name}-hint">${hint}</p>${fault !== undefined && html`<p class="fault" id="${name}-fault">${fault}</p>`}</div>`
}

/** Never what it is; where there is one, a way to take it away. */
function secretView({ name, label, hint }: SettingField, isSet: boolean, faults: Faults): Html {
  const told = isSet ? `${hint} One is set; left empty, it stays.` : `${hint} Left empty, there is none.`
  return html`${field({ name, label, hint: told, type: 'password', autocomplete: 'new-password', faults })}${
    isSet &&
    html`<div class="field tickbox under"><label><input type="checkbox" name="${name}.remove" value="on"> Take it away</label></div>`
  }`
}
