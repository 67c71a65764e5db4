import { hash } from 'node:crypto'
import { Semaphore, type SemaphoreInterface, withTimeout } from 'async-mutex'
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible'
import { type Problem, problems } from './problem.ts'

/** The limits of an installation; 0: unlimited. */
export interface LimitSettings {
  /** Passwords that one process checks at the same time. */
  passwordChecks: number
  /** Wrong passwords from one network, for all accounts together. */
  signInFailuresPerMinute: number
  /** Different wrong credentials that programs of one network send. */
  apiFailuresPerMinute: number
  /** Survey pages submitted from one network. */
  submissionsPerMinute: number
  webhooksPerAccount: number
  /** Messages that one account sends. */
  emailsPerDay: number
}

const MAX_PASSWORD_WAIT_MS = 5_000
const MAX_PASSWORDS_WAITING = 300

/** A limit of attempts per minute and key, counted per process. */
export class AttemptLimit {
  readonly #limiter: RateLimiterMemory | undefined
  readonly #points: number
  readonly #what: string

  /** @param what the counted attempts in the error message, such as `wrong passwords` */
  constructor(points: number, what: string) {
    this.#points = points
    this.#what = what
    if (points > 0) this.#limiter = new RateLimiterMemory({ points, duration: 60 })
  }

  /**
   * Checks the limit without counting.
   * @throws {Problem} `too_many_requests` when the key has reached its limit
   */
  async check(key: string): Promise<void> {
    const used = await this.#limiter?.get(key)
    if (used && used.consumedPoints >= this.#points) throw this.#refused(used)
  }

  /**
   * Counts an attempt.
   * @throws {Problem} `too_many_requests` when the key has reached its limit
   */
  async consume(key: string): Promise<void> {
    try {
      await this.#limiter?.consume(key)
    } catch (refused) {
      throw this.#refused(refused as RateLimiterRes)
    }
  }

  /** Reverts {@link consume} for a successful attempt. */
  async refund(key: string): Promise<void> {
    await this.#limiter?.reward(key)
  }

  #refused({ msBeforeNext }: RateLimiterRes): Problem {
    return problems.tooManyRequests(`Too many ${this.#what}.`, Math.ceil(msBeforeNext / 1000))
  }
}

/** The rate limits of an installation. */
export class Limits {
  readonly settings: LimitSettings
  readonly signInFailures: AttemptLimit
  readonly apiFailures: AttemptLimit
  readonly submissions: AttemptLimit
  /** Hashes of wrong credentials of the last minute, which are counted once. */
  readonly #known = new RateLimiterMemory({ points: 1, duration: 60 })
  /** Undefined if concurrent password checks are unlimited. */
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

  /** Counts wrong credentials in {@link apiFailures}; repeated credentials once a minute, because they are no guesses. */
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
   * Runs a password check, limited in concurrency because each one takes some ten milliseconds of CPU time.
   * @throws {Problem} `too_many_requests` when too many checks are waiting
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
