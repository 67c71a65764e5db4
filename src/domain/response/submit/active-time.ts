/** A longer pause is not part of the completion time (docs/specification.md 7.1). */
const MAX_PAUSE_SECONDS = 1_800

/**
 * Returns the seconds between two moments that count towards the completion time. A pause of more than 30 minutes does
 * not count; the time since the page was displayed again after the pause does.
 * @param shownAt when the page was displayed, according to its form
 */
export function activeSeconds(from: Date, to: Date, shownAt?: Date): number {
  const seconds = secondsBetween(from, to)
  if (seconds <= MAX_PAUSE_SECONDS) return Math.max(0, seconds)
  const sinceShown = shownAt && shownAt > from ? secondsBetween(shownAt, to) : MAX_PAUSE_SECONDS + 1
  return sinceShown > 0 && sinceShown <= MAX_PAUSE_SECONDS ? sinceShown : 0
}

const secondsBetween = (from: Date, to: Date): number => (to.getTime() - from.getTime()) / 1000
