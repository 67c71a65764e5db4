import { type Html, html } from '../../../lib/html.ts'
import { type FormFields, formValue } from '../../forms/form-fields.ts'

const FIELD = 'keep_applications'

/**
 * Renders a checkbox for the form that sets a new password. If the user ticks the checkbox, connected applications keep
 * their access. By default, the checkbox is not ticked and the applications lose their access. This protects a user
 * whose password was stolen, even if the user overlooks the checkbox. A user whose password was not stolen can
 * authorize the applications again.
 */
export const keepApplicationsField = (ticked = false): Html =>
  html`<div class="field tickbox"><label><input type="checkbox" name="${FIELD}" value="on"${ticked && html` checked`} aria-describedby="${FIELD}-hint"> Keep connected applications</label><p class="hint" id="${FIELD}-hint">If you do not select this, connected applications lose access and need your permission again.</p></div>`

/** Returns whether the checkbox of {@link keepApplicationsField} was ticked. */
export const keepsApplications = (form: FormFields): boolean => formValue(form, FIELD) === 'on'
