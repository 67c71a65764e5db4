import { type Html, html } from '../../../lib/html.ts'
import { type FieldErrorTexts, field } from '../../forms/field.ts'
import { type FormFields, formValue } from '../../forms/form-fields.ts'
import { t } from '../../i18n/t.ts'

/**
 * Matches the name of a form field that contains the name of a custom field. The form field `field.0` contains the name
 * of the first custom field, and `custom.0` contains the value of this custom field. The form fields `field.new` and
 * `custom.new` create a custom field.
 */
const FIELD_NAME = /^field\.(\d{1,4}|new)$/

/**
 * Reads the values of the custom fields from a form. The keys of the result are the names of the custom fields. An
 * empty value clears the custom field.
 */
export function readCustomFields(form: FormFields): Record<string, string> {
  // The object has no prototype, so that a name such as __proto__ is an ordinary key, which the domain rejects.
  const custom: Record<string, string> = Object.create(null)
  for (const key of Object.keys(form)) {
    const [, suffix] = FIELD_NAME.exec(key) ?? []
    const name = suffix && (formValue(form, key) ?? '').trim()
    if (name) custom[name] = formValue(form, `custom.${suffix}`) ?? ''
  }
  return custom
}

/**
 * Renders the inputs for the existing custom fields and for a new custom field.
 * @param names the names of the custom fields in the address book
 * @param errors the errors by the name of the custom field
 * @param submitted the rejected form, whose input for a new custom field is shown again
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
${field({ name: 'custom.new', label: t('New field value'), hint: t('Other contacts get the field without a value.'), value: newName ? (formValue(submitted, 'custom.new') ?? '') : '' })}</div></fieldset>`
}
