import { setTimeout as pause } from 'node:timers/promises'
import { Client } from 'pg'
import { problems } from '../domain/problem.ts'
import type { Log } from '../lib/log.ts'
import { isDiskFull } from './outage.ts'
import { SESSION_OPTIONS, type Sessions } from './sessions.ts'

/** How often requests that wait are looked at, in milliseconds. */
const LOOK_INTERVAL_MS = 250
/** How long the database may take to answer the simplest statement before it counts as silent, in milliseconds. */
const PING_LIMIT_MS = 1_200
/** A session that has waited for so long without a byte is looked up, in milliseconds. */
const QUIET_LIMIT_MS = 1_000
/** After so long without a database all that still wait for it are given up, in milliseconds. */
const OUTAGE_LIMIT_MS = 10_000
/** For so long after a write found no room on the disk `/readyz` says no, in milliseconds. */
const DISK_FULL_MS = 10_000

/** The `application_name` of the connection that asks. */
const APPLICATION_NAME = 'canvass-probe'

const PING = `select current_setting('transaction_read_only')::boolean as read_only`

/**
 * Sessions for which PostgreSQL is at work; those that it has finished with, or lost, are left out. The session that asks
 * is among them, unless a connection pooler between us hides the names.
 */
const ACTIVE_SESSIONS = `select application_name as name from pg_stat_activity
  where application_name = any($1) and coalesce(state, '') not like 'idle%' or pid = pg_backend_pid()`

/** Ends what is left of sessions on the server, and with it their locks. */
const TERMINATE = `select pg_terminate_backend(pid) from pg_stat_activity
  where application_name = any($1) and usename = current_user`

/** Knows whether the database answers, so that nothing waits without end for one that is silent. */
export interface Reachability {
  /**
   * Settles as the work does, or as soon as the database is found silent.
   * @throws {Problem} `unavailable`
   */
  unlessSilent<Result>(work: () => Promise<Result>): Promise<Result>
  /** Asks the database. @returns whether it answers in time, and takes writes */
  check(): Promise<boolean>
  /** Is told of every error of a statement. */
  reportError(error: unknown): void
  close(): void
}

/**
 * Watches the database of a process. While requests wait, it asks for the simplest answer over a connection of its own:
 * a silent database is told from a slow statement by that, so long statements need no limit. A session that waits for
 * an answer which PostgreSQL has given already, or will never give, is ended on both sides.
 */
export function createReachability(connectionString: string, sessions: Sessions, log: Log): Reachability {
  const waiting = new Set<{ since: number; reject(error: Error): void }>()
  let client: Client | undefined
  let silentSince: number | undefined
  let diskFullUntil = 0
  let suspects = new Set<string>()
  let looking = false
  const timer = setInterval(() => void look(), LOOK_INTERVAL_MS).unref()

  async function look(): Promise<void> {
    const [oldest] = waiting
    const quiet = sessions.quietFor(QUIET_LIMIT_MS)
    const isIdle = !oldest || performance.now() - oldest.since < LOOK_INTERVAL_MS
    if (looking || (silentSince === undefined && isIdle && !quiet.length)) return
    looking = true
    try {
      const before = sessions.received()
      const answer = await ask()
      // On a machine that is busy an answer may take long; whoever gets answers on another connection meanwhile is not cut off.
      const hears = [...sessions.received()].some(([name, bytes]) => bytes > (before.get(name) ?? 0))
      judge(answer !== undefined || hears)
      if (answer && quiet.length) await endLost()
    } finally {
      looking = false
    }
  }

  /** @returns undefined when the database does not answer in time */
  async function ask(): Promise<{ readOnly: boolean } | undefined> {
    const used = client !== undefined
    const answer = await withinLimit(async () => {
      const { rows } = await (await connected()).query<{ read_only: boolean }>(PING)
      return { readOnly: rows[0]!.read_only }
    })
    if (answer instanceof Error || answer === undefined) drop()
    if (!(answer instanceof Error)) return answer
    // The connection may have ended since the last look, and the database be there all the same.
    if (used) return ask()
    // A refusal in words comes from a server that is there: too many connections say nothing of those that we have.
    return /^(?!57P0)[0-9A-Z]{5}$/.test((answer as { code?: string }).code ?? '') ? { readOnly: false } : undefined
  }

  async function connected(): Promise<Client> {
    if (client) return client
    const fresh = new Client({
      ...SESSION_OPTIONS,
      connectionString,
      connectionTimeoutMillis: PING_LIMIT_MS,
      application_name: APPLICATION_NAME,
    })
    fresh.on('error', () => undefined)
    client = fresh
    await fresh.connect()
    return fresh
  }

  function drop(): void {
    void client?.end().catch(() => undefined)
    client = undefined
  }

  function judge(answers: boolean): void {
    if (answers) {
      if (silentSince !== undefined)
        log.info({ ms: Math.round(performance.now() - silentSince) }, 'the database answers again')
      silentSince = undefined
      return
    }
    if (silentSince === undefined) log.error('the database does not answer')
    silentSince ??= performance.now()
    for (const { reject } of waiting) reject(problems.unavailable())
    waiting.clear()
    if (performance.now() - silentSince > OUTAGE_LIMIT_MS)
      for (const session of sessions.quietFor(OUTAGE_LIMIT_MS)) session.abandon()
  }

  /** Twice found to wait for nothing: between the two looks an answer on its way has arrived. */
  async function endLost(): Promise<void> {
    const quiet = sessions.quietFor(QUIET_LIMIT_MS)
    const names = quiet.map(({ name }) => name)
    const found = await withinLimit(async () => (await connected()).query<{ name: string }>(ACTIVE_SESSIONS, [names]))
    if (!found || found instanceof Error) return drop()
    const atWork = new Set(found.rows.map(({ name }) => name))
    if (!atWork.has(APPLICATION_NAME)) return
    const idle = quiet.filter(({ name }) => !atWork.has(name))
    const lost = idle.filter(({ name }) => suspects.has(name))
    suspects = new Set(idle.map(({ name }) => name))
    if (!lost.length) return
    log.warn({ sessions: lost.length }, 'connections to the database were lost without a word')
    await withinLimit(async () => (await connected()).query(TERMINATE, [lost.map(({ name }) => name)]))
    for (const session of lost) session.abandon()
  }

  return {
    unlessSilent: (work) => {
      if (silentSince !== undefined) return Promise.reject(problems.unavailable())
      return new Promise((resolve, reject) => {
        const entry = { since: performance.now(), reject }
        const settled = () => waiting.delete(entry)
        waiting.add(entry)
        work().then(
          (result) => settled() && resolve(result),
          (error) => settled() && reject(error),
        )
      })
    },
    check: async () => {
      const answer = await ask()
      return answer !== undefined && !answer.readOnly && performance.now() > diskFullUntil
    },
    reportError: (error) => {
      if (isDiskFull(error)) diskFullUntil = performance.now() + DISK_FULL_MS
    },
    close: () => {
      clearInterval(timer)
      drop()
    },
  }
}

/** @returns the error where the work fails; undefined when it is not done within the limit */
async function withinLimit<Result>(work: () => Promise<Result>): Promise<Result | Error | undefined> {
  const limit = new AbortController()
  const outcome = work().catch((error: Error) => error)
  // A loop that was busy sees its timers first: what has arrived in the meantime is read before the verdict.
  const late = pause(PING_LIMIT_MS, undefined, { signal: limit.signal, ref: false })
    .then(() => pause(50, undefined, { signal: limit.signal, ref: false }))
    .catch(() => undefined)
  try {
    return await Promise.race([outcome, late])
  } finally {
    limit.abort()
  }
}
