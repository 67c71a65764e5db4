import { type Html, html } from '../../../lib/html.ts'
import { type FieldErrorTexts, field } from '../../forms/field.ts'
import { type FormFields, formValue } from '../../forms/form-fields.ts'

/** Custom fields of a form, numbered: `field.0` holds the name, `custom.0` the value; `new` is one that is made with it. */
const NAME = /^field\.(\d{1,4}|new)$/

/** The custom fields that a form gives, by name; an empty value empties the field. */
export function customIn(form: FormFields): Record<string, string> {
  // Without a prototype, so that a field of any name is a field, and one that cannot be is refused.
  const custom: Record<string, string> = Object.create(null)
  for (const key of Object.keys(form)) {
    const [, place] = NAME.exec(key) ?? []
    const name = place && (formValue(form, key) ?? '').trim()
    if (name) custom[name] = formValue(form, `custom.${place}`) ?? ''
  }
  return custom
}

/**
 * The inputs for custom fields, and for a new one.
 * @param names of the fields of the address book
 * @param errors by name of the field
 * @param typed what was typed for a new one, when the form was refused
 */
export function customView(
  names: readonly string[],
  values: Readonly<Record<string, string>>,
  errors: FieldErrorTexts,
  typed: FormFields,
): Html {
  const added = formValue(typed, 'field.new') ?? ''
  const rest = names.includes(added) ? '' : added
  return html`<fieldset class="custom"><legend>Custom fields</legend>${names.map((name, place) => {
    const key = `custom.${place}`
    const fieldError = errors.get(name)
    return html`<input type="hidden" name="field.${place}" value="${name}">${field({ name: key, label: name, value: Object.hasOwn(values, name) ? values[name]! : '', ...(fieldError && { errors: new Map([[key, fieldError]]) }) })}`
  })}<div class="pair">${field({ name: 'field.new', label: 'New field name', value: rest, hint: 'For example, city.', ...(rest && errors.has(rest) && { errors: new Map([['field.new', errors.get(rest)!]]) }) })}
${field({ name: 'custom.new', label: 'New field value', hint: 'For this contact only.', value: rest ? (formValue(typed, 'custom.new') ?? '') : '' })}</div></fieldset>`
}
