import { setTimeout as pause } from 'node:timers/promises'
import type { Client } from 'pg'
import { problems } from '../domain/problem.ts'
import type { Log } from '../lib/log.ts'
import { connectionTo, DatabaseClient } from '../lib/postgres-client.ts'
import { isDiskFull, isOutage } from './constraints.ts'
import { SESSION_OPTIONS, type Sessions } from './sessions.ts'

/** Interval of the checks in milliseconds. */
const CHECK_INTERVAL_MS = 250
/** Maximum duration of a ping in milliseconds. After this time, the database is treated as unreachable. */
const PING_LIMIT_MS = 1_200
/** Number of milliseconds without a received byte after which a session with a running statement is checked. */
const STALL_LIMIT_MS = 1_000
/** Duration of an outage in milliseconds after which all sessions that still wait are closed. */
const OUTAGE_LIMIT_MS = 10_000
/** Milliseconds for which `/readyz` returns 503 after a write failed on a full disk. */
const DISK_FULL_MS = 10_000

const PING = `select current_setting('transaction_read_only')::boolean as read_only`

/**
 * Selects the names of the given sessions for which PostgreSQL currently runs a statement. Also selects the name of the
 * session that runs this query. If this name is missing in the result, a connection pooler replaces the names.
 */
const ACTIVE_SESSIONS = `select application_name as name from pg_stat_activity
  where application_name = any($1) and coalesce(state, '') not like 'idle%' or pid = pg_backend_pid()`

/** Terminates sessions on the server, which releases their locks. */
const TERMINATE = `select pg_terminate_backend(pid) from pg_stat_activity
  where application_name = any($1) and usename = current_user`

/** Detects an unreachable database, so that requests do not wait for it forever. */
export interface Reachability {
  /**
   * Settles with the result of the work, or rejects as soon as the database becomes unreachable.
   * @throws {Problem} `unavailable`
   */
  rejectOnOutage<Result>(work: () => Promise<Result>): Promise<Result>
  /**
   * Pings the database.
   * @returns whether the database responds in time and accepts writes
   */
  check(): Promise<boolean>
  /**
   * Receives the errors of statements. If the database refused the connection or ended it, checks the database
   * immediately. If the disk is full, makes `check` return false for some seconds.
   */
  reportError(error: unknown): void
  close(): void
}

/**
 * A request that waits for the database. When it ends, its entry no longer refers to it: V8 keeps the entries of a set
 * from which others are added and removed until the next full garbage collection, and with them everything that a
 * request has allocated.
 */
interface Waiting {
  since: number
  reject: ((error: Error) => void) | undefined
}

/**
 * Watches the database of a process. While requests wait, pings the database over a separate connection, to distinguish
 * an unreachable database from a slow statement. If a session waits for a reply that PostgreSQL has already sent or
 * will never send, closes the session on both sides.
 */
