import { LRUCache } from 'lru-cache'
import type { PendingWebhook } from '../domain/webhook/due.ts'

/** Maximum number of attempts of this worker at the same time. */
const MAX_CONCURRENT = 640
/**
 * Maximum number of attempts at the same time to a webhook whose last attempts succeeded. The number begins at 1 and
 * doubles with each success.
 */
const MAX_CONCURRENT_PER_WEBHOOK = 8
/**
 * The corresponding number if the last success was fast, while more than half of all slots and of those of its account
 * are free.
 */
const MAX_CONCURRENT_TO_FAST = 64
/** Maximum duration of a fast success. After a slower one, the number of attempts is halved, down to 8. */
const FAST_MS = 250
/**
 * Maximum number of attempts at the same time to all webhooks of a kind together. `failing`: the last attempt failed.
 * `slow`: the last success took long. `new`: this worker has not yet delivered a message to it. However many such
 * webhooks there are, 128 slots remain for the others.
 */
const MAX_CONCURRENT_OF_KIND = { failing: 128, slow: 128, new: 256, reliable: MAX_CONCURRENT } as const
/** The corresponding limits for the webhooks of one account together. */
const MAX_CONCURRENT_OF_ACCOUNT = { failing: 96, slow: 96, new: 192, reliable: 256 } as const
/** Minimum duration of a success after which a webhook is treated as slow. */
const SLOW_MS = 1_000
/** Maximum number of webhooks whose successes are remembered. */
const MAX_REMEMBERED = 100_000

type Kind = keyof typeof MAX_CONCURRENT_OF_KIND
const KINDS = Object.keys(MAX_CONCURRENT_OF_KIND) as Kind[]

/** Numbers of running attempts. */
class Counts<Key> {
  readonly #counts = new Map<Key, number>()

  get(key: Key): number {
    return this.#counts.get(key) ?? 0
  }

  add(key: Key, difference: number): void {
    const count = this.get(key) + difference
    if (count > 0) this.#counts.set(key, count)
    else this.#counts.delete(key)
  }
}

/**
 * Limits concurrent attempts per webhook. A new webhook, or one whose last attempt failed, has at most one attempt at a
 * time, so that a subscriber that does not reply occupies only one slot. Failing, slow and new webhooks each share a
 * part of the slots, so that hundreds of them do not delay the others. The accounts take turns in getting slots, so
 * that an account with many webhooks does not delay the others.
 */
