import { randomBytes } from 'node:crypto'
import type { Client } from 'pg'
import { type DatabaseOptions, PreparingClient } from '../lib/postgres-client.ts'
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
    config?: string | DatabaseOptions,
  ) => Client
  /** Returns the sessions that have waited for the result of a statement for this time without receiving a byte. */
  stalledFor(milliseconds: number): StalledSession[]
  /** Returns the number of received bytes by session name. */
  received(): ReadonlyMap<string, number>
}

/** Private members of pg, which has no public property for the running statement: a query, a `COPY` or a cursor. */
interface Internals {
  _activeQuery: unknown
  connection: { stream: { bytesRead: number; destroy(): void } }
  connectionParameters: { application_name?: string }
}

/**
 * Watches the sessions of one process.
 * @param observers called for each statement
 */
export function createSessions(observers: readonly StatementObserver[] = []): Sessions {
  const open = new Set<WatchedClient>()

  class WatchedClient extends PreparingClient {
    readonly name: string
    #lastCheck: { query: unknown; bytesRead: number; at: number } | undefined

    constructor(config?: string | DatabaseOptions) {
      super(config)
      const { connectionParameters } = this as unknown as Internals
      this.name = `${connectionParameters.application_name ?? 'canvass'} ${randomBytes(8).toString('hex')}`
      connectionParameters.application_name = this.name
      if (observers.length) observeStatements(this, observers)
      open.add(this)
      this.once('end', () => open.delete(this))
    }

    /** Returns for how many milliseconds the session has run the same statement without receiving a byte. */
    stalledMs(now: number): number {
      const { _activeQuery: query, connection } = this as unknown as Internals
      const { bytesRead } = connection.stream
      if (!query) this.#lastCheck = undefined
      else if (this.#lastCheck?.query !== query || this.#lastCheck.bytesRead !== bytesRead)
        this.#lastCheck = { query, bytesRead, at: now }
      return this.#lastCheck ? now - this.#lastCheck.at : 0
    }

    get bytesRead(): number {
      return (this as unknown as Internals).connection.stream.bytesRead
    }

    abandon(): void {
      ;(this as unknown as Internals).connection.stream.destroy()
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
