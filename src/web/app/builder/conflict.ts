import type { WorkingCopy } from '../../../domain/survey/working-copy.ts'
import { type Html, html } from '../../../lib/html.ts'
import { t } from '../../i18n/t.ts'
import { timeTag } from '../../layout/time-tag.ts'

/** A form field whose stored value differs from the entered value, with both values as text. */
export interface Difference {
  label: string
  theirs: string
  mine: string
}

/**
 * Renders an alert inside a form. The alert says that the part of the survey in the form was changed after the author
 * opened the form, by someone else or by the author in another window. The alert shows who made the change and when,
 * both values of each field that differs, and buttons that choose one version. The form below the alert keeps the
 * entered values.
 * @param path the path that opens the form with the stored values
 */
export function conflictAlert(
  { draft, published }: WorkingCopy,
  user: string,
  path: string,
  differences: readonly Difference[],
): Html {
  const author = draft?.author === user ? t('You') : (draft?.author ?? t('Someone else'))
  const where = draft?.author === user ? t(' in another window') : ''
  const change = draft
    ? html`${author} changed this part of the survey${where} on ${timeTag(draft.updatedAt)}, after you opened it.`
    : html`Version ${published.version} was published after you opened this part of the survey.`
  return html`<section class="alert conflict" role="alert" aria-label="Conflict"><p><strong>${change}</strong> Your version is shown below, but it is not saved.</p>${
    differences.length > 0 &&
    html`<table><thead><tr><th scope="col">Field</th><th scope="col">Saved version</th><th scope="col">Your version</th></tr></thead><tbody>${differences.map(
      ({ label, theirs, mine }) =>
        html`<tr><th scope="row">${label}</th><td>${theirs || html`<i>blank</i>`}</td><td>${mine || html`<i>blank</i>`}</td></tr>`,
    )}</tbody></table>`
  }<div class="card-actions"><button class="primary small" name="do" value="save">Save my version</button><a class="button plain small" href="${path}" data-theirs>Use the saved version</a></div></section>`
}
