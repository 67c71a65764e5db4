const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS

/** Delays after failed attempts. With these delays, ten attempts take three days. */
const RETRY_DELAYS_MS = [
  5 * SECOND_MS,
  MINUTE_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  6 * HOUR_MS,
  12 * HOUR_MS,
  24 * HOUR_MS,
  27 * HOUR_MS,
] as const
/** Each delay varies by a tenth, so that messages that failed together are not retried together. */
const JITTER = 0.1
/** Maximum pause that a subscriber can request (`Retry-After`). */
const MAX_PAUSE_MS = 24 * HOUR_MS

/**
 * Returns when a message is retried.
 * @param tries attempts so far, from 1
 * @param pausedUntil the end of the pause that the subscriber requested
 * @param chance a number in [0, 1)
 * @returns undefined after the last attempt
 */
export function nextAttempt(now: Date, tries: number, pausedUntil: Date | undefined, chance: number): Date | undefined {
  const delay = RETRY_DELAYS_MS[tries - 1]
  if (delay === undefined) return undefined
  const jittered = now.getTime() + delay * (1 - JITTER + 2 * JITTER * chance)
  return new Date(Math.max(jittered, pausedUntil?.getTime() ?? 0))
}

/**
 * Returns the end of the pause that `Retry-After` requests (RFC 9110, section 10.2.3: seconds or a date); undefined for
 * an invalid value.
 */
export function pauseEnd(retryAfter: string | undefined, now: Date): Date | undefined {
  if (!retryAfter) return undefined
  const delayMs = /^\d+$/.test(retryAfter) ? Number(retryAfter) * SECOND_MS : Date.parse(retryAfter) - now.getTime()
  if (!(delayMs > 0)) return undefined
  return new Date(now.getTime() + Math.min(delayMs, MAX_PAUSE_MS))
}
