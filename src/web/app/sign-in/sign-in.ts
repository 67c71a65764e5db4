import { authenticateByPassword, lockPasswordRow, mayUsePassword } from '../../../domain/account/credentials.ts'
import { findOneTimeToken, redeemOneTimeToken } from '../../../domain/account/one-time-token.ts'
import { offersPasskeys } from '../../../domain/account/passkeys.ts'
import { endSessionById, findSession } from '../../../domain/account/session.ts'
import type { PublicContext } from '../../../domain/context.ts'
import { Problem } from '../../../domain/problem.ts'
import type { Services } from '../../../domain/services.ts'
import { type Html, html } from '../../../lib/html.ts'
import { readCookie, setCookie } from '../../cookie.ts'
import { denyFraming } from '../../csp.ts'
import { isSameOrigin, safePath } from '../../csrf.ts'
import { alert, field } from '../../forms/field.ts'
import { formValue } from '../../forms/form-fields.ts'
import { problemText } from '../../i18n/error-texts.ts'
import { t } from '../../i18n/t.ts'
import { authPage } from '../../layout/document.ts'
import type { PageRequest, PageResult } from '../../page.ts'
import { isPrefetch } from '../../prefetch.ts'
import type { SignedInRequest } from '../../session.ts'
import { passkeyButton } from './passkey.ts'
import { providerButtons, providerSignOut } from './providers.ts'
import { HOME, startSession } from './start-session.ts'

interface SignInView {
  name?: string
  next: string
  error?: string
  /** Whether the form for a password is shown although users sign in at a provider. */
  withPassword?: boolean
}

const signInView = (
  services: Services,
  { name = '', next, error, withPassword = services.signIn.password }: SignInView,
): Html => {
  const { signIn } = services
  const usesPasskey = withPassword && offersPasskeys(services)
  return authPage(
    t('Sign in'),
    html`
      ${alert(error)}
      ${providerButtons(signIn.providers, next)}
      ${
        withPassword
          ? html`
            ${signIn.providers.length > 0 && html`<p class="soft">Or with a password:</p>`}
            ${passwordForm(name, next)}
            ${usesPasskey && passkeyButton(next)}`
          : html`<p class="below soft">
            Administrators can <a href="${passwordPath(next)}">sign in with a password</a>.
          </p>`
      }`,
    usesPasskey ? ['passkey.js'] : [],
  )
}

const passwordPath = (next: string): string => `/accounts/login/?password&next=${encodeURIComponent(next)}`

const passwordForm = (name: string, next: string): Html =>
  html`
      <form method="post" action="/accounts/login/">
        <input type="hidden" name="next" value="${next}">
        ${field({
          name: 'username',
          label: t('Username or email address'),
          value: name,
          autocomplete: 'username',
          required: true,
        })}
        ${field({
          name: 'password',
          label: t('Password'),
          type: 'password',
          autocomplete: 'current-password',
          required: true,
        })}
        <button class="primary">Sign in</button>
      </form>
      <p class="below"><a href="/accounts/password/">Forgot your password?</a></p>`

/** Shows the sign-in form, or signs in with a one-time link (docs/specification.md 3.4). */
export async function showSignIn(request: PageRequest): Promise<PageResult> {
  denyFraming(request.ctx)
  const { ctx, context, query } = request
  const next = safePath(query.get('next') ?? undefined, context.services, HOME)
  const key = query.get('key')
  if (key) {
    // A HEAD request does not invalidate the link.
    if (ctx.method === 'HEAD') return { page: signInView(context.services, { next }) }
    // A prefetch must not invalidate a one-time link.
    if (isPrefetch(request)) return { status: 503, page: linkView(key, '/account/') }
    const afterLink = safePath(query.get('next') ?? undefined, context.services, '/account/')
    const other = await signedInAsOther(request, key)
    if (other) return { page: linkView(key, afterLink, other) }
    const isSignedIn = (await currentSession(request)) !== undefined
    return !isSignedIn && isAutomatic(ctx) ? { page: linkView(key, afterLink) } : signInByLink(request, key, afterLink)
  }
  if (await currentSession(request)) return { redirect: next }
  return { page: signInView(context.services, { next, ...(query.has('password') && { withPassword: true }) }) }
}

