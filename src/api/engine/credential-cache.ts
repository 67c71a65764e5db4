import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'

/** How long an answer is believed without asking again, in milliseconds. */
const TTL_MS = 30_000
/** Answers remembered at once. */
const MAX_ENTRIES = 10_000

interface Remembered<Answer> {
  answer: Answer
  until: number
}

/**
 * Remembers for half a minute what a secret stood for, by its digest. Requests that bring the same one at the same moment
 * share one look-up.
 * @param accountOf whose secret it was
 * @param endOf when an answer stops being true by itself, in milliseconds since 1970
 */
export function createCredentialCache<Answer>(
  accountOf: (answer: Answer) => number,
  endOf: (answer: Answer) => number = () => Number.POSITIVE_INFINITY,
) {
  const remembered = new LRUCache<string, Remembered<Answer>>({ max: MAX_ENTRIES })
  /** Those that are being looked at just now. */
  const asking = new Map<string, Promise<Answer>>()

  function remember(digest: string, answer: Answer, now: number): void {
    remembered.set(digest, { answer, until: Math.min(now + TTL_MS, endOf(answer)) })
  }

  return {
    /** What `secret` stands for; what `look` throws is not remembered. */
    async of(secret: string, now: Date, look: () => Promise<Answer>): Promise<Answer> {
      const digest = hash('sha256', secret, 'base64')
      const known = remembered.get(digest)
      if (known && known.until > now.getTime()) return known.answer
      const underway = asking.get(digest)
      if (underway) return underway
      const asked = look()
        .then((answer) => {
          // Not when something was forgotten meanwhile: the answer may be out of date.
          if (asking.get(digest) === asked) remember(digest, answer, now.getTime())
          return answer
        })
        .finally(() => {
          if (asking.get(digest) === asked) asking.delete(digest)
        })
      asking.set(digest, asked)
      return asked
    },

    /** Lets go of what is remembered of these accounts, or of all. What is being looked at just now is not remembered. */
    forget(accountIds?: ReadonlySet<number>): void {
      if (!accountIds) remembered.clear()
      else
        for (const [digest, { answer }] of remembered) if (accountIds.has(accountOf(answer))) remembered.delete(digest)
      asking.clear()
    },
  }
}
