import type { PendingWebhook } from '../domain/webhook/due.ts'

/** Concurrent attempts of this worker. */
const MAX_CONCURRENT = 512
/** Concurrent attempts to a webhook whose last attempt succeeded. */
const MAX_CONCURRENT_PER_WEBHOOK = 8
/** Concurrent attempts to a webhook whose last attempt failed. */
const MAX_CONCURRENT_PER_FAILING_WEBHOOK = 1
/** Concurrent attempts to all failing webhooks together: most slots are reserved for the other webhooks. */
const MAX_CONCURRENT_FAILING = 128

/**
 * Limits concurrent attempts per webhook. A webhook that does not reply in time occupies only its own slots, and after
 * a failure only one slot. It therefore does not delay other webhooks.
 */
export class DeliveryLimiter {
  readonly #busy = new Map<number, number>()
  readonly #running = new Set<Promise<unknown>>()
  #failing = 0

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
    let freeForFailing = MAX_CONCURRENT_FAILING - this.#failing
    for (const { id, failures } of shuffle(pending)) {
      const perWebhook =
        (failures ? MAX_CONCURRENT_PER_FAILING_WEBHOOK : MAX_CONCURRENT_PER_WEBHOOK) - (this.#busy.get(id) ?? 0)
      const count = Math.min(perWebhook, free, failures ? freeForFailing : free)
      if (count <= 0) continue
      allocation.set(id, count)
      free -= count
      if (failures) freeForFailing -= count
    }
    return allocation
  }

  /** Occupies a slot until the attempt ends. */
  acquire(id: number, failing: boolean, sending: Promise<unknown>): void {
    this.#busy.set(id, (this.#busy.get(id) ?? 0) + 1)
    if (failing) this.#failing += 1
    const done = sending.finally(() => {
      this.#running.delete(done)
      if (failing) this.#failing -= 1
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
