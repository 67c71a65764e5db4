import type { PublicContext } from '../context.ts'
import { IdentityError, type IdentityProvider } from './identity-provider.ts'
import { type ProtectedResponse, requestPermission } from './permission.ts'
import {
  endRespondentSession,
  findRespondentSession,
  type RespondentSession,
  readTokens,
  resetAttempts,
  saveTokens,
} from './session.ts'
import { refreshTokens, type Tokens } from './sign-in.ts'

/**
 * The decision for a respondent. `signIn`: the respondent must sign in; its value is the number of the attempt, from 1.
 */
export type AccessDecision = 'allowed' | 'denied' | { signIn: number }

/**
 * Asks the identity provider whether a respondent may see and change a response. Refreshes expired tokens. Call it
 * outside a transaction, because the provider may respond slowly.
 * @param token the session token of the respondent, from a cookie
 * @throws {IdentityError} if the provider returns no valid reply
 */
export async function authorizeRespondent(
  context: PublicContext,
  provider: IdentityProvider,
  token: string | undefined,
  response: ProtectedResponse,
): Promise<AccessDecision> {
  const target = { collectorId: response.collector.id, endpoint: provider.endpoint }
  const session = token ? await findRespondentSession(context, target, token) : undefined
  if (!session) return { signIn: 1 }
  let permission = isExpired(context, session.tokens)
    ? 'unknown'
    : await requestPermission(context, provider, session.tokens.access, response)
  if (permission === 'unknown') {
    const renewed = await refresh(context, provider, session)
    if (renewed) permission = await requestPermission(context, provider, renewed.access, response)
  }
  if (permission === 'unknown') {
    await endRespondentSession(context, session)
    return { signIn: session.attempt + 1 }
  }
  if (session.attempt > 0) await resetAttempts(context, session)
  return permission
}

/** Returns whether a respondent has a session, without a request to the identity provider. */
export async function isSignedIn(
  context: PublicContext,
  { endpoint }: IdentityProvider,
  token: string | undefined,
  collectorId: number,
): Promise<boolean> {
  return token !== undefined && (await findRespondentSession(context, { collectorId, endpoint }, token)) !== undefined
}

const isExpired = ({ now }: PublicContext, { expiresAt, refresh: renewable }: Tokens) =>
  renewable !== undefined && expiresAt !== undefined && expiresAt <= now.getTime()

/**
 * Pending refreshes by session. They are shared, because a provider that replaces refresh tokens may treat a second use
 * of a token as theft.
 */
const pendingRefreshes = new WeakMap<object, Map<string, Promise<Tokens | undefined>>>()

/**
 * Refreshes the tokens of a session, only once for concurrent requests. Returns undefined if the provider issues no new
 * tokens, or if the session has ended.
 */
function refresh(context: PublicContext, provider: IdentityProvider, session: RespondentSession) {
  const { services } = context
  const pending = pendingRefreshes.get(services) ?? new Map<string, Promise<Tokens | undefined>>()
  pendingRefreshes.set(services, pending)
  const id = session.hash.toString('hex')
  const renewal = pending.get(id) ?? renew(context, provider, session).finally(() => pending.delete(id))
  pending.set(id, renewal)
  return renewal
}

async function renew(
  context: PublicContext,
  provider: IdentityProvider,
  session: RespondentSession,
): Promise<Tokens | undefined> {
  const stored = await readTokens(context, session)
  // A concurrent request has already refreshed the tokens.
  if (stored?.access !== session.tokens.access) return stored
  if (stored.refresh === undefined) return undefined
  try {
    const renewed = await refreshTokens(context, provider, stored.refresh)
    await saveTokens(context, session, renewed)
    return renewed
  } catch (error) {
    // After any refusal the respondent signs in again; a fault of the settings shows then.
    if (!(error instanceof IdentityError) || error.isTemporary) throw error
    // Another server may have used the refresh token before this server.
    const current = await readTokens(context, session)
    return current?.refresh === stored.refresh ? undefined : current
  }
}
