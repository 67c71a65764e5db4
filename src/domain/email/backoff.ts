const MINUTE_MS = 60_000

/** Delays before the retries. Their sum is about two days. */
const RETRY_DELAYS_MS = [1, 5, 15, 60, 180, 360, 720, 1440].map((minutes) => minutes * MINUTE_MS)

/**
 * Returns when a message that was not accepted is retried: first after about a minute, then after longer and longer
 * times.
 * @param failed attempts so far, at least one
 * @param spread 0 to 1; varies the delay, so that messages that failed together are not retried together
 * @returns undefined if there is no further retry
 */
export function nextAttemptAt(now: Date, failed: number, spread: number): Date | undefined {
  const wait = RETRY_DELAYS_MS[failed - 1]
  return wait === undefined ? undefined : new Date(now.getTime() + wait * (0.95 + 0.1 * spread))
}
