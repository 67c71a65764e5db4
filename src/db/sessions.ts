import { randomBytes } from 'node:crypto'
import type { Client } from 'pg'
import { type DatabaseOptions, derived, PreparingClient } from '../lib/postgres-client.ts'
import { observeStatements, type StatementObserver } from './statements.ts'

/** Timeout for opening a connection and for waiting for a free one, in milliseconds. */
const CONNECT_TIMEOUT_MS = 5_000
/** Milliseconds without traffic before TCP keep-alive probes start. */
const KEEP_ALIVE_DELAY_MS = 10_000

/** With these settings, PostgreSQL detects a lost client, so that the locks of its session are released. */
const LOST_CLIENT_SETTINGS = {
  tcp_user_timeout: '20000',
  tcp_keepalives_idle: '10',
  tcp_keepalives_interval: '5',
  tcp_keepalives_count: '3',
  client_connection_check_interval: '1000',
}

/**
 * Connection options of every pool. They contain no statement timeout, because exports take long. Only the entity
 * manager has a statement timeout (orm.ts). For the other pools, reachability.ts detects an unreachable database.
 */
export const SESSION_OPTIONS = {
  connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  keepAlive: true,
  keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY_MS,
  settings: LOST_CLIENT_SETTINGS,
}

/** A session that waits for the reply to a statement and receives nothing. */
export interface StalledSession {
  /** The unique `application_name` of the session. */
  name: string
  /** Closes the connection: its statement fails, and the pool opens another connection. */
  abandon(): void
}

/** The sessions of all pools of one process. */
export interface Sessions {
  /** The client class for pools; its connections are watched. */
  Client: new (
    options?: DatabaseOptions,
  ) => Client
  /** Returns the sessions that have waited for the result of a statement for this time without receiving a byte. */
  stalledFor(milliseconds: number): StalledSession[]
  /** Returns the number of received bytes by session name. */
  received(): ReadonlyMap<string, number>
}

/**
 * Watches the sessions of one process.
 * @param observers called for each statement
 */
export function createSessions(observers: readonly StatementObserver[] = []): Sessions {
  const open = new Set<WatchedClient>()

  class WatchedClient extends PreparingClient {
    readonly name: string
    #lastCheck: { statement: number; bytesRead: number; at: number } | undefined

    constructor(options: DatabaseOptions = {}) {
      const name = `${options.application_name ?? 'canvass'} ${randomBytes(8).toString('hex')}`
      super(derived(options, { application_name: name }))
      this.name = name
      if (observers.length) observeStatements(this, observers)
      open.add(this)
      this.once('end', () => open.delete(this))
    }

    /** Returns for how many milliseconds the session has run the same statement without receiving a byte. */
    stalledMs(now: number): number {
      const { unansweredStatement: statement, bytesRead } = this
      if (statement === undefined) this.#lastCheck = undefined
      else if (this.#lastCheck?.statement !== statement || this.#lastCheck.bytesRead !== bytesRead)
        this.#lastCheck = { statement, bytesRead, at: now }
      return this.#lastCheck ? now - this.#lastCheck.at : 0
    }
  }

  return {
    Client: WatchedClient,
    stalledFor(milliseconds) {
      const now = performance.now()
      return [...open].filter((client) => client.stalledMs(now) >= milliseconds)
    },
    received: () => new Map([...open].map(({ name, bytesRead }) => [name, bytesRead])),
  }
}
