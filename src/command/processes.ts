import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { trace } from '@opentelemetry/api'
import type { Config } from '../config.ts'
import { createLog, type Log } from '../lib/log.ts'
import { answerMetricsRequests } from '../lib/process-metrics.ts'
import { spanFields } from '../lib/tracing.ts'
import { REPLACED } from './stop.ts'

/** The task of a child process: `serve` answers requests, `work` runs background jobs. */
type Role = 'serve' | 'work'

/** The message of a child process that is ready. */
const READY = 'ready'

/** First delay before a crashed child process is replaced, in milliseconds; doubles with each crash. */
const MIN_BACKOFF_MS = 100
const MAX_BACKOFF_MS = 30_000
/** If a child process has run for this number of milliseconds, the delay starts again at {@link MIN_BACKOFF_MS}. */
const STABLE_MS = 60_000

/** Reports to the parent process, if there is one, that this process is ready. */
export const reportReady = (): void => void process.send?.(READY)

/** The child processes of one `serve`. They share its port: this process hands them connections in turn. */
export class Processes {
  readonly #log: Log
  readonly #running = new Map<Worker, Role>()
  readonly #replaced = new WeakSet<Worker>()
  #stopping = false
  #crashes = 0
  #restart: Promise<void> = Promise.resolve()

  constructor(log: Log) {
    this.#log = log
    answerMetricsRequests()
  }

  /**
   * Starts the processes. From then on, replaces processes that crash and, on SIGHUP, all processes in turn.
   * @returns false if the first process exits before it is ready; it has printed the reason
   */
  async start(requests: number, jobs: boolean): Promise<boolean> {
    // Starts the first process alone, so that a port in use is reported only once.
    if (!(await this.#fork('serve'))) return false
    const rest: Role[] = [...Array<Role>(requests - 1).fill('serve'), ...(jobs ? (['work'] as const) : [])]
    await Promise.all(rest.map((role) => this.#fork(role)))
    // In a terminal, SIGHUP means that the terminal was closed, and stops the server.
    if (process.stdin.isTTY) return true
    process.on('SIGHUP', () => {
      this.#restart = this.#restart.then(() => this.#replaceAll())
    })
    return true
  }

  /** Passes a signal on to all processes, and waits until they have exited. */
  async stop(signal: NodeJS.Signals): Promise<void> {
    this.#stopping = true
    await Promise.all(
      [...this.#running.keys()].map(async (child) => {
        child.process.kill(signal)
        await once(child, 'exit')
      }),
    )
  }

  /** Starts a process. @returns the process when it is ready; undefined if it exits before it is ready */
  async #fork(role: Role): Promise<Worker | undefined> {
    if (this.#stopping) return undefined
    cluster.setupPrimary({ args: [role] })
    const child = cluster.fork()
    const startedAt = performance.now()
    this.#running.set(child, role)
    return new Promise((resolve) => {
      let isReady = false
      child.on('message', (message) => {
        if (message !== READY) return
        isReady = true
        resolve(child)
      })
      child.once('exit', (code, signal) => {
        this.#running.delete(child)
        resolve(undefined)
        if (this.#stopping || this.#replaced.has(child) || !isReady) return
        this.#log.error({ pid: child.process.pid, role, code, signal }, 'process crashed')
        if (performance.now() - startedAt > STABLE_MS) this.#crashes = 0
        void this.#recover(role)
      })
    })
  }

  /** Replaces a crashed process. If the new process exits before it is ready, tries again with increasing delays. */
  async #recover(role: Role): Promise<void> {
    do {
      await pause(Math.min(MAX_BACKOFF_MS, MIN_BACKOFF_MS * 2 ** this.#crashes++))
    } while (!this.#stopping && !(await this.#fork(role)))
    if (!this.#stopping) this.#log.info({ role }, 'replaced a crashed process')
  }

  /**
   * Replaces one process after another. An old process exits only when its replacement is ready, so no request is
   * refused.
   */
  async #replaceAll(): Promise<void> {
    this.#log.info('restarting all processes')
    for (const [child, role] of [...this.#running]) {
      if (this.#stopping || child.isDead()) continue
      if (!(await this.#fork(role))) {
        this.#log.error({ role }, 'a new process did not start; the restart ends and the running processes continue')
        return
      }
      const exited = once(child, 'exit')
      this.#replaced.add(child)
      if (child.isDead()) continue
      child.send(REPLACED, () => undefined)
      await exited
    }
    this.#log.info('restarted all processes')
  }
}

/** Creates the log, whose lines name the current span, and starts to record traces if the environment asks for it. */
export async function openObservation(
  config: Pick<Config, 'logLevel' | 'tracing'>,
): Promise<{ log: Log; closeTracing: () => Promise<void> }> {
  if (!config.tracing) return { log: createLog(config.logLevel), closeTracing: async () => undefined }
  const { startOpenTelemetry } = await import('../lib/open-telemetry.ts')
  const log = createLog(config.logLevel, () => spanFields(trace.getActiveSpan()))
  return { log, closeTracing: startOpenTelemetry(config.tracing, log) }
}
