import {
  type AuthorizedApp,
  listAuthorizedApps,
  restrictToRead,
  revokeAuthorizedApp,
} from '../../../domain/oauth/authorized-apps.ts'
import { problems } from '../../../domain/problem.ts'
import { type Html, html } from '../../../lib/html.ts'
import { csrfField } from '../../csrf.ts'
import { confirmPage } from '../../forms/confirm.ts'
import { type FormFields, formValue } from '../../forms/form-fields.ts'
import { t } from '../../i18n/t.ts'
import { dateTag } from '../../layout/format.ts'
import { backLink } from '../../layout/parts.ts'
import type { PageResult } from '../../page.ts'
import { parseId, type SignedInRequest } from '../../session.ts'
import { SCOPE_LABELS } from '../authorize.ts'

function authorizedAppView(
  { applicationId, name, homepage, scopes, since, lastUsed }: AuthorizedApp,
  csrf: string,
): Html {
  const action = (path: string) => `/account/applications/${applicationId}/${path}/`
  return html`<li>
    <div>
      <strong>${name}</strong>
      ${scopes.map((scope) => html` <span class="tag">${SCOPE_LABELS()[scope]}</span>`)}
      <p class="soft">
        ${new URL(homepage).host}, authorized ${dateTag(since)},
        ${lastUsed ? html`last used ${dateTag(lastUsed)}` : t('never used')}
      </p>
    </div>
    <div class="row-actions">
      ${
        scopes.length > 1 &&
        html`<form method="post" action="${action('limit')}">
          ${csrfField(csrf)}
          <button class="small" aria-label="Make read-only: ${name}">Make read-only</button>
        </form>`
      }
      <a class="button plain danger small" href="${action('revoke')}" aria-label="Revoke access of ${name}">Revoke…</a>
    </div>
  </li>`
}

/** Renders the section of the account page that lists the applications that have access to the account. */
export function authorizedAppsSection(connected: readonly AuthorizedApp[], csrf: string): Html {
  return html`<section class="card" aria-labelledby="connected"><h2 id="connected">Connected applications</h2>${
    connected.length === 0
      ? html`<p class="soft">You have not given any application access to your account.</p>`
      : html`<ul class="rows">${connected.map((app) => authorizedAppView(app, csrf))}</ul>`
  }</section>`
}

/**
 * Asks for confirmation before the access of an application is revoked.
 * @throws {Problem} `application_not_found`
 */
export async function confirmRevokeApplication(request: SignedInRequest): Promise<PageResult> {
  const id = parseId(request.params.id)
  const application = (await listAuthorizedApps(request.context)).find(({ applicationId }) => applicationId === id)
  if (!application) throw problems.applicationNotFound()
  return confirmPage(request, {
    title: t('Revoke access of “{name}”?', { name: application.name }),
    beforeHeading: backLink('/account/', t('Account')),
    text: t(
      'If you revoke access, the application can no longer access your account. To give it access again, sign in to Canvass from the application.',
    ),
    button: t('Revoke access'),
    cancel: { label: t('Cancel'), path: '/account/' },
  })
}

export async function revokeApplication(request: SignedInRequest): Promise<PageResult> {
  await request.write((context) => revokeAuthorizedApp(context, parseId(request.params.id)))
  request.flash(t('Access revoked.'))
  return { redirect: '/account/' }
}

export async function limitApplication(request: SignedInRequest): Promise<PageResult> {
  await request.write((context) => restrictToRead(context, parseId(request.params.id)))
  request.flash(t('Access limited to read-only.'))
  return { redirect: '/account/' }
}

const FIELD = 'keep_applications'

/**
 * Renders a checkbox for the form that sets a new password. If the user ticks the checkbox, connected applications keep
 * their access. By default, the checkbox is not ticked and the applications lose their access. This protects a user
 * whose password was stolen, even if the user overlooks the checkbox. A user whose password was not stolen can
 * authorize the applications again.
 */
export const keepApplicationsField = (ticked = false): Html =>
  html`<div class="field tickbox">
    <label>
      <input type="checkbox" name="${FIELD}" value="on"${ticked && html` checked`}
          aria-describedby="${FIELD}-hint"> Keep connected applications
    </label>
    <p class="hint" id="${FIELD}-hint">
      If you do not select this, connected applications lose access and need your permission again.
    </p>
  </div>`

/** Returns whether the checkbox of {@link keepApplicationsField} was ticked. */
export const keepsApplications = (form: FormFields): boolean => formValue(form, FIELD) === 'on'
