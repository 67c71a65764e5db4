import type { AuthorizationCheck, AuthorizationRequest } from '../../domain/oauth/client.ts'
import { parseScopes, type Scope } from '../../domain/oauth/scope.ts'
import { html, type Part } from '../../lib/html.ts'
import { denyFraming } from '../csp.ts'
import { csrfField } from '../csrf.ts'
import { alert } from '../forms/field.ts'
import { formValue, formValues } from '../forms/form-fields.ts'
import { perLanguage, t } from '../i18n/t.ts'
import { authPage } from '../layout/document.ts'
import type { PageRequest, PageResult } from '../page.ts'
import { type SignedInRequest, signedIn } from '../session.ts'

const hostOf = (url: string) => new URL(url).host

/**
 * Returns the source of a Content Security Policy that allows a URL: its origin, or only its scheme if the host is an
 * IPv6 address, which the grammar of sources does not have (CSP3, 2.3.1).
 */
function sourceOf(url: string): string {
  const { hostname, protocol, origin } = new URL(url)
  return hostname.startsWith('[') ? protocol : origin
}

/**
 * Renders the requested permissions. If the application requests several, each has a checkbox, so that the user can
 * grant only some of them.
 */
function scopesView({ scopes }: AuthorizationRequest): Part {
  const [only, ...more] = scopes
  if (only && more.length === 0)
    return html`
      <p>It will be able to:</p>
      <ul class="plain"><li>${SCOPE_DESCRIPTIONS()[only]}</li></ul>
      <input type="hidden" name="scope" value="${only}">`
  return html`<fieldset class="checks">
    <legend>It will be able to:</legend>
    ${scopes.map(
      (scope) =>
        html`<label>
          <input type="checkbox" name="scope" value="${scope}" checked> <span>${SCOPE_DESCRIPTIONS()[scope]}</span>
        </label>`,
    )}
  </fieldset>`
}

function consentPage(request: SignedInRequest, authorization: AuthorizationRequest, error?: string): PageResult {
  const { context, csrf, ctx } = request
  const { name, homepage, description } = authorization.application
  const currentPath = ctx.path + ctx.search
  // Browsers also apply the directive `form-action` to the redirect that follows the submitted form (CSP3), so the
  // Content Security Policy must allow the redirect URI.
  denyFraming(ctx, { 'form-action': ["'self'", sourceOf(authorization.redirectUri)] })
  const page = authPage(
    t('Allow “{name}” to access your account?', { name }),
    html`
      <div class="application-info">
        <p><a href="${homepage}" rel="noopener noreferrer">${hostOf(homepage)}</a></p>
        ${description && html`<p class="soft description">${description}</p>`}
      </div>
      <form method="post" action="${currentPath}">
        ${csrfField(csrf)}
        ${alert(error)}
        ${scopesView(authorization)}
        <p class="soft">
          You are signed in as <strong>${context.actor.username}</strong> (${context.actor.email}). You will return
          to <strong>${hostOf(authorization.redirectUri)}</strong>. You can revoke access on your account page at any
          time.
        </p>
        <p class="actions">
          <button class="primary" name="decision" value="allow">Allow</button>
          <button name="decision" value="deny">Deny</button>
        </p>
      </form>
      <form method="post" action="/accounts/logout/" class="other">
        ${csrfField(csrf)}
        <input type="hidden" name="next" value="${currentPath}">
        <button class="quiet small">Use another account</button>
      </form>`,
  )
  return { status: error ? 422 : 200, page }
}

/**
 * Shows the consent page (RFC 6749, 4.1.1). If the client or the redirect URI is unknown, shows an error page, even to
 * visitors who are not signed in. In all other cases, visitors must sign in before they can be redirected to the
 * application. Otherwise, anyone could register an application and use a link to this service to send visitors to
 * another site (RFC 9700, 4.11.2).
 */
export async function showConsent(request: PageRequest): Promise<PageResult> {
  const { deps, context, ctx, query } = request
  denyFraming(ctx)
  const checked = await deps.authorization.validate(context, query)
  return 'unknownClient' in checked ? authorizationErrorPage(checked) : showSignedInConsent(request)
}

const showSignedInConsent = signedIn('account', async (request) => {
  const checked = await request.deps.authorization.validate(request.context, request.query)
  if ('unknownClient' in checked) return authorizationErrorPage(checked)
  return 'request' in checked ? consentPage(request, checked.request) : checked
})

/**
 * Grants or denies the authorization request as the user decided, and redirects to the application. The request is
 * checked again, because the application may have changed after the page was shown.
 */
export async function submitConsent(request: SignedInRequest): Promise<PageResult> {
  const { deps, context, query, form, write } = request
  const checked = await deps.authorization.validate(context, query)
  if ('unknownClient' in checked) return authorizationErrorPage(checked)
  if (!('request' in checked)) return checked
  if (formValue(form, 'decision') !== 'allow') return { redirect: await deps.authorization.deny(context, query) }
  const chosen = formValues(form, 'scope')
  const scopes = parseScopes(checked.request.scopes.filter((scope) => chosen.includes(scope)))
  if (!scopes) return consentPage(request, checked.request, t('Select at least one permission, or choose Deny.'))
  return { redirect: await write((inside) => deps.authorization.approve(inside, query, scopes)) }
}

const AUTHORIZATION_ERRORS = perLanguage(() => ({
  client_id: t('The application that sent you here is not registered with this service.'),
  redirect_uri: t('The application that sent you here asked for a redirect to an address that it has not registered.'),
}))

/** Maximum number of characters of a requested redirect URI that the error page shows. */
const MAX_SHOWN_CHARACTERS = 300

/**
 * Returns the error page for an authorization request whose client or redirect URI is not registered. The visitor is
 * not redirected, because the redirect URI cannot be trusted. The page shows the URI as text, because developers need
 * it.
 */
function authorizationErrorPage({
  unknownClient: code,
  requested,
}: Extract<AuthorizationCheck, { unknownClient: unknown }>): PageResult {
  return {
    status: 400,
    page: authPage(
      t('Authorization failed'),
      html`
        <p>${AUTHORIZATION_ERRORS()[code]} You were not redirected, and no information was shared.</p>
        <p class="soft below">If you trust the application, report the error <code>${code}</code> to its developer.</p>
        ${
          requested &&
          html`<p class="soft below">
            Requested address: <code class="address">${requested.slice(0, MAX_SHOWN_CHARACTERS)}</code>. It must be the
            same as a registered callback URL, character by character.
          </p>`
        }`,
    ),
  }
}

/** Descriptions of what each scope allows an application to do. */
const SCOPE_DESCRIPTIONS: () => Readonly<Record<Scope, string>> = perLanguage(() => ({
  read: t('View your surveys, responses, contacts and reports'),
  write: t('Create, edit and delete surveys, responses, contacts and reports, and send invitations'),
}))

/** Short names of the scopes. */
export const SCOPE_LABELS: () => Readonly<Record<Scope, string>> = perLanguage(() => ({
  read: t('read'),
  write: t('write'),
}))
