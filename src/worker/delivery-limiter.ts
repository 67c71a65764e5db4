import type { Waiting } from '../domain/webhook/due.ts'

/** Messages on their way at the same time, from this worker. */
const MAX_CONCURRENT = 512
/** Of these, to one webhook that answers. */
const MAX_CONCURRENT_PER_WEBHOOK = 8
/** To one whose last attempt failed. */
const MAX_CONCURRENT_PER_FAILING_WEBHOOK = 1
/** To all of those together: however many are dead or stall, most slots stay with those that answer. */
const MAX_CONCURRENT_FAILING = 128

/**
 * Who may send how much at the same time. A webhook that does not answer in time holds only its own slots, and after
 * the first failure only one; so it delays nobody else.
 */
export class DeliveryLimiter {
  readonly #busy = new Map<number, number>()
  readonly #running = new Set<Promise<unknown>>()
  #struggling = 0

  /** Whether anything is on its way. */
  get busy(): boolean {
    return this.#running.size > 0
  }

  /** How many messages of each webhook may be begun now; webhooks in random order when there is not enough for all. */
  allocate(waiting: readonly Waiting[]): Map<number, number> {
    const wanted = new Map<number, number>()
    let free = MAX_CONCURRENT - this.#running.size
    let freeForStruggling = MAX_CONCURRENT_FAILING - this.#struggling
    for (const { id, failures } of shuffled(waiting)) {
      const most =
        (failures ? MAX_CONCURRENT_PER_FAILING_WEBHOOK : MAX_CONCURRENT_PER_WEBHOOK) - (this.#busy.get(id) ?? 0)
      const count = Math.min(most, free, failures ? freeForStruggling : free)
      if (count <= 0) continue
      wanted.set(id, count)
      free -= count
      if (failures) freeForStruggling -= count
    }
    return wanted
  }

  /** A slot is taken until the message is settled. */
  acquire(id: number, struggling: boolean, sending: Promise<unknown>): void {
    this.#busy.set(id, (this.#busy.get(id) ?? 0) + 1)
    if (struggling) this.#struggling += 1
    const done = sending.finally(() => {
      this.#running.delete(done)
      if (struggling) this.#struggling -= 1
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

/** Fisher and Yates. */
function shuffled<Item>(items: readonly Item[]): Item[] {
  const mixed = [...items]
  for (let last = mixed.length - 1; last > 0; last--) {
    const other = Math.floor(Math.random() * (last + 1))
    ;[mixed[last], mixed[other]] = [mixed[other]!, mixed[last]!]
  }
  return mixed
}
