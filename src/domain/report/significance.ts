import { chiSquareTail, normalLimit, studentLimit, studentTails } from '../../lib/distributions.ts'

/** Differences are marked, and intervals are computed, at this level. */
const ERROR_PROBABILITY = 0.05

/** The number, the mean and the sum of squared distances from the mean of numbers. */
export interface Moments {
  n: number
  mean: number
  squares: number
}

/** A mean with its standard deviation and 95 % confidence interval; null where there are too few numbers. */
export interface MeanSummary {
  n: number
  mean: number | null
  /** The standard deviation of a sample, divided by n − 1. */
  deviation: number | null
  /** The interval of Student's t distribution. */
  interval: readonly [low: number, high: number] | null
}

/** Returns the moments of numbers with their frequencies. */
export function momentsOf(distribution: readonly (readonly [value: number, count: number])[]): Moments {
  return combineMoments(distribution.map(([value, n]) => ({ n, mean: value, squares: 0 })))
}

/** Combines the moments of parts (Chan, Golub and LeVeque 1979), without losing digits if the mean is large. */
export function combineMoments(parts: readonly Moments[]): Moments {
  let total: Moments = { n: 0, mean: 0, squares: 0 }
  for (const part of parts) {
    if (part.n === 0) continue
    const n = total.n + part.n
    const distance = part.mean - total.mean
    total = {
      n,
      mean: total.n === 0 ? part.mean : total.mean + (distance * part.n) / n,
      squares: total.squares + part.squares + (total.n === 0 ? 0 : (distance * distance * total.n * part.n) / n),
    }
  }
  return total
}

/** Returns the mean, the standard deviation and the interval of moments. */
export function meanSummary({ n, mean, squares }: Moments): MeanSummary {
  if (n === 0) return { n, mean: null, deviation: null, interval: null }
  // The effective number of weighted responses is no whole number.
  if (n <= 1) return { n, mean, deviation: null, interval: null }
  const deviation = Math.sqrt(squares / (n - 1))
  const distance = (studentLimit(ERROR_PROBABILITY, n - 1) * deviation) / Math.sqrt(n)
  return { n, mean, deviation, interval: [mean - distance, mean + distance] }
}

/**
 * Returns the 95 % confidence interval of a share (Wilson's score interval), in percent with one decimal.
 * @returns null without responses
 */
export function shareInterval(count: number, n: number): readonly [low: number, high: number] | null {
  if (n === 0) return null
  const z = limitOfPairs(1)
  const share = count / n
  const middle = share + (z * z) / (2 * n)
  const distance = z * Math.sqrt((share * (1 - share)) / n + (z * z) / (4 * n * n))
  const bounds = [middle - distance, middle + distance].map((bound) => bound / (1 + (z * z) / n))
  const [low, high] = bounds.map((bound) => Math.round(Math.min(1, Math.max(0, bound)) * 1_000) / 10)
  return [low!, high!]
}

/** Pearson's chi-square test of independence, without a correction for continuity. */
export interface ChiSquare {
  statistic: number
  degrees: number
  p: number
  /** Cramér's V: 0 means independent, 1 means that one question determines the other. */
  v: number
  /** Share of the cells with an expected count below 5, from 0 to 1. The test is unreliable above 0.2. */
  lowExpected: number
}

/**
 * Tests whether rows and columns of a table are independent. Empty rows and columns are left out.
 * @returns undefined if fewer than two rows or columns have counts
 */
export function chiSquare(table: readonly (readonly number[])[]): ChiSquare | undefined {
  const rowSums = table.map((row) => row.reduce((sum, count) => sum + count, 0))
  const columnSums = (table[0] ?? []).map((_, column) => table.reduce((sum, row) => sum + row[column]!, 0))
  const total = rowSums.reduce((sum, count) => sum + count, 0)
  const [rows, columns] = [rowSums, columnSums].map((sums) => sums.filter((sum) => sum > 0).length) as [number, number]
  if (rows < 2 || columns < 2) return undefined
  let [statistic, low] = [0, 0]
  for (const [row, rowSum] of rowSums.entries())
    for (const [column, columnSum] of columnSums.entries()) {
      const expected = (rowSum * columnSum) / total
      if (expected === 0) continue
      statistic += (table[row]![column]! - expected) ** 2 / expected
      if (expected < 5) low += 1
    }
  const degrees = (rows - 1) * (columns - 1)
  return {
    statistic,
    degrees,
    p: chiSquareTail(statistic, degrees),
    v: Math.min(1, Math.sqrt(statistic / (total * (Math.min(rows, columns) - 1)))),
    lowExpected: low / (rows * columns),
  }
}

