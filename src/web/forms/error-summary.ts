import { html, type Part } from '../../lib/html.ts'
import { t } from '../i18n/t.ts'
import { alert, errorSentence, type FormErrors } from './field.ts'

/** A field of a form, as the error summary names it. */
export interface SummaryField {
  name: string
  label: string
  /** The ID of the element to which the summary links; by default, the name of the field. */
  id?: string
}

/**
 * Renders a summary of the errors of a rejected form, to be shown above its fields. Each error has a link to its field.
 * The summary has the focus when the page opens.
 * @param fields all fields of the form that can have an error, in the order of the page
 */
export function errorSummary(rejected: FormErrors | undefined, fields: readonly SummaryField[]): Part {
  if (!rejected) return undefined
  const { errors, general } = rejected
  if (general !== undefined) return alert(general)
  return html`<div class="alert" role="alert" tabindex="-1" autofocus><p>${t('Nothing was saved. Fix the errors below.')}</p><ul>${fields
    .filter(({ name }) => errors.has(name))
    .map(
      ({ name, label, id = name }) => html`<li><a href="#${id}">${errorSentence(label, errors.get(name)!)}</a></li>`,
    )}</ul></div>`
}
