import { randomBytes } from 'node:crypto'
import type { Client, ClientConfig } from 'pg'
import { PreparingClient } from '../lib/prepared.ts'

/** How long a connection may take to open, and a request may wait for a free one, in milliseconds. */
const CONNECT_TIMEOUT_MS = 5_000
/** After so long without a byte the network is asked whether the other side is still there, in milliseconds. */
const KEEP_ALIVE_DELAY_MS = 10_000

/** How PostgreSQL itself finds out that we are gone, so that the locks of a lost session do not stay. */
const SERVER_SETTINGS = [
  'jit=off',
  'tcp_user_timeout=20000',
  'tcp_keepalives_idle=10',
  'tcp_keepalives_interval=5',
  'tcp_keepalives_count=3',
  'client_connection_check_interval=1000',
]

/** What every pool tells pg. There is no limit for a statement among it: a long one is not cut, a silent one is (reachability.ts). */
export const SESSION_OPTIONS = {
  connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  keepAlive: true,
  keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY_MS,
  options: SERVER_SETTINGS.map((setting) => `-c ${setting}`).join(' '),
}

/** A session that has sent a statement and received nothing since. */
export interface QuietSession {
  /** Its `application_name`, which no other session has. */
  name: string
  /** Closes the connection; whoever waits for an answer gets an error, and the pool opens another. */
  abandon(): void
}

/** The sessions of all pools of one process. */
export interface Sessions {
  /** For the pools: each of its connections is watched. */
  Client: new (
    config?: string | ClientConfig,
  ) => Client
  /** Those that wait for the answer to a statement and have received no byte for so many milliseconds. */
  quietFor(milliseconds: number): QuietSession[]
  /** How many bytes each session has received so far, by name. */
  received(): ReadonlyMap<string, number>
}

/** pg keeps these to itself; there is no other way to see that a statement is under way, copies and cursors included. */
interface Internals {
  _activeQuery: unknown
  connection: { stream: { bytesRead: number; destroy(): void } }
  connectionParameters: { application_name?: string }
}

/** Watches the sessions of one process. */
export function createSessions(): Sessions {
  const open = new Set<WatchedClient>()

  class WatchedClient extends PreparingClient {
    readonly name: string
    #seen: { query: unknown; bytesRead: number; at: number } | undefined

    constructor(config?: string | ClientConfig) {
      super(config)
      const { connectionParameters } = this as unknown as Internals
      this.name = `${connectionParameters.application_name ?? 'canvass'} ${randomBytes(8).toString('hex')}`
      connectionParameters.application_name = this.name
      open.add(this)
      this.once('end', () => open.delete(this))
    }

    /** Milliseconds since the first look that found the same statement under way and no byte received since. */
    quiet(now: number): number {
      const { _activeQuery: query, connection } = this as unknown as Internals
      const { bytesRead } = connection.stream
      if (!query) this.#seen = undefined
      else if (this.#seen?.query !== query || this.#seen.bytesRead !== bytesRead)
        this.#seen = { query, bytesRead, at: now }
      return this.#seen ? now - this.#seen.at : 0
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
    quietFor(milliseconds) {
      const now = performance.now()
      return [...open].filter((client) => client.quiet(now) >= milliseconds)
    },
    received: () => new Map([...open].map(({ name, bytesRead }) => [name, bytesRead])),
  }
}
