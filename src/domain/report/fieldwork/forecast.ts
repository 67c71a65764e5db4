/** How many complete responses came in on each of the last days. */
export interface Pace {
  days: number
  complete: number
  perDay: number
  /** How much more the days differ than those of a Poisson process, whose dispersion is 1; at least 1. */
  dispersion: number
}

/** With fewer days or responses, the interval of a forecast would be wider than its value. */
const MIN_DAYS = 3
const MIN_COMPLETE = 10

/** 95 % of a normal distribution are within this number of standard deviations. */
const Z = 1.959964

/** A forecast of more days than this is not given: ten years. */
const MAX_DAYS = 3_650

/**
 * Returns the pace of some days.
 * @param counts the complete responses of each day
 * @returns undefined if there are too few days or responses for a forecast
 */
export function paceOf(counts: readonly number[]): Pace | undefined {
  const days = counts.length
  const complete = counts.reduce((sum, count) => sum + count, 0)
  if (days < MIN_DAYS || complete < MIN_COMPLETE) return undefined
  const perDay = complete / days
  const variance = counts.reduce((sum, count) => sum + (count - perDay) ** 2, 0) / (days - 1)
  return { days, complete, perDay, dispersion: Math.max(1, variance / perDay) }
}

/** A number of days, or of responses, with its 95 % interval. */
export interface Forecast {
  expected: number
  low: number
  /** Null: the data give no upper end. */
  high: number | null
}

/**
 * Returns the days until some more responses have come in, if the pace stays the same. After t days, λt responses are
 * expected. Their number has the variance φλ(t + t²/d), in which φ is the dispersion, and t²/d comes from the pace
 * itself, which d days have shown. The ends of the interval are the days on which the number is z deviations away from
 * its expected value: the roots of (n − λt)² = z²φλ(t + t²/d).
 * @returns undefined for more than ten years
 */
export function daysUntil(remaining: number, { days, perDay, dispersion }: Pace): Forecast | undefined {
  if (remaining <= 0) return { expected: 0, low: 0, high: 0 }
  const expected = remaining / perDay
  if (expected > MAX_DAYS) return undefined
  const spread = Z ** 2 * dispersion * perDay
  const [a, b, c] = [perDay ** 2 - spread / days, 2 * remaining * perDay + spread, remaining ** 2]
  const root = Math.sqrt(b ** 2 - 4 * a * c)
  // This form of the solution is exact for a near 0 as well.
  const low = (2 * c) / (b + root)
  const high = a > 0 ? (b + root) / (2 * a) : Number.POSITIVE_INFINITY
  return { expected, low, high: high > MAX_DAYS ? null : high }
}

/** Returns how many responses come in within some days, if the pace stays the same; see {@link daysUntil}. */
export function countWithin(time: number, { days, perDay, dispersion }: Pace): Forecast & { high: number } {
  const expected = perDay * time
  const deviation = Z * Math.sqrt(dispersion * perDay * (time + time ** 2 / days))
  return { expected, low: Math.max(0, expected - deviation), high: expected + deviation }
}
