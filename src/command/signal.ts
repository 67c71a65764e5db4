/**
 * Informs a child process that a new process has replaced it. The child process finishes its requests in progress and
 * exits.
 */
export const REPLACED = 'replaced'

/**
 * Maximum duration of a stop in milliseconds: the grace periods of requests and jobs, and the time for closing
 * connections.
 */
const STOP_LIMIT_MS = 45_000
/** Maximum duration of closing connections, for example to an unreachable database, in milliseconds. */
const CLOSE_LIMIT_MS = 5_000

/**
 * Exits with 1 if stopping takes too long, for example because the database does not respond.
 * @param delayMs additional time in milliseconds
 */
export function limitStop(delayMs = 0): void {
  const limit = STOP_LIMIT_MS + delayMs
  setTimeout(() => {
    console.error(
      `Stopping took longer than ${limit / 1000} seconds. Open requests and jobs were aborted; jobs are retried at the next start.`,
    )
    process.exit(1)
  }, limit)
}

/** The reason why a process stops: a signal, or a new process that the parent process has started to replace it. */
export type StopReason = 'SIGINT' | 'SIGTERM' | typeof REPLACED

/**
 * Resolves with the first reason to stop. Call it at the start of the program, so that a signal during the start is not
 * lost.
 */
export const firstSignal = () =>
  new Promise<StopReason>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => resolve(signal))
    process.on('message', (message) => message === REPLACED && resolve(REPLACED))
  })

/** Waits until everything is closed, but at most {@link CLOSE_LIMIT_MS}: the exit of the process closes the rest. */
export async function closeInTime(closing: Promise<void>): Promise<void> {
  let limit: NodeJS.Timeout | undefined
  const timeout = new Promise<void>((resolve) => {
    limit = setTimeout(resolve, CLOSE_LIMIT_MS)
  })
  await Promise.race([closing, timeout]).finally(() => clearTimeout(limit))
}
