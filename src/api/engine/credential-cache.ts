import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'

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
