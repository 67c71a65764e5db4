import { type Html, html } from '../../../lib/html.ts'
import { type FormFields, formValue } from '../../forms/form-fields.ts'

const FIELD = 'keep_applications'

/**
 * Asked beside a new password. Without a tick applications are out: whoever changes a password because somebody knows
 * it does not read further, and whoever only wants another one can let them in again.
 */
export const keepApplicationsField = (ticked = false): Html =>
  html`<div class="field tickbox"><label><input type="checkbox" name="${FIELD}" value="on"${ticked && html` checked`} aria-describedby="${FIELD}-hint"> Keep connected applications</label><p class="hint" id="${FIELD}-hint">Otherwise their access ends with the old password, and each asks you again.</p></div>`

/** Whether the box of {@link keepApplicationsField} came ticked. */
export const keepsApplications = (form: FormFields): boolean => formValue(form, FIELD) === 'on'
