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

/** May they, or do they have to sign in first: for the how manieth time in a row without success. */
export type AccessDecision = 'allowed' | 'refused' | { signIn: number }

/**
 * Whether a respondent may see and change a response: asks the identity system, with new tokens where the old ones have
 * run out. No transaction may be open: their system takes its time.
 * @param token of the respondent's session, from their browser
 * @throws {IdentityError} when the system says neither yes nor no
 */
export async function authorizeRespondent(
  context: PublicContext,
  system: IdentityProvider,
  token: string | undefined,
  wanted: ProtectedResponse,
): Promise<AccessDecision> {
  const place = { collectorId: wanted.collector.id, endpoint: system.endpoint }
  const session = token ? await findRespondentSession(context, place, token) : undefined
  if (!session) return { signIn: 1 }
  let permission = isOver(context, session.tokens)
    ? 'unknown'
    : await requestPermission(context, system, session.tokens.access, wanted)
  if (permission === 'unknown') {
    const renewed = await refresh(context, system, session)
    if (renewed) permission = await requestPermission(context, system, renewed.access, wanted)
  }
  if (permission === 'unknown') {
    await endRespondentSession(context, session)
    return { signIn: session.attempt + 1 }
  }
  if (session.attempt > 0) await resetAttempts(context, session)
  return permission
}

/** Whether somebody is signed in as far as we know, without asking their system. */
export async function isSignedIn(
  context: PublicContext,
  { endpoint }: IdentityProvider,
  token: string | undefined,
  collectorId: number,
): Promise<boolean> {
  return token !== undefined && (await findRespondentSession(context, { collectorId, endpoint }, token)) !== undefined
}

const isOver = ({ now }: PublicContext, { expiresAt, refresh: renewable }: Tokens) =>
  renewable !== undefined && expiresAt !== undefined && expiresAt <= now.getTime()

/** Refreshes that are under way, by session: a system that hands out each refresh token once may take a second use for theft. */
const pendingRefreshes = new WeakMap<object, Map<string, Promise<Tokens | undefined>>>()

/** New tokens for a session; undefined: there are none to be had. */
function refresh(context: PublicContext, system: IdentityProvider, session: RespondentSession) {
  const { services } = context
  const running = pendingRefreshes.get(services) ?? new Map<string, Promise<Tokens | undefined>>()
  pendingRefreshes.set(services, running)
  const name = session.hash.toString('hex')
  const renewal = running.get(name) ?? renew(context, system, session).finally(() => running.delete(name))
  running.set(name, renewal)
  return renewal
}

async function renew(
  context: PublicContext,
  system: IdentityProvider,
  session: RespondentSession,
): Promise<Tokens | undefined> {
  const before = await readTokens(context, session)
  // Somebody else has done it while we asked.
  if (before?.access !== session.tokens.access) return before
  if (before.refresh === undefined) return undefined
  try {
    const renewed = await refreshTokens(context, system, before.refresh)
    await saveTokens(context, session, renewed)
    return renewed
  } catch (error) {
    if (!(error instanceof IdentityError) || error.code !== 'invalid_grant') throw error
    // Another server may have been quicker with the same refresh token.
    const now = await readTokens(context, session)
    return now?.refresh === before.refresh ? undefined : now
  }
}
