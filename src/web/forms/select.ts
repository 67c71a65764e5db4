import { type Html, html } from '../../lib/html.ts'
import type { FieldOptions } from './field.ts'

export interface SelectOptions extends Pick<FieldOptions, 'name' | 'label' | 'value' | 'hint' | 'faults'> {
  options: readonly { value: string | number; label: string }[]
}

/** A labelled choice of one among some. */
export function select({ name, label, value = '', hint, faults: errors, options }: SelectOptions): Html {
  const fieldError = errors?.get(name)
  const described = [hint && `${name}-hint`, fieldError && `${name}-fault`].filter(Boolean).join(' ')
  return html`<div class="field"><label for="${name}">${label}</label>${hint && html`<p class="hint" id="${name}-hint">${hint}</p>`}${
    fieldError && html`<p class="fault" id="${name}-fault">${fieldError}</p>`
  }<select class="box" id="${name}" name="${name}"${described && html` aria-describedby="${described}"`}${
    fieldError && html` aria-invalid="true"`
  }>${options.map(
    (option) =>
      html`<option value="${option.value}"${String(option.value) === value && html` selected`}>${option.label}</option>`,
  )}</select></div>`
}