export function createReachability(url: string, sessions: Sessions, log: Log): Reachability {
  const waiting = new Set<Waiting>()
  let client: Client | undefined
  let unreachableSince: number | undefined
  let diskFullUntil = 0
  let suspects = new Set<string>()
  let isChecking = false
  const timer = setInterval(() => void inspect(), CHECK_INTERVAL_MS).unref()

  async function inspect(hasFailed = false): Promise<void> {
    const [oldest] = waiting
    const stalled = sessions.stalledFor(STALL_LIMIT_MS)
    const isIdle = !hasFailed && (!oldest || performance.now() - oldest.since < CHECK_INTERVAL_MS)
    if (isChecking || (unreachableSince === undefined && isIdle && !stalled.length)) return
    isChecking = true
    try {
      const before = sessions.received()
      const reply = await ping()
      // On a busy machine a ping may take long. Data on another connection also proves that the database is reachable.
      const hasTraffic = [...sessions.received()].some(([name, bytes]) => bytes > (before.get(name) ?? 0))
      setReachable(reply !== undefined || hasTraffic)
      if (reply && stalled.length) await endLost()
    } finally {
      isChecking = false
    }
  }

  /** @returns undefined if the database refuses the connection or does not respond in time */
  async function ping(): Promise<{ readOnly: boolean } | undefined> {
    const wasOpen = client !== undefined
    const reply = await withinLimit(async () => {
      const { rows } = await (await openClient()).query<{ read_only: boolean }>(PING)
      return { readOnly: rows[0]!.read_only }
    })
    if (reply instanceof Error || reply === undefined) drop()
    if (!(reply instanceof Error)) return reply
    // Since the last check, the connection may have ended although the database is reachable.
    if (wasOpen) return ping()
    // An error message proves that the server is reachable: “too many connections”, for example, does not affect open
    // connections.
    return /^(?!57P0)[0-9A-Z]{5}$/.test((reply as { code?: string }).code ?? '') ? { readOnly: false } : undefined
  }

  async function openClient(): Promise<Client> {
    if (client) return client
    const opened = new DatabaseClient({
      ...connectionTo(url, { ...SESSION_OPTIONS, application_name: 'canvass-probe' }),
      connectionTimeoutMillis: PING_LIMIT_MS,
    })
    client = opened
    await opened.connect()
    return opened
  }

  function drop(): void {
    void client?.end().catch(() => undefined)
    client = undefined
  }

  function setReachable(isReachable: boolean): void {
    if (isReachable) {
      if (unreachableSince !== undefined)
        log.info({ ms: Math.round(performance.now() - unreachableSince) }, 'database is reachable again')
      unreachableSince = undefined
      return
    }
    if (unreachableSince === undefined) log.error('database is unreachable')
    unreachableSince ??= performance.now()
    for (const { reject } of waiting) reject?.(problems.unavailable())
    waiting.clear()
    if (performance.now() - unreachableSince > OUTAGE_LIMIT_MS)
      for (const session of sessions.stalledFor(OUTAGE_LIMIT_MS)) session.abandon()
  }

  /**
   * Closes sessions that wait for a reply in two consecutive checks although PostgreSQL runs no statement for them. (A
   * reply that was on its way would have arrived between the checks.)
   */
  async function endLost(): Promise<void> {
    const stalled = sessions.stalledFor(STALL_LIMIT_MS)
    const names = stalled.map(({ name }) => name)
    const active = await withinLimit(async () => (await openClient()).query<{ name: string }>(ACTIVE_SESSIONS, [names]))
    if (!active || active instanceof Error) return drop()
    const activeNames = new Set(active.rows.map(({ name }) => name))
    if (!activeNames.has(connectionTo(url, { application_name: 'canvass-probe' }).application_name)) return
    const idle = stalled.filter(({ name }) => !activeNames.has(name))
    const lostSessions = idle.filter(({ name }) => suspects.has(name))
    suspects = new Set(idle.map(({ name }) => name))
    if (!lostSessions.length) return
    log.warn({ sessions: lostSessions.length }, 'closed lost database connections')
    await withinLimit(async () => (await openClient()).query(TERMINATE, [lostSessions.map(({ name }) => name)]))
    for (const session of lostSessions) session.abandon()
  }

  return {
    rejectOnOutage: (work) => {
      if (unreachableSince !== undefined) return Promise.reject(problems.unavailable())
      return new Promise((resolve, reject) => {
        const entry: Waiting = { since: performance.now(), reject }
        const remove = () => {
          entry.reject = undefined
          return waiting.delete(entry)
        }
        waiting.add(entry)
        work().then(
          (result) => remove() && resolve(result),
          (error) => remove() && reject(error),
        )
      })
    },
    check: async () => {
      const reply = await ping()
      return reply !== undefined && !reply.readOnly && performance.now() > diskFullUntil
    },
    reportError: (error) => {
      if (isDiskFull(error)) diskFullUntil = performance.now() + DISK_FULL_MS
      // A refused connection fails before a request has waited long enough for a check.
      else if (error instanceof Error && isOutage(error) && unreachableSince === undefined) void inspect(true)
    },
    close: () => {
      clearInterval(timer)
      drop()
    },
  }
}

/** @returns the result or the error of the work; undefined if it takes longer than the limit */
async function withinLimit<Result>(work: () => Promise<Result>): Promise<Result | Error | undefined> {
  const limit = new AbortController()
  const outcome = work().catch((error: Error) => error)
  // A busy event loop runs timers before it reads data. Data that has already arrived is therefore read before the time
  // is treated as over.
  const timeout = pause(PING_LIMIT_MS, undefined, { signal: limit.signal, ref: false })
    .then(() => pause(50, undefined, { signal: limit.signal, ref: false }))
    .catch(() => undefined)
  try {
    return await Promise.race([outcome, timeout])
  } finally {
    limit.abort()
  }
}