export class DeliveryLimiter {
  readonly #running = new Set<Promise<unknown>>()
  readonly #ofWebhook = new Counts<number>()
  readonly #ofAccount = new Counts<number>()
  readonly #ofKind = new Counts<Kind>()
  readonly #ofAccountAndKind = new Counts<string>()
  /**
   * For each webhook whose last attempt succeeded: its maximum number of concurrent attempts (`window`), and whether
   * the last success took long.
   */
  readonly #successes = new LRUCache<number, { window: number; isSlow: boolean }>({
    // With `max`, the cache would reserve 3 MB at once.
    maxSize: MAX_REMEMBERED,
    sizeCalculation: () => 1,
  })

  /** Whether any attempt is running. */
  get busy(): boolean {
    return this.#running.size > 0
  }

  /**
   * Returns, for each webhook, the number of messages that can be sent now. If slots are scarce, the accounts with the
   * fewest running attempts come first, and the order of the webhooks of an account is random.
   */
  allocate(pending: readonly PendingWebhook[]): Map<number, number> {
    const allocation = new Map<number, number>()
    let free = MAX_CONCURRENT - this.#running.size
    const freeOfKind = new Map(KINDS.map((kind) => [kind, MAX_CONCURRENT_OF_KIND[kind] - this.#ofKind.get(kind)]))
    const allocated = new Counts<string>()
    for (const webhook of this.#inTurn(pending)) {
      if (free <= 0) break
      const kind = this.#kindOf(webhook)
      const share = shareOf(webhook, kind)
      const maxOfAccount = MAX_CONCURRENT_OF_ACCOUNT[kind]
      const freeOfAccount = maxOfAccount - this.#ofAccountAndKind.get(share) - allocated.get(share)
      const isScarce = free <= MAX_CONCURRENT / 2 || freeOfAccount <= maxOfAccount / 2
      const window = Math.min(this.#windowOf(webhook, kind), isScarce ? MAX_CONCURRENT_PER_WEBHOOK : MAX_CONCURRENT)
      const count = Math.min(window - this.#ofWebhook.get(webhook.id), free, freeOfKind.get(kind)!, freeOfAccount)
      if (count <= 0) continue
      allocation.set(webhook.id, count)
      allocated.add(share, count)
      free -= count
      freeOfKind.set(kind, freeOfKind.get(kind)! - count)
    }
    return allocation
  }

  /** Returns the webhooks in an order in which the accounts take turns, beginning with the least busy account. */
  #inTurn(pending: readonly PendingWebhook[]): PendingWebhook[] {
    const byAccount = Map.groupBy(shuffle(pending), ({ accountId }) => accountId)
    const accounts = [...byAccount.keys()].sort((a, b) => this.#ofAccount.get(a) - this.#ofAccount.get(b))
    const placed = accounts.flatMap((account, place) =>
      byAccount.get(account)!.map((webhook, turn) => ({ webhook, turn, place })),
    )
    return placed.sort((a, b) => a.turn - b.turn || a.place - b.place).map(({ webhook }) => webhook)
  }

  #kindOf({ id, failures }: PendingWebhook): Kind {
    if (failures > 0) return 'failing'
    const success = this.#successes.get(id)
    if (!success) return 'new'
    return success.isSlow ? 'slow' : 'reliable'
  }

  #windowOf({ id }: PendingWebhook, kind: Kind): number {
    return kind === 'failing' ? 1 : (this.#successes.get(id)?.window ?? 1)
  }

  /**
   * Occupies a slot until the attempt ends.
   * @param webhook with its number of failures before this attempt
   * @param sending resolves with true if the attempt succeeded
   */
  acquire(webhook: PendingWebhook, sending: Promise<boolean>): void {
    const { id, accountId } = webhook
    const kind = this.#kindOf(webhook)
    const count = (difference: number) => {
      this.#ofWebhook.add(id, difference)
      this.#ofAccount.add(accountId, difference)
      this.#ofKind.add(kind, difference)
      this.#ofAccountAndKind.add(shareOf(webhook, kind), difference)
    }
    count(1)
    const start = performance.now()
    const done = sending.then((hasSucceeded) => {
      this.#running.delete(done)
      count(-1)
      if (!hasSucceeded) return this.#successes.delete(id)
      const ms = performance.now() - start
      const window = nextWindow(this.#successes.get(id)?.window ?? 1, ms)
      return this.#successes.set(id, { window, isSlow: ms >= SLOW_MS })
    })
    this.#running.add(done)
  }

  /** Waits until a running attempt ends. */
  async anyFree(): Promise<void> {
    if (this.#running.size) await Promise.race(this.#running)
  }

  /** Waits until all running attempts have ended. */
  async allFree(): Promise<void> {
    await Promise.all(this.#running)
  }
}

/** Returns the window after a success of a duration. */
function nextWindow(window: number, ms: number): number {
  if (ms < FAST_MS) return Math.min(MAX_CONCURRENT_TO_FAST, 2 * window)
  return window > MAX_CONCURRENT_PER_WEBHOOK
    ? Math.max(MAX_CONCURRENT_PER_WEBHOOK, window / 2)
    : Math.min(MAX_CONCURRENT_PER_WEBHOOK, 2 * window)
}

const shareOf = ({ accountId }: PendingWebhook, kind: Kind): string => `${kind} ${accountId}`

/** Returns a shuffled copy of a list (Fisher–Yates). */
function shuffle<Item>(items: readonly Item[]): Item[] {
  const shuffled = [...items]
  for (let last = shuffled.length - 1; last > 0; last--) {
    const other = Math.floor(Math.random() * (last + 1))
    ;[shuffled[last], shuffled[other]] = [shuffled[other]!, shuffled[last]!]
  }
  return shuffled
}
