import { authenticateByPassword, lockPasswordRow } from '../../../domain/account/credentials.ts'
import {
  confirmSession,
  findProviderSignIn,
  isConfirmed,
  type ProviderSignIn,
} from '../../../domain/account/session.ts'
import type { PublicContext } from '../../../domain/context.ts'
import { Problem, problems } from '../../../domain/problem.ts'
import { applyGroups } from '../../../domain/single-sign-on/groups.ts'
import {
  connectIdentity,
  createConnectedAccount,
  disconnectIdentity,
  type Identity,
  judgeArrival,
  limitLogins,
  listIdentities,
  type RefusalReason,
  useIdentity,
} from '../../../domain/single-sign-on/identity.ts'
import type { SignInProvider } from '../../../domain/single-sign-on/provider.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import type { Log } from '../../../lib/log.ts'
import { OpenIdError, type OpenIdPerson, type PendingOpenIdSignIn } from '../../../lib/open-id.ts'
import { seal, unseal } from '../../../lib/secrets.ts'
import { readCookie, setCookie } from '../../cookie.ts'
import { denyFraming } from '../../csp.ts'
import { csrfField, isSameOrigin, safePath } from '../../csrf.ts'
import { alert, type FieldOptions, field } from '../../forms/field.ts'
import { formValue } from '../../forms/form-fields.ts'
import { problemText } from '../../i18n/error-texts.ts'
import { t } from '../../i18n/t.ts'
import { authPage } from '../../layout/document.ts'
import { timeTag } from '../../layout/format.ts'
import type { PageRequest, PageResult } from '../../page.ts'
import { parseId, readSession, type SignedInRequest } from '../../session.ts'
import { HOME, startSession } from './start-session.ts'

const ROOT = '/accounts/sign-in/'
const PURPOSE = 'sign-in at an OpenID provider'

/** Why a person signs in at a provider: to start a session, to connect the identity, or to confirm who they are. */
type Aim = 'sign_in' | 'connect' | 'confirm'

/** A sign-in that has begun, in an encrypted cookie. */
interface Pending extends PendingOpenIdSignIn {
  provider: string
  aim: Aim
  next: string
  /** Of the session in which it began. */
  accountId?: number
  at: number
}

/** A sign-in that needs the password of the account once, in an encrypted cookie. */
interface Unconnected extends Identity, Omit<ProviderSignIn, 'id'> {
  provider: string
  accountId: number
  username: string
  next: string
  at: number
}

const MAX_AGE_MS = 600_000

function store({ ctx, context: { services } }: PageRequest, value: Pending | Unconnected | undefined): void {
  setCookie(ctx, services, 'sign_in', value && seal(services.secretKey, PURPOSE, JSON.stringify(value)))
}

function readStored<Stored extends Pending | Unconnected>(
  { ctx, context: { services, now }, params }: PageRequest,
  member: keyof Stored,
): Stored | undefined {
  const sealed = readCookie(ctx, services, 'sign_in')
  const text = sealed && unseal(services.secretKey, PURPOSE, sealed)
  const stored = text ? (JSON.parse(text) as Stored) : undefined
  const isUsable = stored && member in stored && stored.provider === params.provider
  return isUsable && now.getTime() - stored.at <= MAX_AGE_MS ? stored : undefined
}

/** Returns the provider of the address. @throws {Problem} `identity_not_found` */
export function providerOf({ context, params }: PageRequest): SignInProvider {
  const provider = context.services.signIn.providers.find(({ id }) => id === params.provider)
  if (!provider) throw problems.identityNotFound()
  return provider
}

const callbackOf = ({ context }: PageRequest, { id }: SignInProvider): string =>
  `${context.services.baseUrl}${ROOT}${id}/callback/`

const pathOf = ({ id }: SignInProvider, next: string, aim: Aim = 'sign_in'): string =>
  `${ROOT}${id}/?${new URLSearchParams({ next, ...(aim !== 'sign_in' && { for: aim }) })}`

/** Renders the buttons of the sign-in page. */
export const providerButtons = (providers: readonly SignInProvider[], next: string): Part =>
  providers.map(
    (provider) =>
      html`<p><a class="button primary" href="${pathOf(provider, next)}">Sign in with ${provider.name}</a></p>`,
  )

