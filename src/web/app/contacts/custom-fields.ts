import { type Html, html } from '../../../lib/html.ts'
import { type FieldErrorTexts, field } from '../../forms/field.ts'
import { type FormFields, formValue } from '../../forms/form-fields.ts'
import { t } from '../../i18n/t.ts'

/** The numbered custom fields of a form: `field.0` is the name, `custom.0` the value; `new` creates a field. */
const FIELD_NAME = /^field\.(\d{1,4}|new)$/

/** Reads the custom fields of a form by name; an empty value clears the field. */
export function readCustomFields(form: FormFields): Record<string, string> {
  // Without a prototype, a name such as __proto__ is a field that the domain rejects.
  const custom: Record<string, string> = Object.create(null)
  for (const key of Object.keys(form)) {
    const [, suffix] = FIELD_NAME.exec(key) ?? []
    const name = suffix && (formValue(form, key) ?? '').trim()
    if (name) custom[name] = formValue(form, `custom.${suffix}`) ?? ''
  }
  return custom
}

/**
 * Renders the inputs for custom fields and for a new one.
 * @param names of the fields of the address book
 * @param errors by name of the field
 * @param submitted the rejected form, whose new field is shown again
 */
export function customFieldsView(
  names: readonly string[],
  values: Readonly<Record<string, string>>,
  errors: FieldErrorTexts,
  submitted: FormFields,
): Html {
  const added = formValue(submitted, 'field.new') ?? ''
  const newName = names.includes(added) ? '' : added
  return html`<fieldset class="custom"><legend>Custom fields</legend>${names.map((name, index) => {
    const key = `custom.${index}`
    const fieldError = errors.get(name)
    return html`<input type="hidden" name="field.${index}" value="${name}">${field({ name: key, label: name, value: Object.hasOwn(values, name) ? values[name]! : '', ...(fieldError && { errors: new Map([[key, fieldError]]) }) })}`
  })}<div class="pair">${field({ name: 'field.new', label: t('New field name'), value: newName, hint: t('For example, city.'), ...(newName && errors.has(newName) && { errors: new Map([['field.new', errors.get(newName)!]]) }) })}
${field({ name: 'custom.new', label: t('New field value'), hint: t('For this contact only.'), value: newName ? (formValue(submitted, 'custom.new') ?? '') : '' })}</div></fieldset>`
}
