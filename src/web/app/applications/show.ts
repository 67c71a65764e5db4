import {
  type Application,
  type ApplicationDraft,
  findApplication,
  updateApplication,
} from '../../../domain/oauth/applications.ts'
import { type Html, html } from '../../../lib/html.ts'
import { csrfField } from '../../csrf.ts'
import { copyButton } from '../../forms/copy-button.ts'
import { alert, type FormErrors, fieldErrorsOf } from '../../forms/field.ts'
import { t } from '../../i18n/t.ts'
import { backLink } from '../../layout/back-link.ts'
import type { PageResult } from '../../page.ts'
import { parseId, type SignedInRequest } from '../../session.ts'
import { draftOf, FIELDS, fieldsView, parseApplication } from './form.ts'

export const ROOT = '/accounts/developer/'
export const linkToApplications = (): Html => backLink(ROOT, t('Your applications'))

interface ApplicationView {
  /** The new client secret. Present only in the reply to the request that created the secret. */
  secret?: string | undefined
  draft?: ApplicationDraft
  rejected?: FormErrors
}

const secretView = (secret: string): Html =>
  html`<div class="notice" role="status"><p>Copy the client secret now. You cannot see it again later.</p><p class="copyable"><code class="secret" id="client-secret">${secret}</code> ${copyButton('client-secret', t('Copy the client secret'))}</p></div>`

/**
 * Renders an application: its credentials, the endpoints, the form that edits it, and the link to the page that deletes
 * it.
 */
export function applicationPage(
  request: SignedInRequest,
  application: Application,
  shown: ApplicationView = {},
): PageResult {
  const { csrf, context } = request
  const { id, name, clientId, isPublic } = application
  const { baseUrl } = context.services
  return request.render(
    {
      title: name,
      beforeHeading: linkToApplications(),
      scripts: ['copy.js'],
      content: html`${shown.secret && secretView(shown.secret)}
<section class="card" aria-labelledby="credentials"><h2 id="credentials">Credentials and endpoints</h2>
<dl class="facts"><dt>Client ID</dt><dd class="copyable"><code id="client-id">${clientId}</code> ${copyButton('client-id', t('Copy the client ID'))}</dd>
<dt>Authorization endpoint</dt><dd class="address"><code>${baseUrl}/accounts/developer/authorize/</code></dd>
<dt>Token endpoint</dt><dd class="address"><code>${baseUrl}/accounts/oauth/token/</code></dd>
<dt>Revocation endpoint</dt><dd class="address"><code>${baseUrl}/accounts/oauth/revoke/</code></dd></dl>
${
  isPublic
    ? html`<p class="soft below">This application has no client secret. It must use PKCE (S256).</p>`
    : html`<p class="soft below">A new secret replaces the old one immediately. Existing tokens remain valid.</p>
<p class="below"><a class="button plain" href="${ROOT}${id}/secret/">Replace secret…</a></p>`
}</section>
<section class="card" aria-labelledby="details"><h2 id="details">Details</h2>${alert(shown.rejected?.general)}<form method="post" action="${ROOT}${id}/">${csrfField(csrf)}
${fieldsView(shown.draft ?? draftOf(application), shown.rejected?.errors ?? new Map())}
<button class="primary">Save</button></form></section>
<section class="card" aria-labelledby="delete"><h2 id="delete">Delete application</h2><p class="soft">If you delete the application, users can no longer authorize it, and all existing access is revoked immediately.</p><p class="below"><a class="button plain danger" href="${ROOT}${id}/delete/">Delete…</a></p></section>`,
    },
    shown.rejected ? 422 : 200,
  )
}

export const applicationOf = ({ context, params }: SignedInRequest) => findApplication(context, parseId(params.id))

export const showApplication = async (request: SignedInRequest): Promise<PageResult> =>
  applicationPage(request, await applicationOf(request))

export async function saveApplication(request: SignedInRequest): Promise<PageResult> {
  const draft = parseApplication(request.form)
  const application = await applicationOf(request)
  try {
    await request.write((context) => updateApplication(context, application.id, draft))
  } catch (error) {
    return applicationPage(request, application, { draft, rejected: fieldErrorsOf(request.toProblem(error), FIELDS) })
  }
  request.flash(t('Application saved.'))
  return { redirect: `${ROOT}${application.id}/` }
}
