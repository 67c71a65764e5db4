import { type Html, html } from '../../lib/html.ts'
import { type FieldOptions, labelled } from './field.ts'

export interface SelectOptions extends Pick<FieldOptions, 'name' | 'label' | 'value' | 'hint' | 'errors'> {
  options: readonly { value: string | number; label: string }[]
}

/** Renders a labelled drop-down list. */
export const select = (field: SelectOptions): Html => {
  const { name, value = '', options } = field
  return labelled(
    field,
    (ariaAttributes) =>
      html`<select class="box" id="${name}" name="${name}"${ariaAttributes}>${options.map(
        (option) =>
          html`<option value="${option.value}"${String(option.value) === value && html` selected`}>${option.label}</option>`,
      )}</select>`,
  )
}
