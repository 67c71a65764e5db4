import { createHash } from 'node:crypto'
import type { EntityManager } from '@mikro-orm/postgresql'
import type { Context as Koa } from 'koa'
import { signIn } from '../domain/account/credentials.ts'
import type { Actor } from '../domain/context.ts'
import { problems } from '../domain/problem.ts'
import type { Site } from '../domain/site.ts'

/** How long a pair that was right is believed without asking again, in milliseconds. */
const TTL = 30_000
/** Pairs remembered at once. */
const MOST = 10_000

interface Remembered {
  actor: Actor
  until: number
}

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
 * Names the actor of a request. A password costs one slow hash, then its digest is remembered for half a minute:
 * a warm request costs one SHA-256 and no query.
 */
export function createCredentials(site: Site, fork: () => EntityManager, clock: () => Date) {
  const remembered = new Map<string, Remembered>()

  function remember(digest: string, actor: Actor, now: number): void {
    if (remembered.size >= MOST) remembered.delete(remembered.keys().next().value!)
    remembered.set(digest, { actor, until: now + TTL })
  }

  return {
    /** @throws {Problem} `not_authorized` when the header is missing or wrong. */
    async authenticate(ctx: Koa): Promise<Actor> {
      const header = ctx.get('authorization')
      if (!header) throw problems.unauthenticated()
      const digest = createHash('sha256').update(header).digest('base64')
      const now = clock()
      const known = remembered.get(digest)
      if (known && known.until > now.getTime()) return known.actor
      const basic = readBasic(header)
      if (!basic) throw problems.unauthenticated()
      const actor = await signIn({ em: fork(), now, site }, ...basic)
      remember(digest, actor, now.getTime())
      return actor
    },

    /** Forgets everybody: called when a password, a key or a grant changes. */
    forget(): void {
      remembered.clear()
    },
  }
}
