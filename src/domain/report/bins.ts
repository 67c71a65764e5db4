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

/** Approximate maximum number of bins. */
const MAX_BINS = 12

/** Returns the smallest width of at least `minWidth` that is 1, 2 or 5 times a power of ten. */
function roundWidth(minWidth: number): number {
  const power = 10 ** Math.floor(Math.log10(minWidth))
  const multiple = [1, 2, 5, 10].find((factor) => factor * power >= minWidth * (1 - 1e-9)) ?? 10
  return multiple * power
}

/** Removes floating-point rounding errors. */
const withoutRoundingError = (value: number): number => Number(value.toPrecision(15))

/**
 * Returns bins of equal width with round boundaries that cover `min` to `max`. Bins of integers have an integer width.
 */
export function binsFor({ min, max, integersOnly }: Omit<NumberSummary, 'count'>): Bin[] {
  const width = min < max ? Math.max(roundWidth((max - min) / MAX_BINS), integersOnly ? 1 : 0) : 1
  const first = Math.floor(min / width)
  const last = Math.floor(max / width)
  const bins = Array.from({ length: last - first + 1 }, (_, index) => ({
    from: withoutRoundingError((first + index) * width),
    below: withoutRoundingError((first + index + 1) * width),
  }))
  // If the numbers are so close that floating-point boundaries cannot separate them, there is one bin.
  const areValid = bins[0]!.from <= min && bins.at(-1)!.below > max && bins.every(({ from, below }) => from < below)
  return areValid ? bins : [{ from: min, below: Number.POSITIVE_INFINITY }]
}
