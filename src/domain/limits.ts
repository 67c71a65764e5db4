import { hash } from 'node:crypto'
import { Semaphore, type SemaphoreInterface, withTimeout } from 'async-mutex'
import type { RateLimiterRes } from 'rate-limiter-flexible'
import RateLimiterMemory from 'rate-limiter-flexible/lib/RateLimiterMemory.js'
import { SITE_FACTOR, siteNetwork } from '../lib/network.ts'
import { type Problem, problems } from './problem.ts'

/** The limits of an installation; 0: unlimited. */
export interface LimitSettings {
  /** Number of passwords that a process checks at the same time. */
  passwordChecks: number
  /** Wrong passwords from a network, for all accounts together. */
  signInFailuresPerMinute: number
  /** Different wrong API credentials from a network. */
  apiFailuresPerMinute: number
  /** Survey pages opened and submitted from a network, and requests of their scripts. */
  surveyRequestsPerMinute: number
  /** Survey pages submitted from a network. */
  submissionsPerMinute: number
  /** Files uploaded from a network, or by an account. */
  uploadsPerMinute: number
  /** Different short links of surveys that a network follows. */
  shortLinksPerHour: number
  /** Megabytes of files uploaded from a network, by respondents. */
  uploadMegabytesPerHour: number
  /** Megabytes of survey pages submitted from a network, without files. */
  pageMegabytesPerHour: number
  /** Replies that an account has stored with an Idempotency-Key. */
  idempotencyKeysPerDay: number
  webhooksPerAccount: number
  /** Messages sent by an account. */
  emailsPerDay: number
}

const MAX_PASSWORD_CHECK_WAIT_MS = 5_000
const MAX_WAITING_PASSWORD_CHECKS = 300

const HOUR_SECONDS = 3600
const DAY_SECONDS = 24 * HOUR_SECONDS
const LINK_EMAILS_PER_HOUR = 10
const KILOBYTES_PER_MEGABYTE = 1000
/** Average size of the replies with an Idempotency-Key that are kept. */
const KILOBYTES_PER_KEY = 10

/**
 * A limit of attempts per period and key, counted per process. If the key is an IPv6 network, all networks of its site
 * together have a limit too.
 */
export class AttemptLimit {
  readonly #limiter: RateLimiterMemory | undefined
  /** Counts the same attempts for the whole site of an IPv6 network. */
  readonly #siteLimiter: RateLimiterMemory | undefined
  readonly #attempts: string

  /**
   * @param attempts noun for the error message, such as `wrong passwords`
   * @param duration seconds in which the attempts are counted
   */
  constructor(points: number, attempts: string, duration = 60) {
    this.#attempts = attempts
    if (points === 0) return
    this.#limiter = new RateLimiterMemory({ points, duration })
    this.#siteLimiter = new RateLimiterMemory({ points: points * SITE_FACTOR, duration })
  }

