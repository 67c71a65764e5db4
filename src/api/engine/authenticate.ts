import { hash } from 'node:crypto'
import type { EntityManager } from '@mikro-orm/postgresql'
import type { Context as Koa } from 'koa'
import { LRUCache } from 'lru-cache'
import { type Access, authenticateBasic } from '../../domain/account/credentials.ts'
import type { Actor } from '../../domain/context.ts'
import { type Bearer, findBearer } from '../../domain/oauth/token.ts'
import { problems } from '../../domain/problem.ts'
import type { Services } from '../../domain/services.ts'
import { isSameOrigin } from '../../lib/network.ts'
import { httpErrors } from './http-error.ts'

/** Parses a Basic header in UTF-8 (RFC 7617). The username ends at the first colon. */
function readBasic(header: string): [name: string, secret: string] | undefined {
  const encoded = /^Basic +([A-Za-z0-9+/=_-]+) *$/i.exec(header)?.[1]
  if (!encoded) return undefined
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  if (colon < 0 || text.includes('\0')) return undefined
  return [text.slice(0, colon), text.slice(colon + 1)]
}

/**
 * Creates the function that authenticates requests. For 30 seconds, caches which account a password or an access token
 * authenticates, by the digest of the secret. Concurrent requests with the same password share one computation of the
 * slow password hash. A later request needs one SHA-256 and no database query.
 */
export function createAuthenticator(services: Services, fork: () => EntityManager, clock: () => Date) {
  const passwords = createCredentialCache<Access>(
    ({ actor }) => actor.id,
    ({ expiresAt }) => expiresAt?.getTime() ?? Number.POSITIVE_INFINITY,
  )
  const tokens = createCredentialCache<Bearer>(
    ({ actor }) => actor.id,
    ({ expiresAt }) => expiresAt.getTime(),
  )

  /**
   * Authenticates by a token in the Authorization header (RFC 6750, 2.1). Tokens in the query are not accepted, because
   * logs would store them.
   */
  async function byToken(ctx: Koa, header: string, scopes: readonly string[]): Promise<Actor> {
    const token = /^Bearer +([A-Za-z0-9._~+/-]+=*) *$/i.exec(header)?.[1]
    if (!token) throw httpErrors.invalidToken()
    const now = clock()
    const bearer = await tokens.of(token, now, async () => {
      const match = await findBearer({ em: fork(), now, services }, token)
      if (!match) throw httpErrors.invalidToken()
      return match
    })
    // The rate limit of the account also counts requests whose token lacks a scope.
    ctx.state.actor = bearer.actor
    const allowed: readonly string[] = bearer.scopes
    if (!scopes.every((scope) => allowed.includes(scope))) throw httpErrors.insufficientScope(scopes)
    return bearer.actor
  }

  return {
    /**
     * Authenticates a request.
     * @param scopes the scopes that an access token must have; an API key for reading has only `read`
     * @throws {Problem} `unauthenticated` if the header is missing or wrong; `invalid_token`, `insufficient_scope`,
     *   `too_many_attempts`
     */
    async authenticate(ctx: Koa, scopes: readonly string[]): Promise<Actor> {
      const header = ctx.get('authorization')
      if (/^Bearer\b/i.test(header)) return byToken(ctx, header, scopes)
      const basic = readBasic(header)
      if (!basic) throw problems.unauthenticated()
      const now = clock()
      const { actor, isReadOnly } = await passwords.of(header, now, () =>
        authenticateBasic({ em: fork(), now, services }, ...basic, { ipAddress: ctx.ip }),
      )
      ctx.state.actor = actor
      if (isReadOnly && scopes.includes('write')) throw httpErrors.readOnlyKey()
      return actor
    },

    /** Clears the cache for these accounts, or for all accounts. Called when a password, a key or a grant changes. */
    invalidate(accountIds?: ReadonlySet<number>): void {
      passwords.invalidate(accountIds)
      tokens.invalidate(accountIds)
    },
  }
}

const TTL_MS = 30_000
const MAX_ENTRIES = 10_000

interface Entry<Value> {
  value: Value
  expiresAt: number
}

/**
 * Creates a cache of authenticated credentials, whose keys are digests of the secrets. Concurrent requests with the
 * same credentials share one lookup.
 * @param accountOf returns the ID of the account
 * @param endOf returns when a value expires, in milliseconds since 1970
 */
export function createCredentialCache<Value>(
  accountOf: (value: Value) => number,
  endOf: (value: Value) => number = () => Number.POSITIVE_INFINITY,
) {
  const entries = new LRUCache<string, Entry<Value>>({ max: MAX_ENTRIES })
  /** Lookups in progress. */
  const pending = new Map<string, Promise<Value>>()

  function store(digest: string, value: Value, now: number): void {
    entries.set(digest, { value, expiresAt: Math.min(now + TTL_MS, endOf(value)) })
  }

  return {
    /** Returns the value of a secret from the cache or from `find`. Does not cache errors. */
    async of(secret: string, now: Date, find: () => Promise<Value>): Promise<Value> {
      const digest = hash('sha256', secret, 'base64')
      const cached = entries.get(digest)
      if (cached && cached.expiresAt > now.getTime()) return cached.value
      const current = pending.get(digest)
      if (current) return current
      const lookup = find()
        .then((value) => {
          // If the cache was cleared during the lookup, the value can be outdated, so it is not cached.
          if (pending.get(digest) === lookup) store(digest, value, now.getTime())
          return value
        })
        .finally(() => {
          if (pending.get(digest) === lookup) pending.delete(digest)
        })
      pending.set(digest, lookup)
      return lookup
    },

    /** Removes the entries of these accounts, or all entries. The results of lookups in progress will not be cached. */
    invalidate(accountIds?: ReadonlySet<number>): void {
      if (!accountIds) entries.clear()
      else for (const [digest, { value }] of entries) if (accountIds.has(accountOf(value))) entries.delete(digest)
      pending.clear()
    },
  }
}

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Rejects a write that a page of another origin sends with Basic credentials stored by the browser. Browsers add no
 * other credentials of this API automatically, so requests with an access token, or with a key in the body, need no
 * check.
 * @throws {HttpError} 403 `cross_site_request`
 */
export function assertNotCrossSite(ctx: Koa, { baseUrl, allowedOrigins }: Services): void {
  const { origin, 'sec-fetch-site': fetchSite, authorization = '' } = ctx.headers
  // Only browsers send these headers.
  if (!origin && !fetchSite) return
  if (SAFE_METHODS.has(ctx.method) || !/^Basic\b/i.test(authorization)) return
  if (isSameOrigin(ctx.headers, [new URL(baseUrl).host, ctx.host]) || allowedOrigins.has(ctx.get('origin'))) return
  throw httpErrors.crossSite()
}
