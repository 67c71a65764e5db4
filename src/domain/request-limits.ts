import { SITE_FACTOR, siteNetwork } from '../lib/network.ts'

/** A number of API requests in a time window. 0 requests: unlimited. */
export interface RequestLimit {
  requests: number
  seconds: number
}

/** The limits by name: `address`, and the plans of accounts. */
export type RequestLimitSettings = ReadonlyMap<string, RequestLimit>

/** The limit of requests without an account. */
export const ADDRESS = 'address'
/** The limit of all networks of an IPv6 site together. No plan has such a name. */
const SITE = 'address/48'
/** The plan of accounts for which the operator has set no other plan. */
export const DEFAULT_PLAN = 'standard'

/**
 * Requests that a server counted: the name of the limit, the number of the window, the account or network, the
 * requests.
 */
export type RequestCount = readonly [limit: string, window: number, key: string, requests: number]

/** The state of a limit after a request. */
export interface RequestUsage extends RequestLimit {
  /** The name of the limit. */
  name: string
  remaining: number
  /** Seconds until the window ends. */
  resetSeconds: number
  /** Whether the request is beyond the limit. */
  isExceeded: boolean
}

/**
 * The maximum number of accounts or networks counted for a limit. A further account or network replaces the one that
 * was counted first.
 */
const MAX_KEYS = 50_000
/** The part of a limit that one server counts before it sends the count to the other servers. */
const SHARED_PART = 1 / 20
/** Maximum number of counts per exchange with other servers. The rest follows in the next exchange. */
const MAX_SHARED_COUNTS = 1_000

/** Adds to the count of a key, within {@link MAX_KEYS}. */
function add(counts: Map<string, number>, key: string, requests: number): number {
  const count = counts.get(key)
  if (count === undefined && counts.size >= MAX_KEYS) counts.delete(counts.keys().next().value!)
  counts.set(key, (count ?? 0) + requests)
  return (count ?? 0) + requests
}

/** Counts the requests of one limit in fixed windows, which begin at the same time on all servers. */
class RequestCounter {
  readonly #name: string
  readonly #limit: RequestLimit
  readonly #minShared: number
  #window = 0
  /** Requests in the window by account or network, on all servers. */
  #used = new Map<string, number>()
  /** Requests in the window that have not been sent to other servers. */
  #unshared = new Map<string, number>()

  constructor(name: string, limit: RequestLimit) {
    this.#name = name
    this.#limit = limit
    this.#minShared = Math.max(1, Math.floor(limit.requests * SHARED_PART))
  }

  /** Counts a request, unless it is beyond the limit. */
  count(key: string, now: Date): RequestUsage {
    const { requests, seconds } = this.#limit
    this.#enter(Math.floor(now.getTime() / (seconds * 1000)))
    const isExceeded = (this.#used.get(key) ?? 0) >= requests
    if (!isExceeded) add(this.#unshared, key, 1)
    const used = isExceeded ? requests : add(this.#used, key, 1)
    const resetSeconds = Math.ceil((this.#window + 1) * seconds - now.getTime() / 1000)
    return { name: this.#name, requests, seconds, remaining: requests - used, resetSeconds, isExceeded }
  }

  /** Adds requests that another server counted in the current window. */
  addShared(window: number, key: string, requests: number): void {
    if (window === this.#window) add(this.#used, key, requests)
  }

  /**
   * Returns the counts that are large enough to be sent to other servers, and removes them from the counts that have
   * not been sent.
   */
  *takeUnshared(): Generator<RequestCount> {
    for (const [key, requests] of this.#unshared) {
      if (requests < this.#minShared) continue
      this.#unshared.delete(key)
      yield [this.#name, this.#window, key, requests]
    }
  }

  #enter(window: number): void {
    if (window === this.#window) return
    this.#window = window
    this.#used = new Map()
    this.#unshared = new Map()
  }
}

/**
 * The limits of API requests, per account by its plan and per network for requests without an account. Requests are
 * counted in memory; servers exchange their counts (`src/db/processes/request-counts.ts`), so that they share the limits.
 */
export class RequestLimits {
  readonly #settings: RequestLimitSettings
  readonly #counters: ReadonlyMap<string, RequestCounter>

  /** @param settings limits of {@link ADDRESS}, {@link DEFAULT_PLAN} and further plans */
  constructor(settings: RequestLimitSettings) {
    this.#settings = settings
    const { requests = 0, seconds = 1 } = settings.get(ADDRESS) ?? {}
    const site = [SITE, { requests: requests * SITE_FACTOR, seconds }] as const
    const limited = [...settings, site].filter(([, { requests }]) => requests > 0)
    this.#counters = new Map(limited.map(([name, limit]) => [name, new RequestCounter(name, limit)]))
  }

  /** Whether no requests are counted. */
  get isOff(): boolean {
    return this.#counters.size === 0
  }

  /** The names of all plans. */
  get plans(): string[] {
    return [...this.#settings.keys()].filter((name) => name !== ADDRESS)
  }

  /** Returns the limit of a plan; undefined if there is no such plan. */
  limitOf(plan: string): RequestLimit | undefined {
    return plan === ADDRESS ? undefined : this.#settings.get(plan)
  }

  /** Returns the given plan, or {@link DEFAULT_PLAN} if the settings no longer contain the given one. */
  effectivePlan(plan: string): string {
    return this.limitOf(plan) ? plan : DEFAULT_PLAN
  }

  /**
   * Counts a request of an account, or of a network without an account.
   * @returns undefined if no limit applies
   */
  count(actor: { id: number; plan: string } | undefined, network: string, now: Date): RequestUsage | undefined {
    if (!actor) return this.#countAddress(network, now)
    return this.#counters.get(this.effectivePlan(actor.plan))?.count(String(actor.id), now)
  }

  #countAddress(network: string, now: Date): RequestUsage | undefined {
    const usage = this.#counters.get(ADDRESS)?.count(network, now)
    const site = siteNetwork(network)
    if (!site || usage?.isExceeded) return usage
    const siteUsage = this.#counters.get(SITE)?.count(site, now)
    return siteUsage?.isExceeded ? siteUsage : usage
  }

  /** Returns counts for other servers, at most {@link MAX_SHARED_COUNTS}. Later calls return only further requests. */
  takeUnshared(): RequestCount[] {
    const counts: RequestCount[] = []
    for (const counter of this.#counters.values())
      for (const count of counter.takeUnshared()) if (counts.push(count) >= MAX_SHARED_COUNTS) return counts
    return counts
  }

  /** Adds the counts of another server. */
  addShared(counts: readonly RequestCount[]): void {
    for (const [limit, window, key, requests] of counts) this.#counters.get(limit)?.addShared(window, key, requests)
  }
}
