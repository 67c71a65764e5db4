import type { EntityManager } from '@mikro-orm/postgresql'
import type { Context as Koa } from 'koa'
import { authenticateBasic } from '../../domain/account/credentials.ts'
import type { Actor } from '../../domain/actor.ts'
import { type Bearer, findBearer } from '../../domain/oauth/bearer.ts'
import { problems } from '../../domain/problem.ts'
import type { Services } from '../../domain/services.ts'
import { createCredentialCache } from './credential-cache.ts'
import { httpErrors } from './http-error.ts'

/** RFC 7617: the user name ends at the first colon; UTF-8. */
function readBasic(header: string): [name: string, secret: string] | undefined {
  const encoded = /^Basic +([A-Za-z0-9+/=_-]+) *$/i.exec(header)?.[1]
  if (!encoded) return undefined
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  if (colon < 0 || text.includes('\0')) return undefined
  return [text.slice(0, colon), text.slice(colon + 1)]
}

/**
 * Names the actor of a request. A password costs one slow hash, however many requests bring it at once, then its digest
 * is remembered for half a minute; so is an access token's: a warm request costs one SHA-256 and no query.
 */
export function createCredentials(services: Services, fork: () => EntityManager, clock: () => Date) {
  const passwords = createCredentialCache<Actor>(({ id }) => id)
  const tokens = createCredentialCache<Bearer>(
    ({ actor }) => actor.id,
    ({ expiresAt }) => expiresAt.getTime(),
  )

  /** RFC 6750, 2.1: only in the header, where no log and no history keeps it. */
  async function byToken(header: string, scopes: readonly string[]): Promise<Actor> {
    const token = /^Bearer +([A-Za-z0-9._~+/-]+=*) *$/i.exec(header)?.[1]
    if (!token) throw httpErrors.invalidToken()
    const now = clock()
    const bearer = await tokens.of(token, now, async () => {
      const found = await findBearer({ em: fork(), now, services }, token)
      if (!found) throw httpErrors.invalidToken()
      return found
    })
    const allowed: readonly string[] = bearer.scopes
    if (!scopes.every((scope) => allowed.includes(scope))) throw httpErrors.insufficientScope(scopes)
    return bearer.actor
  }

  return {
    /**
     * @param scopes what an access token must allow here
     * @throws {Problem} `unauthenticated` when the header is missing or wrong, `invalid_token`, `insufficient_scope`,
     *   `too_many_attempts`
     */
    async authenticate(ctx: Koa, scopes: readonly string[]): Promise<Actor> {
      const header = ctx.get('authorization')
      if (/^Bearer\b/i.test(header)) return byToken(header, scopes)
      const basic = readBasic(header)
      if (!basic) throw problems.unauthenticated()
      const now = clock()
      return passwords.of(header, now, () =>
        authenticateBasic({ em: fork(), now, services }, ...basic, { ipAddress: ctx.ip }),
      )
    },

    /** Asks again for these accounts, or for everybody: called when a password, a key or a grant has changed. */
    forget(accountIds?: ReadonlySet<number>): void {
      passwords.forget(accountIds)
      tokens.forget(accountIds)
    },
  }
}
