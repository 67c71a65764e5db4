const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** Milliseconds from each failed attempt to the next: ten attempts in three days. */
const DELAYS = [
  5 * SECOND,
  MINUTE,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  6 * HOUR,
  12 * HOUR,
  24 * HOUR,
  27 * HOUR,
] as const
/** Each delay is up to a tenth shorter or longer, so that what failed together is not tried together. */
const JITTER = 0.1
/** A subscriber may ask for at most so long a rest, in milliseconds. */
const LONGEST_REST = 24 * HOUR

/**
 * When a message is tried again.
 * @param tries attempts made so far, from 1
 * @param rest until when its subscriber asked to be left alone
 * @param chance a number in [0, 1)
 * @returns undefined when that was the last attempt
 */
export function nextAttempt(now: Date, tries: number, rest: Date | undefined, chance: number): Date | undefined {
  const delay = DELAYS[tries - 1]
  if (delay === undefined) return undefined
  const jittered = now.getTime() + delay * (1 - JITTER + 2 * JITTER * chance)
  return new Date(Math.max(jittered, rest?.getTime() ?? 0))
}

/** Until when `Retry-After` asks for rest (RFC 9110, section 10.2.3: seconds or a date); undefined when it says nothing usable. */
export function restOf(retryAfter: string | undefined, now: Date): Date | undefined {
  if (!retryAfter) return undefined
  const millis = /^\d+$/.test(retryAfter) ? Number(retryAfter) * SECOND : Date.parse(retryAfter) - now.getTime()
  if (!(millis > 0)) return undefined
  return new Date(now.getTime() + Math.min(millis, LONGEST_REST))
}
