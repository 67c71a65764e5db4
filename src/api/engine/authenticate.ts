import type { EntityManager } from '@mikro-orm/postgresql'
import type { Context as Koa } from 'koa'
import { authenticateBasic } from '../../domain/account/credentials.ts'
import type { Actor } from '../../domain/context.ts'
import { type Bearer, findBearer } from '../../domain/oauth/token.ts'
import { problems } from '../../domain/problem.ts'
import type { Services } from '../../domain/services.ts'
import { createCredentialCache } from './credential-cache.ts'
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
  const passwords = createCredentialCache<Actor>(({ id }) => id)
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
     * @param scopes the scopes that an access token must have
     * @throws {Problem} `unauthenticated` if the header is missing or wrong; `invalid_token`, `insufficient_scope`,
     *   `too_many_attempts`
     */
    async authenticate(ctx: Koa, scopes: readonly string[]): Promise<Actor> {
      const header = ctx.get('authorization')
      if (/^Bearer\b/i.test(header)) return byToken(ctx, header, scopes)
      const basic = readBasic(header)
      if (!basic) throw problems.unauthenticated()
      const now = clock()
      return passwords.of(header, now, () =>
        authenticateBasic({ em: fork(), now, services }, ...basic, { ipAddress: ctx.ip }),
      )
    },

    /** Clears the cache for these accounts, or for all accounts. Called when a password, a key or a grant changes. */
    invalidate(accountIds?: ReadonlySet<number>): void {
      passwords.invalidate(accountIds)
      tokens.invalidate(accountIds)
    },
  }
}