/** Sends the browser to a provider. */
export async function startProviderSignIn(request: PageRequest): Promise<PageResult> {
  denyFraming(request.ctx)
  const { context, query } = request
  const provider = providerOf(request)
  const next = safePath(query.get('next') ?? undefined, context.services, HOME)
  const aim = (['connect', 'confirm'] as const).find((each) => each === query.get('for')) ?? 'sign_in'
  const session = aim === 'sign_in' ? undefined : (await readSession(request))?.session
  if (aim !== 'sign_in' && !session) return { redirect: `/accounts/login/?next=${encodeURIComponent(next)}` }
  try {
    const { address, ...pending } = await provider.client.begin(callbackOf(request, provider), aim === 'confirm')
    const accountId = session && { accountId: session.actor.id }
    store(request, { ...pending, ...accountId, provider: provider.id, aim, next, at: context.now.getTime() })
    return { redirect: address }
  } catch (error) {
    return failurePage(request, provider, error, next)
  }
}

/** Receives the browser from a provider. */
export async function returnFromProvider(request: PageRequest): Promise<PageResult> {
  denyFraming(request.ctx)
  const provider = providerOf(request)
  const pending = readStored<Pending>(request, 'state')
  if (!pending) return expiredPage(provider, HOME)
  store(request, undefined)
  const { next, aim } = pending
  try {
    const person = await limitLogins(request.context, request.ctx.ip, () =>
      provider.client.complete(callbackOf(request, provider), request.query, pending, aim === 'confirm'),
    )
    return aim === 'sign_in'
      ? await signIn(request, provider, person, next)
      : await returnToAccount(request, provider, person, pending)
  } catch (error) {
    return failurePage(request, provider, error, next)
  }
}

async function signIn(
  request: PageRequest,
  provider: SignInProvider,
  person: OpenIdPerson,
  next: string,
): Promise<PageResult> {
  const start = (verify: (context: PublicContext) => Promise<number>) => {
    const verifyWithGroups = async (context: PublicContext) => {
      const accountId = await verify(context)
      if (!(await applyGroups(context, provider, person, accountId)))
        logOf(request)?.warn({ provider: provider.id, claims: person.claims }, 'an OpenID provider sent no groups')
      return accountId
    }
    return startSession(request, 'provider', verifyWithGroups, next, { ...person, id: provider.id })
  }
  const arrival = await judgeArrival(request.context, provider, person)
  switch (arrival.as) {
    case 'account':
      return start(async (context) => {
        await useIdentity(context, person)
        return arrival.accountId
      })
    case 'connect':
      return start(async (context) => {
        await connectIdentity(context, provider, person, arrival.accountId)
        return arrival.accountId
      })
    case 'create':
      return start((context) => createConnectedAccount(context, provider, person))
    case 'password': {
      const { issuer, subject, session, email, idToken } = person
      const { accountId, username } = arrival
      const at = request.context.now.getTime()
      const waiting = { provider: provider.id, accountId, username, issuer, subject, session, email, idToken, next, at }
      store(request, waiting)
      return passwordPage(provider, waiting)
    }
    case 'refused':
      return refusalPage(request, provider, person, arrival.reason, next)
  }
}

/** Connects the identity to the account of the session, or stores that its person has just signed in. */
async function returnToAccount(
  request: PageRequest,
  provider: SignInProvider,
  person: OpenIdPerson,
  { aim, next, accountId }: Pending,
): Promise<PageResult> {
  const { context } = request
  const session = (await readSession(request))?.session
  if (!session || session.actor.id !== accountId) return expiredPage(provider, next)
  await context.em.transactional(async (em) => {
    const writing = { ...context, em }
    if (aim === 'connect') return connectIdentity(writing, provider, person, session.actor.id)
    const arrival = await judgeArrival(writing, provider, person)
    const isOwn = arrival.as === 'account' && arrival.accountId === session.actor.id
    if (isOwn) await confirmSession(writing, session.id)
  })
  return { redirect: next }
}