/**
 * Compares the proportions of a row in all pairs of columns: a two-sided z-test with pooled variance at 95 %, whose
 * level is divided by the number of pairs that are compared (Bonferroni). A pair is compared if at least 5 responses
 * are expected inside and outside the row in both columns, because the test is an approximation.
 * @param counts the responses of the row by column
 * @param bases all responses by column
 * @param isComparable whether two columns share no responses; absent: none do
 * @returns for each column, the columns whose proportion is significantly lower
 */
export function lowerProportions(
  counts: readonly number[],
  bases: readonly number[],
  isComparable: (a: number, b: number) => boolean = () => true,
): number[][] {
  const pairs: { higher: number; lower: number; z: number }[] = []
  for (let a = 0; a < counts.length; a += 1)
    for (let b = a + 1; b < counts.length; b += 1) {
      const [m, n] = [bases[a]!, bases[b]!]
      if (m === 0 || n === 0 || !isComparable(a, b)) continue
      const pooled = (counts[a]! + counts[b]!) / (m + n)
      if (Math.min(pooled, 1 - pooled) * Math.min(m, n) < 5) continue
      const difference = counts[a]! / m - counts[b]! / n
      const z = difference / Math.sqrt(pooled * (1 - pooled) * (1 / m + 1 / n))
      pairs.push(z > 0 ? { higher: a, lower: b, z } : { higher: b, lower: a, z: -z })
    }
  const lower = counts.map((): number[] => [])
  if (pairs.length === 0) return lower
  const limit = limitOfPairs(pairs.length)
  for (const pair of pairs) if (pair.z >= limit) lower[pair.higher]!.push(pair.lower)
  return lower.map((columns) => columns.sort((a, b) => a - b))
}

const limits = new Map<number, number>()

/** Returns the z that a difference must reach if this many pairs are compared. */
function limitOfPairs(pairs: number): number {
  const known = limits.get(pairs)
  if (known !== undefined) return known
  const limit = normalLimit(ERROR_PROBABILITY / pairs)
  if (limits.size < 10_000) limits.set(pairs, limit)
  return limit
}

/**
 * Compares the means of all pairs of columns: Welch's t-test, two-sided, at 95 %, whose level is divided by the number of
 * pairs that are compared (Bonferroni). A pair is compared if both columns have two numbers or more,
 * and if the numbers differ within a column.
 * @param isComparable whether two columns share no responses
 * @returns for each column, the columns whose mean is significantly lower
 */
export function lowerMeans(columns: readonly Moments[], isComparable: (a: number, b: number) => boolean): number[][] {
  const pairs: { higher: number; lower: number; p: number }[] = []
  for (const [a, first] of columns.entries())
    for (const [b, second] of columns.entries()) {
      if (b <= a || !isComparable(a, b) || Math.min(first.n, second.n) < 2) continue
      const [u, v] = [first, second].map(({ n, squares }) => squares / (n - 1) / n) as [number, number]
      if (u + v === 0) continue
      const difference = first.mean - second.mean
      const degrees = (u + v) ** 2 / (u ** 2 / (first.n - 1) + v ** 2 / (second.n - 1))
      const p = studentTails(difference / Math.sqrt(u + v), degrees)
      pairs.push(difference > 0 ? { higher: a, lower: b, p } : { higher: b, lower: a, p })
    }
  const lower = columns.map((): number[] => [])
  for (const { higher, lower: other, p } of pairs) if (p <= ERROR_PROBABILITY / pairs.length) lower[higher]!.push(other)
  return lower.map((others) => others.sort((a, b) => a - b))
}

/** Returns the label of a column that marks refer to: A to Z, then AA, AB, … */
export const columnLetter = (index: number): string =>
  (index < 26 ? '' : columnLetter(Math.floor(index / 26) - 1)) + String.fromCharCode(65 + (index % 26))
