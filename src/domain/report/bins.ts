/** What numbers come to, before they are put into bins. */
export interface Summary {
  count: number
  min: number
  max: number
  /** Whether all of them are whole. */
  whole: boolean
}

/** Numbers from `from` on and below `below`. */
export interface Bin {
  from: number
  below: number
}

/** So many bins at most, about. */
const MOST = 12

/** The smallest step of 1, 2 or 5 times a power of ten that is not smaller. */
function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least))
  const times = [1, 2, 5, 10].find((factor) => factor * power >= least * (1 - 1e-9)) ?? 10
  return times * power
}

/** Without what floating point adds to sums of tenths. */
const tidy = (value: number): number => Number(value.toPrecision(15))

/** Bins of one width that begin and end at round numbers and hold all from `min` to `max`; whole numbers are not parted. */
export function binsFor({ min, max, whole }: Omit<Summary, 'count'>): Bin[] {
  const step = min < max ? Math.max(niceStep((max - min) / MOST), whole ? 1 : 0) : 1
  const first = Math.floor(min / step)
  const last = Math.floor(max / step)
  const bins = Array.from({ length: last - first + 1 }, (_, at) => ({
    from: tidy((first + at) * step),
    below: tidy((first + at + 1) * step),
  }))
  // Numbers so long that floating point cannot tell them apart.
  const isRight = bins[0]!.from <= min && bins.at(-1)!.below > max && bins.every(({ from, below }) => from < below)
  return isRight ? bins : [{ from: min, below: Number.POSITIVE_INFINITY }]
}
