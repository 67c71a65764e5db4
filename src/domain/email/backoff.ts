const MINUTE_MS = 60_000

/** How long to wait before each further try, about two days in all. */
const RETRY_DELAYS_MS = [1, 5, 15, 60, 180, 360, 720, 1440].map((minutes) => minutes * MINUTE_MS)

/**
 * When a message that could not be handed over is tried again: after about a minute, then ever later.
 * @param failed tries so far, at least one
 * @param spread 0 to 1; moves the time a little, so that what failed together does not come again together
 * @returns undefined when it has been tried often enough
 */
export function nextAttemptAt(now: Date, failed: number, spread: number): Date | undefined {
  const wait = RETRY_DELAYS_MS[failed - 1]
  return wait === undefined ? undefined : new Date(now.getTime() + wait * (0.95 + 0.1 * spread))
}
