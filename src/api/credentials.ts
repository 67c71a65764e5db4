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
 * Names the actor of a request. A password costs one slow hash, however many requests bring it at once, then its digest
 * is remembered for half a minute: a warm request costs one SHA-256 and no query.
 */
export function createCredentials(site: Site, fork: () => EntityManager, clock: () => Date) {
  const remembered = new Map<string, Remembered>()
  /** Pairs that are being looked at just now. */
  const asking = new Map<string, Promise<Actor>>()

  function remember(digest: string, actor: Actor, now: number): void {
    if (remembered.size >= MOST) remembered.delete(remembered.keys().next().value!)
    remembered.set(digest, { actor, until: now + TTL })
  }

  /** Requests that bring the same pair at the same moment share one answer, and one hash. */
  function ask(digest: string, [name, secret]: [string, string], now: Date, ipAddress: string): Promise<Actor> {
    const known = asking.get(digest)
    if (known) return known
    const asked = signIn({ em: fork(), now, site }, name, secret, { ipAddress })
      .then((actor) => {
        // Not when everybody was forgotten meanwhile: the answer may be out of date.
        if (asking.get(digest) === asked) remember(digest, actor, now.getTime())
        return actor
      })
      .finally(() => {
        if (asking.get(digest) === asked) asking.delete(digest)
      })
    asking.set(digest, asked)
    return asked
  }

  return {
    /** @throws {Problem} `not_authorized` when the header is missing or wrong, `too_many_tries` */
    async authenticate(ctx: Koa): Promise<Actor> {
      const header = ctx.get('authorization')
      if (!header) throw problems.unauthenticated()
      const digest = createHash('sha256').update(header).digest('base64')
      const now = clock()
      const known = remembered.get(digest)
      if (known && known.until > now.getTime()) return known.actor
      const basic = readBasic(header)
      if (!basic) throw problems.unauthenticated()
      return ask(digest, basic, now, ctx.ip)
    },

    /** Forgets everybody: called when a password, a key or a grant changes. */
    forget(): void {
      remembered.clear()
      asking.clear()
    },
  }
}
