import { LRUCache } from 'lru-cache'
import type { PendingWebhook } from '../domain/webhook/due.ts'

/** Concurrent attempts of this worker. */
const MAX_CONCURRENT = 512
/** Concurrent attempts to a webhook whose last attempts succeeded. The number begins at 1 and doubles with each success. */
const MAX_CONCURRENT_PER_WEBHOOK = 8
/** Concurrent attempts to all failing webhooks together: most slots are reserved for the other webhooks. */
const MAX_CONCURRENT_FAILING = 128
/** Concurrent attempts to all webhooks that have not failed and to which this worker has not yet delivered a message. */
const MAX_CONCURRENT_NEW = 256
/** The number of webhooks whose successes are remembered. */
const MAX_REMEMBERED = 100_000

/** `failing`: the last attempt failed. `new`: this worker has not yet delivered a message. */
type Kind = 'failing' | 'new' | 'reliable'

/**
 * Limits concurrent attempts per webhook. A webhook that does not reply occupies one slot until it has replied once, and
 * again after a failure. All webhooks of this kind share a part of the slots, so that hundreds of them do not delay the others.
 */
export class DeliveryLimiter {
  readonly #busy = new Map<number, number>()
  readonly #running = new Set<Promise<unknown>>()
  readonly #ofKind: Record<Kind, number> = { failing: 0, new: 0, reliable: 0 }
  /** Concurrent attempts by webhook, after successes. */
  readonly #windows = new LRUCache<number, number>({ max: MAX_REMEMBERED })

  /** Whether any attempt is running. */
  get busy(): boolean {
    return this.#running.size > 0
  }

  /**
   * Returns the number of messages of each webhook that can start now. If slots are scarce, the order of webhooks is random.
   */
  allocate(pending: readonly PendingWebhook[]): Map<number, number> {
    const allocation = new Map<number, number>()
    let free = MAX_CONCURRENT - this.#running.size
    const freeOfKind: Record<Kind, number> = {
      failing: MAX_CONCURRENT_FAILING - this.#ofKind.failing,
      new: MAX_CONCURRENT_NEW - this.#ofKind.new,
      reliable: free,
    }
    for (const { id, failures } of shuffle(pending)) {
      const kind = this.#kindOf(id, failures)
      const window = kind === 'reliable' ? this.#windows.get(id)! : 1
      const count = Math.min(window - (this.#busy.get(id) ?? 0), free, freeOfKind[kind])
      if (count <= 0) continue
      allocation.set(id, count)
      free -= count
      freeOfKind[kind] -= count
    }
    return allocation
  }

  #kindOf(id: number, failures: number): Kind {
    if (failures > 0) return 'failing'
    return this.#windows.has(id) ? 'reliable' : 'new'
  }

  /**
   * Occupies a slot until the attempt ends.
   * @param failures consecutive failed attempts before this one
   * @param sending resolves with whether the attempt succeeded
   */
  acquire(id: number, failures: number, sending: Promise<boolean>): void {
    const kind = this.#kindOf(id, failures)
    this.#busy.set(id, (this.#busy.get(id) ?? 0) + 1)
    this.#ofKind[kind] += 1
    const done = sending.then((hasSucceeded) => {
      this.#running.delete(done)
      this.#ofKind[kind] -= 1
      if (hasSucceeded) this.#windows.set(id, Math.min(MAX_CONCURRENT_PER_WEBHOOK, 2 * (this.#windows.get(id) ?? 1)))
      else this.#windows.delete(id)
      const left = this.#busy.get(id)! - 1
      if (left) this.#busy.set(id, left)
      else this.#busy.delete(id)
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

/** Returns a shuffled copy of a list (Fisher–Yates). */
function shuffle<Item>(items: readonly Item[]): Item[] {
  const shuffled = [...items]
  for (let last = shuffled.length - 1; last > 0; last--) {
    const other = Math.floor(Math.random() * (last + 1))
    ;[shuffled[last], shuffled[other]] = [shuffled[other]!, shuffled[last]!]
  }
  return shuffled
}
