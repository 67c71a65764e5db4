import { setTimeout as pause } from 'node:timers/promises'
import type { Cluster } from './embedded-cluster.ts'
import { EmbeddedDatabaseError } from './embedded-error.ts'
import { isServerProcess } from './embedded-lock.ts'
import { relaunchServer, type Server } from './embedded-server.ts'

/** How often it is looked whether the server runs, in milliseconds. */
const LOOK_INTERVAL_MS = 250
/** The wait before the second try to start it again, in milliseconds; each later one is twice as long, up to the maximum. */
const FIRST_DELAY_MS = 250
const MAX_DELAY_MS = 10_000

/** What a supervisor does beside its work. */
interface SuperviseOptions {
  log: ((line: string) => void) | undefined
  onLost: ((error: EmbeddedDatabaseError) => void) | undefined
  /** For how long it tries to start a server again, in milliseconds. */
  limitMs: number
}

export interface Supervisor {
  /** The process that runs now. */
  pid(): number
  /** Starts nothing any more; waits for a start that is under way. */
  stop(): Promise<void>
}

/**
 * Starts a server again that has stopped by itself: killed, crashed, or out of disk. It watches the process, not a child
 * of ours: the server may have been started by another command, and each command that uses it watches.
 */
export function supervise(cluster: Cluster, password: string, server: Server, options: SuperviseOptions): Supervisor {
  const { log = () => {}, onLost = () => {}, limitMs } = options
  const stopping = new AbortController()
  const { signal } = stopping
  let { pid } = server
  const over = watch()

  async function watch(): Promise<void> {
    while (await wait(LOOK_INTERVAL_MS)) {
      if (isServerProcess(pid, cluster.folder)) continue
      log('PostgreSQL has stopped and is started again')
      const error = await restart()
      if (error) return onLost(error)
    }
  }

  /** @returns why it cannot be started again; undefined when it runs, or is no longer wanted */
  async function restart(): Promise<EmbeddedDatabaseError | undefined> {
    const deadline = Date.now() + limitMs
    for (let delay = FIRST_DELAY_MS; ; delay = Math.min(2 * delay, MAX_DELAY_MS)) {
      const outcome = await relaunchServer(cluster, password, server.port).catch((error: Error) => error)
      if (!(outcome instanceof Error)) {
        pid = outcome.pid
        if (outcome.port === server.port) return undefined
        return new EmbeddedDatabaseError(`PostgreSQL listens on port ${outcome.port} now: start the program again.`)
      }
      if (Date.now() + delay > deadline) return new EmbeddedDatabaseError(outcome.message)
      if (!(await wait(delay))) return undefined
    }
  }

  /** @returns false when it was stopped meanwhile */
  function wait(milliseconds: number): Promise<boolean> {
    return pause(milliseconds, true, { signal, ref: false }).catch(() => false)
  }

  return {
    pid: () => pid,
    stop: async () => {
      stopping.abort()
      await over
    },
  }
}
