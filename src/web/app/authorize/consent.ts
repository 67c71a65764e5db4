import type { AuthorizationRequest } from '../../../domain/oauth/authorization.ts'
import { scopesOf } from '../../../domain/oauth/scope.ts'
import { html, type Part } from '../../../lib/html.ts'
import { alert } from '../../forms/field.ts'
import { authPage, csrfField } from '../../layout/app-shell.ts'
import type { PageResult, PageServices } from '../../page.ts'
import { all, one } from '../../respondent/input.ts'
import type { SignedInRequest } from '../../session.ts'
import { does } from './words.ts'

type Authorization = PageServices['authorization']

const hostOf = (address: string) => new URL(address).host

/** What it wants to do; where that is more than one thing, each can be left out. */
function scopesView({ scopes }: AuthorizationRequest): Part {
  const [only, ...more] = scopes
  if (only && more.length === 0)
    return html`<p>It wants to:</p><ul class="plain"><li>${does[only]}</li></ul><input type="hidden" name="scope" value="${only}">`
  return html`<fieldset class="checks"><legend>It wants to:</legend>${scopes.map(
    (scope) =>
      html`<label><input type="checkbox" name="scope" value="${scope}" checked> <span>${does[scope]}</span></label>`,
  )}</fieldset>`
}

/** Browsers hold the way back to the application against the policy of the page whose form led there (CSP 3, form-action). */
function letFormLeadTo({ ctx }: SignedInRequest, address: string): void {
  const policy = ctx.response.get('Content-Security-Policy')
  ctx.set(
    'Content-Security-Policy',
    policy.replace("form-action 'self'", `form-action 'self' ${new URL(address).origin}`),
  )
}

function consentPage(request: SignedInRequest, asked: AuthorizationRequest, refused?: string): PageResult {
  const { context, csrf, ctx } = request
  const { name, homepage, description } = asked.application
  const here = ctx.path + ctx.search
  letFormLeadTo(request, asked.redirectUri)
  const page = authPage(
    `Let “${name}” into your account?`,
    html`<div class="asker"><p><a href="${homepage}" rel="noopener noreferrer">${hostOf(homepage)}</a></p>${description && html`<p class="soft description">${description}</p>`}</div>
<form method="post" action="${here}">${csrfField(csrf)}${alert(refused)}${scopesView(asked)}
<p class="soft">You are signed in as <strong>${context.actor.username}</strong> (${context.actor.email}). You go back to <strong>${hostOf(asked.redirectUri)}</strong>. On your account page you can take this back at any time.</p>
<p class="actions"><button class="primary" name="decision" value="allow">Let it in</button><button name="decision" value="deny">Do not</button></p></form>
<form method="post" action="/accounts/logout/" class="other">${csrfField(csrf)}<input type="hidden" name="next" value="${here}"><button class="quiet small">Use another account</button></form>`,
  )
  return { status: refused ? 422 : 200, page }
}

/** What somebody is asked (RFC 6749, 4.1.1). */
export const showConsent =
  (authorization: Authorization) =>
  async (request: SignedInRequest): Promise<PageResult> => {
    const considered = await authorization.consider(request.context, request.query)
    return 'asked' in considered ? consentPage(request, considered.asked) : refusalOf(considered)
  }

/** What somebody decided; everything is considered again, for it may have changed meanwhile. */
export const sendConsent =
  (authorization: Authorization) =>
  async (request: SignedInRequest): Promise<PageResult> => {
    const { context, query, form, write } = request
    const considered = await authorization.consider(context, query)
    if (!('asked' in considered)) return refusalOf(considered)
    if (one(form, 'decision') !== 'allow') return { redirect: await authorization.deny(context, query) }
    const chosen = all(form, 'scope')
    const scopes = scopesOf(considered.asked.scopes.filter((scope) => chosen.includes(scope)))
    if (!scopes) return consentPage(request, considered.asked, 'Choose what it may do, or do not let it in.')
    return { redirect: await write((inside) => authorization.approve(inside, query, scopes)) }
  }

const STRANGERS = {
  client_id: 'The application that sent you here is not registered with us, or not any more.',
  redirect_uri: 'The application that sent you here wants you back at an address that it did not register.',
}

/** What becomes of a request that nobody can be asked about. Where it is unclear who asks, nobody is sent anywhere. */
export function refusalOf(considered: { redirect: string } | { stranger: keyof typeof STRANGERS }): PageResult {
  if ('redirect' in considered) return considered
  return {
    status: 400,
    page: authPage(
      'This does not look right',
      html`<p>${STRANGERS[considered.stranger]} So we did not send you back, and it learned nothing about you.</p>
<p class="soft below">If you trust it, tell the people who make it. They find what to mend under <code>${considered.stranger}</code>.</p>`,
    ),
  }
}
