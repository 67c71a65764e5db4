import { problems } from './problem.ts'

/** `high`: submissions and survey pages. `normal`: every other request, such as lists, exports and reports. */
export type Priority = 'high' | 'normal'

/** The share of the limit that requests of normal priority can use while submissions are stored in time. */
const NORMAL_SHARE = 1 / 8
/**
 * The limit of normal priority is not reduced below this number, so that an owner can still close a survey during an
 * overload. A browser opens up to six connections.
 */
const MIN_NORMAL = 8
/** If storing submissions takes longer than this time, the limit of normal priority is reduced. In milliseconds. */
const MAX_STORE_MS = 100
/** Interval between two changes of the limit of normal priority, in milliseconds. */
const ADAPT_INTERVAL_MS = 250
/** The number of requests by which the limit of normal priority grows per interval. */
const GROWTH = 4

/**
 * Limits the requests that a server processes at the same time (docs/adr/0091-overload.md). Submissions may use the
 * whole limit, other requests a share of it. While submissions are stored slowly, this share is halved repeatedly. When
 * they are stored in time, the share grows in equal steps (additive increase, multiplicative decrease).
 */
export class Admission {
  readonly #limit: number
  readonly #maxNormal: number
  #normalLimit: number
  /**
   * Duration of the fastest batch of the interval. The slowest batch is not used, because a single slow batch does not
   * mean an overload.
   */
  #fastestMs = Number.POSITIVE_INFINITY
  #adaptedAt = 0
  readonly #processing: Record<Priority, number> = { high: 0, normal: 0 }
  readonly #rejected: Record<Priority, number> = { high: 0, normal: 0 }

  /** @param limit maximum number of requests in progress; 0: unlimited */
  constructor(limit: number) {
    this.#limit = limit || Number.POSITIVE_INFINITY
    this.#maxNormal = Math.ceil(this.#limit * NORMAL_SHARE)
    this.#normalLimit = this.#maxNormal
  }

  /** The number of requests in progress by priority. */
  get processing(): Readonly<Record<Priority, number>> {
    return this.#processing
  }

  /** The number of requests rejected since the start by priority. */
  get rejected(): Readonly<Record<Priority, number>> {
    return this.#rejected
  }

  /**
   * Checks that a request can be accepted. Call it before the work that precedes {@link run}, so that a rejection is
   * cheap.
   * @throws {Problem} `unavailable`
   */
  assertFree(priority: Priority): void {
    const { high, normal } = this.#processing
    if (high + normal < this.#limit && (priority === 'high' || normal < this.#currentNormalLimit())) return
    this.#rejected[priority] += 1
    throw problems.overloaded()
  }

  /**
   * Processes a request.
   * @param work ends when the reply is ready; while the client reads the reply, the request is not counted
   * @throws {Problem} `unavailable` if too many requests are in progress
   */
  async run<Result>(priority: Priority, work: () => Promise<Result>): Promise<Result> {
    this.assertFree(priority)
    this.#processing[priority] += 1
    try {
      return await work()
    } finally {
      this.#processing[priority] -= 1
    }
  }

  /**
   * Reads the body of a request inside {@link run}. During this time, the request is not counted, because slow clients
   * could use up the limit.
   */
  async receive<Body>(priority: Priority, read: () => Promise<Body>): Promise<Body> {
    this.#processing[priority] -= 1
    try {
      return await read()
    } finally {
      this.#processing[priority] += 1
    }
  }

  /**
   * Records the time from the arrival of the first submission of a batch until the batch was stored, in milliseconds.
   */
  recordBatch(durationMs: number): void {
    this.#fastestMs = Math.min(this.#fastestMs, durationMs)
    const now = performance.now()
    if (now - this.#adaptedAt < ADAPT_INTERVAL_MS) return
    this.#normalLimit =
      this.#fastestMs > MAX_STORE_MS
        ? Math.max(MIN_NORMAL, Math.floor(this.#normalLimit / 2))
        : Math.min(this.#maxNormal, this.#normalLimit + GROWTH)
    this.#fastestMs = Number.POSITIVE_INFINITY
    this.#adaptedAt = now
  }

  /** Returns the limit of normal priority. If no submissions have been stored for a while, the limit is not reduced. */
  #currentNormalLimit(): number {
    return performance.now() - this.#adaptedAt > 4 * ADAPT_INTERVAL_MS ? this.#maxNormal : this.#normalLimit
  }
}
