/** How long stopping may take from the signal on, in milliseconds: the grace of requests and jobs, and closing. */
const STOP_LIMIT_MS = 45_000
/** Longest time to close what is done, such as connections to a database that has fallen silent, in milliseconds. */
const CLOSE_LIMIT_MS = 5_000

/**
 * Ends the program when stopping takes too long: a database that is silent must not keep it.
 * @param delayMs how much longer it may take, in milliseconds
 */
export function limitStop(delayMs = 0): void {
  const limit = STOP_LIMIT_MS + delayMs
  setTimeout(() => {
    console.error(`Stopping took longer than ${limit / 1000} seconds: what was still open is given up.`)
    process.exit(1)
  }, limit)
}

/** The first SIGINT or SIGTERM. Ask at the very start: a stop during the start is obeyed once there is something to stop. */
export const firstSignal = () =>
  new Promise<string>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => resolve(signal))
  })

/** Waits until everything is closed, but not for ever: the end of the process closes it as well. */
export async function closeInTime(closing: Promise<void>): Promise<void> {
  let limit: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    limit = setTimeout(resolve, CLOSE_LIMIT_MS)
  })
  await Promise.race([closing, late]).finally(() => clearTimeout(limit))
}