/**
 * Returns whether another site opened the page without a click or another action of the user (Fetch Metadata). Such a
 * site could secretly sign the user in to an account of its own.
 */
const isAutomatic = (ctx: PageRequest['ctx']): boolean =>
  ctx.get('sec-fetch-site') === 'cross-site' && ctx.get('sec-fetch-user') !== '?1'

async function currentSession({ ctx, context }: PageRequest) {
  const token = readCookie(ctx, context.services, 'session')
  return token ? findSession(context, token) : undefined
}

/**
 * Returns the username of the current session if the one-time link belongs to a different account. The user must then
 * confirm the change of account.
 */
async function signedInAsOther(request: PageRequest, key: string): Promise<string | undefined> {
  const session = await currentSession(request)
  const link = session && (await findOneTimeToken(request.context, 'sign_in', key))
  return link && link.accountId !== session?.actor.id ? session?.actor.username : undefined
}

/**
 * Renders the page with a button that signs the user in with a one-time link.
 * @param other the username of the current session, if the link belongs to another account
 */
const linkView = (key: string, next: string, other?: string): Html =>
  authPage(
    t('Sign in'),
    html`
      <p>
        This link signs you
        in${other !== undefined && html` to another account. You are currently signed in as <strong>${other}</strong>`}.
      </p>
      <form method="post" action="/accounts/login/">
        <input type="hidden" name="key" value="${key}">
        <input type="hidden" name="next" value="${next}">
        <div class="actions">
          <button class="primary">Sign in</button>
          ${other !== undefined && html`<a class="button plain" href="${HOME}">Stay signed in as ${other}</a>`}
        </div>
      </form>`,
  )

async function signInByLink(request: PageRequest, key: string, next: string): Promise<PageResult> {
  try {
    return await startSession(
      request,
      'link',
      async (transaction) => (await redeemOneTimeToken(transaction, 'sign_in', key)).accountId,
      next,
    )
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return {
      status: 410,
      page: authPage(
        t('This link is no longer valid'),
        html`
          <p>${problemText(error)} A login link can be used once and expires after 10 minutes.</p>
          <p><a class="button" href="/accounts/login/">Sign in with your password</a></p>`,
      ),
    }
  }
}

/** Signs in with a password, or with a one-time link if the form is that of {@link linkView}. */
export async function submitSignIn(request: PageRequest): Promise<PageResult> {
  denyFraming(request.ctx)
  const { ctx, context } = request
  const form = await request.form()
  const name = (formValue(form, 'username') ?? '').trim()
  const next = safePath(formValue(form, 'next'), context.services, HOME)
  const showError = (status: number, error: string) => ({
    status,
    page: signInView(context.services, { name, next, error, withPassword: true }),
  })
  if (!isSameOrigin(ctx, context.services))
    return showError(403, t('The form was submitted from another site. Sign in here instead.'))
  const key = formValue(form, 'key')
  if (key) return signInByLink(request, key, next)
  try {
    const origin = { ipAddress: ctx.ip, device: readCookie(ctx, context.services, 'device') }
    const verified = await authenticateByPassword(context, name, formValue(form, 'password') ?? '', origin)
    if (!mayUsePassword(context.services, verified.actor))
      return showError(403, t('On this server, accounts such as yours do not sign in with a password.'))
    const verify = async (transaction: PublicContext) => {
      await lockPasswordRow(transaction, verified)
      return verified.actor.id
    }
    return await startSession(request, 'password', verify, next)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    if (error.retryAfter !== undefined) ctx.set('Retry-After', String(error.retryAfter))
    return showError(error.kind === 'too_many' ? 429 : 401, problemText(error))
  }
}

/**
 * Ends the session and redirects to the sign-in page. If the submitted form contains the path `next`, users get to this
 * path after they sign in again. The form of “Use another account” contains `next`.
 */
export async function signOut(request: SignedInRequest): Promise<PageResult> {
  const { ctx, context, session, form } = request
  const next = safePath(formValue(form, 'next'), context.services, '')
  const page = next ? undefined : await providerSignOut(request)
  await endSessionById(context, session.id)
  setCookie(ctx, context.services, 'session', undefined)
  if (page) return page
  return { redirect: `/accounts/login/${next && `?next=${encodeURIComponent(next)}`}` }
}
