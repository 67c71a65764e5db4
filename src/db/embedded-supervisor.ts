import { setTimeout as pause } from 'node:timers/promises'
import type { Cluster } from './embedded-cluster.ts'
import { EmbeddedDatabaseError } from './embedded-error.ts'
import { isServerProcess } from './embedded-lock.ts'
import { relaunchServer, type Server } from './embedded-server.ts'

/** Interval of the checks in milliseconds. */
const CHECK_INTERVAL_MS = 250
/** Delay before the second attempt in milliseconds; it doubles with each attempt, up to the maximum. */
const FIRST_DELAY_MS = 250
const MAX_DELAY_MS = 10_000

/** The options of a supervisor. */
interface SuperviseOptions {
  log: ((line: string) => void) | undefined
  onLost: ((error: EmbeddedDatabaseError) => void) | undefined
  /** Maximum duration of the attempts to restart a server, in milliseconds. */
  limitMs: number
}

export interface Supervisor {
  /** The process ID of the running server. */
  pid(): number
  /** Stops supervising; waits for a restart in progress. */
  stop(): Promise<void>
}

/**
 * Restarts a server that has stopped unexpectedly: killed, crashed, or out of disk space. Each command that uses the
 * server supervises it by process ID, because the server may be the child of another command.
 */
export function supervise(cluster: Cluster, password: string, server: Server, options: SuperviseOptions): Supervisor {
  const { log = () => {}, onLost = () => {}, limitMs } = options
  const stopping = new AbortController()
  const { signal } = stopping
  let { pid } = server
  const watching = watch()

  async function watch(): Promise<void> {
    while (await wait(CHECK_INTERVAL_MS)) {
      if (isServerProcess(pid, cluster.folder)) continue
      log('PostgreSQL has stopped unexpectedly; restarting it')
      const error = await restart()
      if (error) return onLost(error)
    }
  }

  /**
   * @returns the error of the last attempt, or an error if the server now has another port; undefined if the server
   *   runs on the same port or the supervisor was stopped
   */
  async function restart(): Promise<EmbeddedDatabaseError | undefined> {
    const deadline = Date.now() + limitMs
    for (let delay = FIRST_DELAY_MS; ; delay = Math.min(2 * delay, MAX_DELAY_MS)) {
      const outcome = await relaunchServer(cluster, password, server.port).catch((error: Error) => error)
      if (!(outcome instanceof Error)) {
        pid = outcome.pid
        if (outcome.port === server.port) return undefined
        return new EmbeddedDatabaseError(`PostgreSQL now listens on port ${outcome.port}. Start the program again.`)
      }
      if (Date.now() + delay > deadline) return new EmbeddedDatabaseError(outcome.message)
      if (!(await wait(delay))) return undefined
    }
  }

  /** @returns false if the supervisor was stopped in the meantime */
  function wait(milliseconds: number): Promise<boolean> {
    return pause(milliseconds, true, { signal, ref: false }).catch(() => false)
  }

  return {
    pid: () => pid,
    stop: async () => {
      stopping.abort()
      await watching
    },
  }
}
