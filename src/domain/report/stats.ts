/** Numbers with their frequencies. */
export type Distribution = readonly (readonly [value: number, count: number])[]

const round = (value: number, digits: number) => Math.round(value * 10 ** digits) / 10 ** digits

/** Returns a percentage with one decimal; 0 if the whole is 0. */
export const percentage = (part: number, whole: number): number => (whole === 0 ? 0 : round((part / whole) * 100, 1))

const sizeOf = (distribution: Distribution) => distribution.reduce((sum, [, count]) => sum + count, 0)

/** Returns the arithmetic mean with four decimals; null without numbers. */
export function mean(distribution: Distribution): number | null {
  const size = sizeOf(distribution)
  if (size === 0) return null
  return round(distribution.reduce((sum, [value, count]) => sum + value * count, 0) / size, 4)
}

/** Returns the median with four decimals; null without numbers. */
export function median(distribution: Distribution): number | null {
  const size = sizeOf(distribution)
  if (size === 0) return null
  const sorted = distribution.toSorted(([a], [b]) => a - b)
  const valueAt = (position: number): number => {
    let cumulated = 0
    for (const [value, count] of sorted) {
      cumulated += count
      if (position < cumulated) return value
    }
    throw new RangeError(`no position ${position} among ${size}`)
  }
  return round((valueAt(Math.floor((size - 1) / 2)) + valueAt(Math.floor(size / 2))) / 2, 4)
}

/** Answers from 0 to 10 to “How likely are you to recommend us?”, by group. */
export interface NpsBreakdown {
  promoters: number
  passives: number
  detractors: number
  /** The net promoter score (docs/specification.md 10.2) with one decimal; null without answers. */
  score: number | null
}

/** Groups answers from 0 to 10 into promoters, passives and detractors. */
export function npsBreakdown(distribution: Distribution): NpsBreakdown {
  const countBetween = (low: number, high: number) =>
    sizeOf(distribution.filter(([value]) => value >= low && value <= high))
  const [promoters, passives, detractors] = [countBetween(9, 10), countBetween(7, 8), countBetween(0, 6)]
  const total = promoters + passives + detractors
  const score = total === 0 ? null : round(((promoters - detractors) / total) * 100, 1)
  return { promoters, passives, detractors, score }
}
