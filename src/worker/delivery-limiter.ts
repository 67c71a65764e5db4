import type { Waiting } from '../domain/webhook/due.ts'

/** Concurrent attempts of this worker. */
const MAX_CONCURRENT = 512
/** Of these, to one webhook whose last attempt succeeded. */
const MAX_CONCURRENT_PER_WEBHOOK = 8
/** To one webhook whose last attempt failed. */
const MAX_CONCURRENT_PER_FAILING_WEBHOOK = 1
/** To all failing webhooks together: most slots stay with the others, however many fail. */
const MAX_CONCURRENT_FAILING = 128

/**
 * Limits concurrent attempts per webhook. A webhook that does not reply in time holds only its own slots, and only one after its first
 * failure, so it does not delay other webhooks.
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
   * Returns how many messages of each webhook may start now; in random order of webhooks when there are not enough slots for all.
   */
  allocate(waiting: readonly Waiting[]): Map<number, number> {
    const wanted = new Map<number, number>()
    let free = MAX_CONCURRENT - this.#running.size
    let freeForFailing = MAX_CONCURRENT_FAILING - this.#failing
    for (const { id, failures } of shuffled(waiting)) {
      const most =
        (failures ? MAX_CONCURRENT_PER_FAILING_WEBHOOK : MAX_CONCURRENT_PER_WEBHOOK) - (this.#busy.get(id) ?? 0)
      const count = Math.min(most, free, failures ? freeForFailing : free)
      if (count <= 0) continue
      wanted.set(id, count)
      free -= count
      if (failures) freeForFailing -= count
    }
    return wanted
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

  async anyFree(): Promise<void> {
    if (this.#running.size) await Promise.race(this.#running)
  }

  async allFree(): Promise<void> {
    await Promise.all(this.#running)
  }
}

/** Shuffles a list (Fisher–Yates). */
function shuffled<Item>(items: readonly Item[]): Item[] {
  const mixed = [...items]
  for (let last = mixed.length - 1; last > 0; last--) {
    const other = Math.floor(Math.random() * (last + 1))
    ;[mixed[last], mixed[other]] = [mixed[other]!, mixed[last]!]
  }
  return mixed
}