  /** Returns the limiters of a key, with their keys. */
  #limitersOf(key: string): [limiter: RateLimiterMemory, key: string][] {
    if (!this.#limiter || !this.#siteLimiter) return []
    const site = siteNetwork(key)
    return site
      ? [
          [this.#limiter, key],
          [this.#siteLimiter, site],
        ]
      : [[this.#limiter, key]]
  }

  /**
   * Checks the limit without counting an attempt.
   * @throws {Problem} `too_many_requests` if the key has reached its limit
   */
  async check(key: string): Promise<void> {
    for (const [limiter, counted] of this.#limitersOf(key)) {
      const used = await limiter.get(counted)
      if (used && used.consumedPoints >= limiter.points) throw this.#problem(used)
    }
  }

  /**
   * Counts attempts.
   * @throws {Problem} `too_many_requests` if the key has reached its limit
   */
  async consume(key: string, attempts = 1): Promise<void> {
    try {
      for (const [limiter, counted] of this.#limitersOf(key)) await limiter.consume(counted, attempts)
    } catch (rejection) {
      throw this.#problem(rejection as RateLimiterRes)
    }
  }

  /** Reverts {@link consume} for a successful attempt. */
  async refund(key: string): Promise<void> {
    for (const [limiter, counted] of this.#limitersOf(key)) await limiter.reward(counted)
  }

  #problem({ msBeforeNext }: RateLimiterRes): Problem {
    return problems.tooManyRequests(`Too many ${this.#attempts}.`, Math.ceil(msBeforeNext / 1000))
  }
}

const sizeLimit = (megabytes: number, attempts: string): AttemptLimit =>
  new AttemptLimit(megabytes * KILOBYTES_PER_MEGABYTE, attempts, HOUR_SECONDS)

/** Returns the kilobytes that a number of bytes counts in a limit; small values count less than one. */
export const kilobytes = (bytes: number): number => bytes / 1000

/** The rate limits of an installation. */
export class Limits {
  readonly settings: LimitSettings
  readonly signInFailures: AttemptLimit
  readonly apiFailures: AttemptLimit
  readonly surveyRequests: AttemptLimit
  readonly submissions: AttemptLimit
  readonly uploads: AttemptLimit
  readonly #shortLinks: AttemptLimit
  /** Hashes of the short links that were followed within the last hour, with the network. */
  readonly #recentLinks = new RateLimiterMemory({ points: 1, duration: HOUR_SECONDS })
  /** In kilobytes. */
  readonly uploadSize: AttemptLimit
  /** In kilobytes. */
  readonly pageSize: AttemptLimit
  /** Links to responses that respondents send by email, per recipient and per network. */
  readonly linkEmails = new AttemptLimit(LINK_EMAILS_PER_HOUR, 'links by email', HOUR_SECONDS)
  readonly idempotencyKeys: AttemptLimit
  /** In kilobytes. */
  readonly idempotentReplies: AttemptLimit
  /** Hashes of the wrong credentials of the last minute. */
  readonly #recentFailures = new RateLimiterMemory({ points: 1, duration: 60 })
  /** Undefined if concurrent password checks are unlimited. */
  readonly #passwordChecks: SemaphoreInterface | undefined
  #waitingPasswordChecks = 0

  constructor(settings: LimitSettings) {
    this.settings = settings
    this.signInFailures = new AttemptLimit(settings.signInFailuresPerMinute, 'wrong passwords')
    this.apiFailures = new AttemptLimit(settings.apiFailuresPerMinute, 'wrong credentials')
    this.surveyRequests = new AttemptLimit(settings.surveyRequestsPerMinute, 'requests from your network')
    this.submissions = new AttemptLimit(settings.submissionsPerMinute, 'answers from your network')
    this.uploads = new AttemptLimit(settings.uploadsPerMinute, 'uploaded files')
    this.#shortLinks = new AttemptLimit(settings.shortLinksPerHour, 'short links', HOUR_SECONDS)
    const { uploadMegabytesPerHour, pageMegabytesPerHour, idempotencyKeysPerDay: keys } = settings
    this.uploadSize = sizeLimit(uploadMegabytesPerHour, 'large files from your network')
    this.pageSize = sizeLimit(pageMegabytesPerHour, 'large answers from your network')
    this.idempotencyKeys = new AttemptLimit(keys, 'requests with an Idempotency-Key', DAY_SECONDS)
    this.idempotentReplies = new AttemptLimit(keys * KILOBYTES_PER_KEY, 'replies to keep', DAY_SECONDS)
    if (settings.passwordChecks)
      this.#passwordChecks = withTimeout(new Semaphore(settings.passwordChecks), MAX_PASSWORD_CHECK_WAIT_MS)
  }

  /**
   * Counts wrong credentials in {@link apiFailures}. If a client repeats the same wrong credentials, they are counted
   * only once a minute, because a client that repeats them is not guessing.
   */
  async countApiFailure(key: string, credentials: string): Promise<void> {
    if (!this.settings.apiFailuresPerMinute) return
    try {
      await this.#recentFailures.consume(hash('sha256', `${key} ${credentials}`, 'base64'))
    } catch {
      return
    }
    await this.apiFailures.consume(key).catch(() => undefined)
  }

  /**
   * Counts the short link that a network follows. The same link is counted once an hour, because many people can follow
   * one link from one network, but only who guesses codes follows many links.
   * @throws {Problem} `too_many_requests`
   */
  async countShortLink(network: string, code: string): Promise<void> {
    if (!this.settings.shortLinksPerHour) return
    const link = hash('sha256', `${network} ${code}`, 'base64')
    if (await this.#recentLinks.get(link)) return
    await this.#shortLinks.consume(network)
    await this.#recentLinks.consume(link)
  }

  /**
   * Runs a password check. Concurrent checks are limited, because each uses tens of milliseconds of CPU time.
   * @throws {Problem} `too_many_requests` if too many checks are waiting, or if this check has waited too long
   */
  async checkPassword<Result>(check: () => Promise<Result>): Promise<Result> {
    if (!this.#passwordChecks) return check()
    const release = await this.#acquire(this.#passwordChecks)
    try {
      return await check()
    } finally {
      release()
    }
  }

  async #acquire(semaphore: SemaphoreInterface): Promise<() => void> {
    const tooMany = () => problems.tooManyRequests('Too many passwords are being checked.', 5)
    if (this.#waitingPasswordChecks >= MAX_WAITING_PASSWORD_CHECKS) throw tooMany()
    this.#waitingPasswordChecks += 1
    try {
      const [, release] = await semaphore.acquire()
      return release
    } catch {
      throw tooMany()
    } finally {
      this.#waitingPasswordChecks -= 1
    }
  }
}