/** Connects the identity with the password of the account, and signs in. */
export async function connectWithPassword(request: PageRequest): Promise<PageResult> {
  denyFraming(request.ctx)
  const { ctx, context } = request
  const provider = providerOf(request)
  const waiting = readStored<Unconnected>(request, 'subject')
  const form = await request.form()
  if (!waiting || !isSameOrigin(ctx, context.services)) return expiredPage(provider, HOME)
  try {
    const origin = { ipAddress: ctx.ip, device: readCookie(ctx, context.services, 'device') }
    const verified = await authenticateByPassword(context, waiting.username, formValue(form, 'password') ?? '', origin)
    const verify = async (writing: PublicContext) => {
      await lockPasswordRow(writing, verified)
      await connectIdentity(writing, provider, waiting, verified.actor.id)
      return verified.actor.id
    }
    const result = await startSession(request, 'provider', verify, waiting.next, { ...waiting, id: provider.id })
    store(request, undefined)
    return result
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    if (error.retryAfter !== undefined) ctx.set('Retry-After', String(error.retryAfter))
    const text = error.code === 'unauthenticated' ? t('The password is wrong.') : problemText(error)
    return passwordPage(provider, waiting, { status: error.kind === 'too_many' ? 429 : 401, text })
  }
}

const passwordPage = (
  provider: SignInProvider,
  { email, username }: Unconnected,
  rejected?: { status: number; text: string },
): PageResult => ({
  status: rejected?.status ?? 200,
  page: authPage(
    t('Connect your account'),
    html`
      ${alert(rejected?.text)}
      <p>
        The account <strong>${username}</strong> has the address ${email}. Enter its password once. After that, you sign
        in with ${provider.name}.
      </p>
      <form method="post" action="${ROOT}${provider.id}/connect/">
        <input type="hidden" name="username" autocomplete="username" value="${username}">
        ${field({
          name: 'password',
          label: t('Password'),
          type: 'password',
          autocomplete: 'current-password',
          required: true,
        })}
        <button class="primary">Connect and sign in</button>
      </form>
      <p class="below"><a href="/accounts/password/">Forgot your password?</a></p>`,
  ),
})

const REFUSALS: Readonly<Record<RefusalReason, (email: string, name: string) => string>> = {
  no_email: (_, name) =>
    t('{name} sent no email address of yours. Ask its administrator to allow the scope “email”.', { name }),
  email_not_verified: (email, name) =>
    t('{name} has not confirmed that the address {email} is yours.', { name, email }),
  domain_not_allowed: (email) => t('Addresses such as {email} have no access to this server.', { email }),
  no_account: (email) =>
    t('There is no account with the address {email}. Ask the administrator of this server for one.', { email }),
}

function refusalPage(
  request: PageRequest,
  provider: SignInProvider,
  { email, claims }: OpenIdPerson,
  reason: RefusalReason,
  next: string,
): PageResult {
  logOf(request)?.warn({ provider: provider.id, reason, claims }, 'sign-in at an OpenID provider refused')
  return {
    status: 403,
    page: authPage(
      t('You cannot sign in'),
      html`
        <p>${REFUSALS[reason](email, provider.name)}</p>
        <p>If you have an account, sign in with its password and connect it on the account page.</p>
        ${signInLink(next)}`,
    ),
  }
}

const logOf = ({ ctx }: PageRequest) => ctx.state.log as Log | undefined

const signInLink = (next: string): Html =>
  html`<p class="below">
    <a class="button" href="/accounts/login/?next=${encodeURIComponent(next)}">Go to sign-in</a>
  </p>`

const expiredPage = (provider: SignInProvider, next: string): PageResult => ({
  status: 410,
  page: authPage(
    t('This sign-in has expired'),
    html`
      <p>It took longer than ten minutes, or began in another browser.</p>
      <p class="below"><a class="button" href="${pathOf(provider, next)}">Sign in with ${provider.name}</a></p>`,
  ),
})

/** Returns the page for an error of a provider, or for a rejected sign-in. */
function failurePage(request: PageRequest, provider: SignInProvider, error: unknown, next: string): PageResult {
  const problem = error instanceof Problem ? error : request.deps.translate(error)
  if (!(error instanceof OpenIdError) && (!problem || problem.code === 'unavailable')) throw error
  if (problem) {
    if (problem.retryAfter !== undefined) request.ctx.set('Retry-After', String(problem.retryAfter))
    return {
      status: problem.kind === 'too_many' ? 429 : 409,
      page: authPage(t('You cannot sign in'), html`<p>${problemText(problem)}</p>${signInLink(next)}`),
    }
  }
  const { kind, message } = error as OpenIdError
  logOf(request)?.warn({ provider: provider.id, kind, reason: message }, 'sign-in provider failed')
  const { name } = provider
  const texts = {
    unavailable: t('{name} is not responding. Try again in a few minutes.', { name }),
    denied: t('{name} did not sign you in.', { name }),
    invalid: t('The sign-in with {name} is not set up correctly. Tell the administrator of this server.', { name }),
  }
  return {
    status: kind === 'denied' ? 403 : 503,
    page: authPage(
      t('You cannot sign in'),
      html`
        <p>${texts[kind]}</p>
        <p class="below"><a class="button primary" href="${pathOf(provider, next)}">Try again</a></p>
        ${signInLink(next)}`,
    ),
  }
}

