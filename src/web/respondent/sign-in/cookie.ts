import type { Context as Koa } from 'koa'
import type { PendingSignIn } from '../../../domain/identity/sign-in.ts'
import type { Services } from '../../../domain/services.ts'
import { seal, unseal } from '../../../lib/seal.ts'
import type { PageRequest } from '../../page.ts'

/** A sign-in that has begun, as the respondent's browser keeps it for us: sealed, so that it stays as it was written. */
export interface Pending extends PendingSignIn {
  collectorId: number
  /** The key in the address that they wanted to open. */
  key?: string | undefined
  /** Its query, with the question mark. */
  search: string
  /** See `RespondentSession`. */
  attempt: number
  /** Milliseconds since 1970. */
  at: number
}

/** How long a sign-in may take, in milliseconds. */
const MAX_SIGN_IN_MS = 1_800_000
/** Sign-ins that may be under way in one browser, in tabs side by side; one more lets an old one go. */
const TABS = 16
/** Longest query that fits into a cookie with the rest, in characters (RFC 6265, 6.1: 4096 bytes). */
const LONGEST_SEARCH = 2_000
const PURPOSE = 'sign-in of a respondent'

const pendingName = (state: string) => `sign_in_${state.charCodeAt(0) % TABS}`
const ALL_NAMES = Array.from({ length: TABS }, (_, tab) => `sign_in_${tab}`)

function set(ctx: Koa, { baseUrl }: Services, name: string, value: string | undefined, path: string, maxAge?: number) {
  const secure = baseUrl.startsWith('https:')
  // What is encrypted is the way to the browser, which may end at a proxy before us.
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

/** @param path where the respondent comes back to: the only place that needs it */
export function keepPending({ ctx, context: { services } }: PageRequest, path: string, pending: Pending): void {
  const search = pending.search.length <= LONGEST_SEARCH ? pending.search : ''
  const kept = seal(services.secretKey, PURPOSE, JSON.stringify({ ...pending, search }))
  set(ctx, services, pendingName(pending.state), kept, path, MAX_SIGN_IN_MS)
}

/**
 * Returns the sign-in that this browser began with a state, and forgets it, for it ends here.
 * @param state null where the identity system sent none back: the youngest sign-in is meant. Where collectors of their own
 *   systems wait side by side none is, so that the code of one system never goes to another (RFC 9700, 4.4).
 */
export function takePending(request: PageRequest, path: string, state: string | null): Pending | undefined {
  const names = state === null ? ALL_NAMES : [pendingName(state)]
  const open = names
    .flatMap((name) => readPending(request, name) ?? [])
    .filter((pending) => state === null || pending.state === state)
    .sort((one, other) => other.at - one.at)
  const [youngest] = open
  const ambiguous = open.some(({ collectorId }) => collectorId !== youngest?.collectorId)
  for (const pending of ambiguous ? open : open.slice(0, 1))
    set(request.ctx, request.context.services, pendingName(pending.state), undefined, path)
  return ambiguous ? undefined : youngest
}

function readPending({ ctx, context: { services, now } }: PageRequest, name: string): Pending | undefined {
  const kept = ctx.cookies.get(name)
  const opened = kept && unseal(services.secretKey, PURPOSE, kept)
  const pending = opened ? (JSON.parse(opened) as Pending) : undefined
  return pending && now.getTime() - pending.at <= MAX_SIGN_IN_MS ? pending : undefined
}

const respondentName = (collectorId: number) => `respondent_${collectorId}`

/** The token of the respondent's session for a collector. */
export const respondentToken = ({ ctx }: PageRequest, collectorId: number): string | undefined =>
  ctx.cookies.get(respondentName(collectorId))

/** Kept until the browser is closed. */
export const keepRespondent = ({ ctx, context: { services } }: PageRequest, collectorId: number, token: string): void =>
  set(ctx, services, respondentName(collectorId), token, '/surveys/')
