/** Summary of numbers. */
export interface NumberSummary {
  count: number
  min: number
  max: number
  /** Whether all numbers are integers. */
  integersOnly: boolean
}

/** A bin of numbers: at least `from`, less than `below`. */
export interface Bin {
  from: number
  below: number
}

/** Approximate upper limit. */
const MAX_BINS = 12

/** Returns the smallest of 1, 2 and 5 times a power of ten that is not less than `least`. */
function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least))
  const times = [1, 2, 5, 10].find((factor) => factor * power >= least * (1 - 1e-9)) ?? 10
  return times * power
}

/** Removes the rounding errors of floating point. */
const tidy = (value: number): number => Number(value.toPrecision(15))

/** Returns bins of equal width with round boundaries that cover `min` to `max`. Bins of integers have an integer width. */
export function binsFor({ min, max, integersOnly }: Omit<NumberSummary, 'count'>): Bin[] {
  const step = min < max ? Math.max(niceStep((max - min) / MAX_BINS), integersOnly ? 1 : 0) : 1
  const first = Math.floor(min / step)
  const last = Math.floor(max / step)
  const bins = Array.from({ length: last - first + 1 }, (_, at) => ({
    from: tidy((first + at) * step),
    below: tidy((first + at + 1) * step),
  }))
  // Floating point cannot separate the numbers.
  const isRight = bins[0]!.from <= min && bins.at(-1)!.below > max && bins.every(({ from, below }) => from < below)
  return isRight ? bins : [{ from: min, below: Number.POSITIVE_INFINITY }]
}
