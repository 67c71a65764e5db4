import { type Html, html } from '../../../lib/html.ts'
import { type FormFields, formValue } from '../../forms/form-fields.ts'

const FIELD = 'keep_applications'

/**
 * Renders the checkbox below a new password that keeps the access of connected applications. By default it is not
 * ticked, so the access is revoked: a user whose password was stolen may overlook the checkbox, and all other users can
 * authorize the applications again.
 */
export const keepApplicationsField = (ticked = false): Html =>
  html`<div class="field tickbox"><label><input type="checkbox" name="${FIELD}" value="on"${ticked && html` checked`} aria-describedby="${FIELD}-hint"> Keep connected applications</label><p class="hint" id="${FIELD}-hint">If you do not select this, connected applications lose access and need your permission again.</p></div>`

/** Returns whether the checkbox of {@link keepApplicationsField} was ticked. */
export const keepsApplications = (form: FormFields): boolean => formValue(form, FIELD) === 'on'
