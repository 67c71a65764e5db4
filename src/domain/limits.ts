import { hash } from 'node:crypto'
import { Semaphore, type SemaphoreInterface, withTimeout } from 'async-mutex'
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible'
import { type Problem, problems } from './problem.ts'

/** How much of each is allowed; 0: any amount. */
export interface LimitSettings {
  /** Passwords that one process checks at the same time. */
  passwordChecks: number
  /** Wrong passwords from one network, for whatever accounts. */
  signInFailuresPerMinute: number
  /** Different wrong credentials that programs of one network send. */
  apiFailuresPerMinute: number
  /** Pages of surveys that are sent from one network. */
  submissionsPerMinute: number
  webhooksPerAccount: number
  /** Messages that one account sends. */
  emailsPerDay: number
}

/** How long a password waits for its turn, in milliseconds, and how many may wait. */
const MAX_PASSWORD_WAIT_MS = 5_000
const MAX_PASSWORDS_WAITING = 300

/** A number of tries a minute for each key. Counted in this process: a server counts for itself. */
export class AttemptLimit {
  readonly #limiter: RateLimiterMemory | undefined
  readonly #points: number
  readonly #what: string

  /** @param what there is too much of, as `wrong passwords from your network` */
  constructor(points: number, what: string) {
    this.#points = points
    this.#what = what
    if (points > 0) this.#limiter = new RateLimiterMemory({ points, duration: 60 })
  }

  /** Counts nothing. @throws {Problem} `too_many_requests` when the budget of the key is used up */
  async check(key: string): Promise<void> {
    const used = await this.#limiter?.get(key)
    if (used && used.consumedPoints >= this.#points) throw this.#refused(used)
  }

  /** Counts one. @throws {Problem} `too_many_requests` when the budget of the key is used up */
  async consume(key: string): Promise<void> {
    try {
      await this.#limiter?.consume(key)
    } catch (refused) {
      throw this.#refused(refused as RateLimiterRes)
    }
  }

  /** Takes back what {@link consume} has counted. */
  async refund(key: string): Promise<void> {
    await this.#limiter?.reward(key)
  }

  #refused({ msBeforeNext }: RateLimiterRes): Problem {
    return problems.tooManyRequests(`Too many ${this.#what}.`, Math.ceil(msBeforeNext / 1000))
  }
}

/** What keeps strangers and small accounts from using up what belongs to all. */
export class Limits {
  readonly settings: LimitSettings
  readonly signInFailures: AttemptLimit
  readonly apiFailures: AttemptLimit
  readonly submissions: AttemptLimit
  /** Wrong credentials of the last minute: sent again they are no guess. */
  readonly #known = new RateLimiterMemory({ points: 1, duration: 60 })
  /** Undefined where any number of passwords may be checked at the same time. */
  readonly #passwords: SemaphoreInterface | undefined
  #passwordsWaiting = 0

  constructor(settings: LimitSettings) {
    this.settings = settings
    this.signInFailures = new AttemptLimit(settings.signInFailuresPerMinute, 'wrong passwords')
    this.apiFailures = new AttemptLimit(settings.apiFailuresPerMinute, 'wrong credentials')
    this.submissions = new AttemptLimit(settings.submissionsPerMinute, 'answers from your network')
    if (settings.passwordChecks)
      this.#passwords = withTimeout(new Semaphore(settings.passwordChecks), MAX_PASSWORD_WAIT_MS)
  }

  /** Counts wrong credentials against a key of {@link apiFailures}, once a minute: a program that repeats them guesses nothing. */
  async countApiFailure(key: string, credentials: string): Promise<void> {
    if (!this.settings.apiFailuresPerMinute) return
    try {
      await this.#known.consume(hash('sha256', `${key} ${credentials}`, 'base64'))
    } catch {
      return
    }
    await this.apiFailures.consume(key).catch(() => undefined)
  }

  /**
   * Checks a password when it is its turn: each check takes a processor for some ten milliseconds.
   * @throws {Problem} `too_many_requests` when too many are waiting
   */
  async checkPassword<Result>(check: () => Promise<Result>): Promise<Result> {
    if (!this.#passwords) return check()
    const release = await this.#acquire(this.#passwords)
    try {
      return await check()
    } finally {
      release()
    }
  }

  async #acquire(passwords: SemaphoreInterface): Promise<() => void> {
    const refused = () => problems.tooManyRequests('Too many passwords are being checked.', 5)
    if (this.#passwordsWaiting >= MAX_PASSWORDS_WAITING) throw refused()
    this.#passwordsWaiting += 1
    try {
      const [, release] = await passwords.acquire()
      return release
    } catch {
      throw refused()
    } finally {
      this.#passwordsWaiting -= 1
    }
  }
}
