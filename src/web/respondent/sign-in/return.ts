import { IdentityError, type IdentityProvider, identityProviderOf } from '../../../domain/identity/identity-provider.ts'
import { createRespondentSession, echoesState } from '../../../domain/identity/session.ts'
import { exchangeCode } from '../../../domain/identity/sign-in.ts'
import type { Services } from '../../../domain/services.ts'
import { basePathOf } from '../../../lib/base-path.ts'
import type { Log } from '../../../lib/log.ts'
import type { PageRequest, PageResult } from '../../page.ts'
import { pathFor } from '../address.ts'
import { type ResolvedRequest, resolveRequest } from '../resolve-request.ts'
import { failurePage, notSignedInView, reportFailure } from './check-sign-in.ts'
import { consumePending, type PendingRequest, setRespondentToken } from './cookie.ts'

/**
 * Error codes with which an identity provider reports that the respondent did not sign in, or signed in too late (RFC
 * 6749, sections 4.1.2.1 and 5.2; OpenID Connect Core, section 3.1.2.6).
 */
const NOT_SIGNED_IN = new Set([
  'access_denied',
  'invalid_grant',
  'login_required',
  'interaction_required',
  'consent_required',
])

/**
 * Completes the sign-in when the identity provider redirects the respondent back, and redirects to the requested page.
 * Some providers return only a code, without the state. In this case too, only the browser that began the sign-in can
 * complete it.
 */
export async function returnFromSignIn(request: PageRequest): Promise<PageResult> {
  const { query } = request
  const state = query.get('state')
  const isReply = state !== null || query.has('code') || query.has('error')
  const pending = isReply
    ? consumePending(request, basePathOf(request.context.services.baseUrl) + request.ctx.path, state)
    : undefined
  const resolved = await resolveRequestedPage(request, pending)
  const { context } = request
  const { snapshot, collector, address, render, i18n } = resolved
  const notSignedIn = (status: number): PageResult => ({
    status,
    page: render({ prefix: i18n.texts.notSignedInTitle, content: notSignedInView(resolved) }),
  })
  if (!pending) return notSignedIn(400)
  try {
    const provider = identityProviderOf(context, snapshot, collector)
    // The owner has changed the authentication of the survey since the sign-in began.
    if (!provider || collector.id !== pending.collectorId) return { redirect: address }
    const target = { collectorId: collector.id, endpoint: provider.endpoint }
    const stateEchoed = state !== null
    if (!stateEchoed && (await echoesState(context, target))) {
      logOf(request)?.warn(
        { id: request.ctx.state.requestId, survey: snapshot.id, collector: collector.id },
        'sign-in rejected: its state is missing, although the identity provider sends the state back in other sign-ins',
      )
      return notSignedIn(400)
    }
    const tokens = await exchangeCode(context, provider, query, pending)
    if (!stateEchoed) logMissingState(resolved, provider)
    const session = { attempt: pending.attempt, stateEchoed }
    setRespondentToken(request, collector.id, await createRespondentSession(context, target, tokens, session))
    return { redirect: address }
  } catch (error) {
    if (!(error instanceof IdentityError)) throw error
    if (!NOT_SIGNED_IN.has(error.code ?? '')) return failurePage(resolved, error)
    // The owner sees these failures too: providers also use these codes for faults of the settings.
    await reportFailure(resolved, error)
    return notSignedIn(403)
  }
}

const logOf = ({ ctx }: PageRequest) => ctx.state.log as Log | undefined

/** IDs of surveys for which a missing `state` has already been logged. */
const loggedSurveys = new WeakMap<Services, Set<number>>()

function logMissingState(
  { request: { ctx, context }, snapshot, collector }: ResolvedRequest,
  { endpoint }: IdentityProvider,
): void {
  const surveys = loggedSurveys.get(context.services) ?? new Set()
  if (surveys.has(snapshot.id)) return
  loggedSurveys.set(context.services, surveys.add(snapshot.id))
  const log = ctx.state.log as Log | undefined
  log?.warn({ survey: snapshot.id, collector: collector.id, endpoint }, 'identity provider does not send state back')
}

/** Resolves the page that the respondent requested before the sign-in. */
async function resolveRequestedPage(
  request: PageRequest,
  { key, search = '' }: Partial<PendingRequest> = {},
): Promise<ResolvedRequest> {
  const { username = '', slug = '' } = request.params
  const params = { username, slug, ...(key !== undefined && { key }) }
  const resolved = await resolveRequest({ ...request, params, query: new URLSearchParams(search) })
  return { ...resolved, address: pathFor(resolved.snapshot, resolved.stored?.key) + search }
}
