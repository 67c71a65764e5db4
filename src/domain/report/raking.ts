import { weightFrom } from '../response/filter/weight.ts'

/** Responses with the same answers to the questions of a weighting. */
export interface RakingCell {
  /** The position of the answer among the classes of each question; null: none of them. */
  classes: readonly (number | null)[]
  count: number
}

export interface Raked {
  /** The factor of each class of each question. */
  factors: number[][]
  scale: number
  iterations: number
  converged: boolean
  /** The largest difference of a weighted share from its target, from 0 to 1. */
  largestDifference: number
  trimmed: number
  smallest: number
  largest: number
  effectiveN: number
}

/** Bounds of the weights; the mean weight is 1. */
export interface Bounds {
  min: number
  max: number
}

const MAX_ITERATIONS = 500
/** Weighted shares must be this close to their targets. */
const TOLERANCE = 1e-6

/**
 * Finds factors with which the weighted shares of answers reach their targets (raking, Deming and Stephan 1940): brings
 * one question after the other to its targets until all of them are. Weights are trimmed in every step, so that the
 * other weights make up for the trimmed ones (bounded calibration, Deville and Särndal 1992). The mean weight is 1.
 * @param targets for each question, the share of each class among the responses with one of its classes
 */
export function rake(cells: readonly RakingCell[], targets: readonly (readonly number[])[], bounds: Bounds): Raked {
  const factors = targets.map((classes) => classes.map((target) => (target === 0 ? 0 : 1)))
  let scale = 1
  const n = cells.reduce((sum, { count }) => sum + count, 0)
  const weightOf = ({ classes }: RakingCell) =>
    weightFrom(
      scale,
      classes.map((one, question) => (one === null ? 1 : factors[question]![one]!)),
      bounds,
    )
  const sharesOf = (question: number): { sums: number[]; total: number } => {
    const sums = targets[question]!.map(() => 0)
    for (const cell of cells) {
      const one = cell.classes[question]!
      if (one !== null) sums[one]! += cell.count * weightOf(cell)
    }
    return { sums, total: sums.reduce((sum, part) => sum + part, 0) }
  }
  const differenceNow = () =>
    Math.max(
      ...targets.map((classes, question) => {
        const { sums, total } = sharesOf(question)
        return Math.max(...classes.map((target, one) => Math.abs((total === 0 ? 0 : sums[one]! / total) - target)))
      }),
    )
  let iterations = 0
  let largestDifference = differenceNow()
  while (iterations < MAX_ITERATIONS && largestDifference > TOLERANCE) {
    iterations += 1
    for (const [question, classes] of targets.entries()) {
      const { sums, total } = sharesOf(question)
      for (const [one, target] of classes.entries())
        if (sums[one]! > 0) factors[question]![one]! *= clamp((target * total) / sums[one]!)
    }
    const mean = cells.reduce((sum, cell) => sum + cell.count * weightOf(cell), 0) / n
    if (mean > 0) scale = clamp(scale / mean, LARGEST)
    largestDifference = differenceNow()
  }
  const weights = cells.map((cell) => ({ count: cell.count, weight: weightOf(cell) }))
  const sum = weights.reduce((total, { count, weight }) => total + count * weight, 0)
  const squares = weights.reduce((total, { count, weight }) => total + count * weight * weight, 0)
  return {
    factors,
    scale,
    iterations,
    converged: largestDifference <= TOLERANCE,
    largestDifference,
    trimmed: weights.reduce(
      (total, { count, weight }) => total + (weight <= bounds.min || weight >= bounds.max ? count : 0),
      0,
    ),
    smallest: Math.min(...weights.map(({ weight }) => weight)),
    largest: Math.max(...weights.map(({ weight }) => weight)),
    effectiveN: (sum * sum) / squares,
  }
}

/** The largest factor of a step and the largest scale, so that targets out of reach make no infinite numbers. */
const LARGEST_STEP = 1e3
const LARGEST = 1e9
const clamp = (value: number, limit = LARGEST_STEP): number => Math.min(limit, Math.max(1 / limit, value))
