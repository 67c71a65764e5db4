import type { Context as Koa } from 'koa'
import type { PendingSignIn } from '../../../domain/identity/sign-in.ts'
import type { Services } from '../../../domain/services.ts'
import { seal, unseal } from '../../../lib/secrets.ts'
import { cookiePath, nameOf } from '../../cookie.ts'
import type { PageRequest } from '../../page.ts'

/** A pending sign-in, stored in an encrypted cookie, so that the browser cannot change it. */
export interface PendingRequest extends PendingSignIn {
  collectorId: number
  /** The key of the response, if the address that the respondent requested contains it. */
  key?: string | undefined
  /** The query of the address that the respondent requested, with the question mark. */
  search: string
  /**
   * The number of consecutive sign-ins after which the respondent still had no access to the survey, as in
   * `RespondentSession`.
   */
  attempt: number
  /** The time at which the sign-in began, in milliseconds since 1970. */
  at: number
}

/** A pending sign-in expires after this time. */
const MAX_SIGN_IN_MS = 1_800_000
/**
 * Maximum number of pending sign-ins per browser, for example in several tabs. There is one cookie name for each. The
 * state of a sign-in determines the name, and a sign-in replaces an earlier one with the same name.
 */
const MAX_PENDING_SIGN_INS = 16
/**
 * Maximum length of the query. A cookie has at most 4096 bytes (RFC 6265, section 6.1), and the same cookie contains
 * the other members of the pending sign-in.
 */
const MAX_SEARCH_CHARACTERS = 2_000
const PURPOSE = 'sign-in of a respondent'

/**
 * Returns the name of the cookie of a pending sign-in. If the site uses HTTPS, the name begins with `__Secure-`, so
 * that browsers accept the cookie only over HTTPS (RFC 6265bis, 4.1.3.1). `__Host-` would require the path `/`.
 */
const nameOfTab = ({ baseUrl }: Services, tab: number) =>
  `${baseUrl.startsWith('https:') ? '__Secure-' : ''}sign_in_${tab}`
const cookieNameOf = (services: Services, state: string) =>
  nameOfTab(services, state.charCodeAt(0) % MAX_PENDING_SIGN_INS)

function set(ctx: Koa, { baseUrl }: Services, name: string, value: string | undefined, path: string, maxAge?: number) {
  const secure = baseUrl.startsWith('https:')
  // A proxy may terminate TLS. Therefore the scheme of the public URL, not of this connection, states whether browsers
  // use HTTPS.
  ctx.cookies.secure = secure
  ctx.cookies.set(name, value ?? null, {
    httpOnly: true,
    sameSite: 'lax',
    secure,
    path,
    overwrite: true,
    ...(value !== undefined && maxAge !== undefined && { maxAge }),
  })
}

/**
 * Stores a pending sign-in in a cookie.
 * @param path the path to which the identity provider redirects the respondent; browsers send the cookie only to this
 *   path
 */
export function storePending({ ctx, context: { services } }: PageRequest, path: string, pending: PendingRequest): void {
  const search = pending.search.length <= MAX_SEARCH_CHARACTERS ? pending.search : ''
  const sealed = seal(services.secretKey, PURPOSE, JSON.stringify({ ...pending, search }))
  set(ctx, services, cookieNameOf(services, pending.state), sealed, path, MAX_SIGN_IN_MS)
}

/**
 * Returns the pending sign-in of this browser that has the given state, and deletes it.
 * @param state the state that the identity provider returned, or null if it returned none. For null, the latest pending
 *   sign-in is returned. The exception is a browser with pending sign-ins to several collectors: for null, none of them
 *   is returned, so that the code of one provider is never sent to another (RFC 9700, section 4.4).
 */
export function consumePending(request: PageRequest, path: string, state: string | null): PendingRequest | undefined {
  const { services } = request.context
  const names =
    state === null
      ? Array.from({ length: MAX_PENDING_SIGN_INS }, (_, tab) => nameOfTab(services, tab))
      : [cookieNameOf(services, state)]
  const pendingRequests = names
    .flatMap((name) => readPending(request, name) ?? [])
    .filter((pending) => state === null || pending.state === state)
    .sort((one, other) => other.at - one.at)
  const [latest] = pendingRequests
  const ambiguous = pendingRequests.some(({ collectorId }) => collectorId !== latest?.collectorId)
  for (const pending of ambiguous ? pendingRequests : pendingRequests.slice(0, 1))
    set(request.ctx, services, cookieNameOf(services, pending.state), undefined, path)
  return ambiguous ? undefined : latest
}

function readPending({ ctx, context: { services, now } }: PageRequest, name: string): PendingRequest | undefined {
  const sealed = ctx.cookies.get(name)
  const unsealed = sealed && unseal(services.secretKey, PURPOSE, sealed)
  const pending = unsealed ? (JSON.parse(unsealed) as PendingRequest) : undefined
  return pending && now.getTime() - pending.at <= MAX_SIGN_IN_MS ? pending : undefined
}

const respondentCookieName = (services: Services, collectorId: number) => nameOf(services, `respondent_${collectorId}`)

/** Returns the session token of the respondent for a collector. */
export const respondentToken = ({ ctx, context }: PageRequest, collectorId: number): string | undefined =>
  ctx.cookies.get(respondentCookieName(context.services, collectorId))

/** Sets the session token of the respondent for a collector, until the browser is closed. */
export const setRespondentToken = (
  { ctx, context: { services } }: PageRequest,
  collectorId: number,
  token: string,
): void => set(ctx, services, respondentCookieName(services, collectorId), token, cookiePath(services))