/** Returns the page after a sign-out, with a link that ends the session at the provider too. */
export async function providerSignOut(request: SignedInRequest): Promise<PageResult | undefined> {
  const { context, session } = request
  const signedIn = await findProviderSignIn(context, session.id)
  const provider = context.services.signIn.providers.find(({ id }) => id === signedIn?.id)
  if (!signedIn || !provider) return undefined
  const address = await provider.client.endSessionAddress(
    signedIn.idToken,
    `${context.services.baseUrl}/accounts/login/`,
  )
  if (!address) return undefined
  return {
    page: authPage(
      t('You are signed out'),
      // A form cannot lead to another site, so this is a link.
      html`
        <p>You are still signed in at ${provider.name}.</p>
        <p class="below"><a class="button primary" href="${address}">Sign out of ${provider.name} too</a></p>
        <p><a class="button" href="/accounts/login/">Sign in again</a></p>`,
    ),
  }
}

/** Renders the section of the account page with the identities of the user. Nothing without providers. */
export async function identitiesSection({ context, csrf }: SignedInRequest): Promise<Part> {
  const { providers } = context.services.signIn
  const identities = await listIdentities(context)
  if (!providers.length && !identities.length) return undefined
  const nameOf = (issuer: string) => providers.find((each) => each.issuer === issuer)?.name ?? new URL(issuer).host
  const others = providers.filter(({ issuer }) => !identities.some((each) => each.issuer === issuer))
  return html`<section class="card" aria-labelledby="identities">
    <h2 id="identities">Sign-in with your organisation</h2>
    ${
      identities.length > 0 &&
      html`<ul class="rows">
        ${identities.map(
          ({ id, issuer, email, usedAt }) =>
            html`<li>
              <div>
                <strong>${nameOf(issuer)}</strong>
                <p class="soft">${email}, last used ${timeTag(usedAt)}</p>
              </div>
              <form method="post" action="/account/identities/${id}/">
                ${csrfField(csrf)}
                <button class="small" aria-label="Disconnect ${nameOf(issuer)}, ${email}">Disconnect</button>
              </form>
            </li>`,
        )}
      </ul>`
    }
    ${others.map(
      (provider) =>
        html`<p class="below">
          <a class="button plain" href="${pathOf(provider, '/account/#identities', 'connect')}">
            Connect ${provider.name}
          </a>
        </p>`,
    )}
  </section>`
}

/** Disconnects an identity of the account. */
export async function removeIdentity(request: SignedInRequest): Promise<PageResult> {
  await request.write((context) => disconnectIdentity(context, parseId(request.params.id)))
  request.flash(t('Disconnected. Sign in with your password from now on; “Forgot your password?” sets one.'))
  return { redirect: '/account/' }
}

/**
 * Renders the field for the current password. Users who sign in with a provider can sign in there again instead.
 * @param here the address of the page
 * @param options the properties of the field
 */
export async function confirmationField(
  { context, session }: SignedInRequest,
  here: string,
  options: Omit<FieldOptions, 'type' | 'autocomplete'>,
): Promise<Html> {
  const connected = await connectedProviders(context)
  if (connected.length && (await isConfirmed(context, session.id)))
    return html`<p class="notice">
      You have confirmed that it is you. You need not enter your password for five minutes.
    </p>`
  return html`
    ${field({ ...options, type: 'password', autocomplete: 'current-password' })}
    ${connected.map(
      (provider) =>
        html`<p><a href="${pathOf(provider, here, 'confirm')}">Confirm with ${provider.name} instead</a></p>`,
    )}`
}

/** Returns where the password in a form comes from. */
export const originOf = ({ ctx, context, session }: SignedInRequest) => ({
  session: session.id,
  ipAddress: ctx.ip,
  device: readCookie(ctx, context.services, 'device'),
})

async function connectedProviders(context: SignedInRequest['context']): Promise<SignInProvider[]> {
  const { providers } = context.services.signIn
  if (!providers.length) return []
  const issuers = new Set((await listIdentities(context)).map(({ issuer }) => issuer))
  return providers.filter(({ issuer }) => issuers.has(issuer))
}
