import { problems } from '../problem.ts'

/** The factor of an answer in the weight of a response. */
export interface WeightClass {
  /** The stable number of the choice. */
  uid: number
  /** The stored answer, as text. */
  value: string
  /** The share that the answer is to have among the responses with an answer, from 0 to 1. */
  target: number
  /** The share without and with weights, when the factors were computed. */
  share: number
  weightedShare: number
  factor: number
}

/** A question whose answers are brought to their target shares. */
export interface WeightQuestion {
  /** The stored key of the answer. */
  key: string
  classes: readonly WeightClass[]
}

/**
 * How the weight of a response follows from its answers: the product of `scale` and the factors of its answers, within
 * `min` and `max`. An answer without a target, and no answer, have the factor 1. So a response that arrives later has a
 * weight as well.
 */
export interface Weighting {
  questions: readonly WeightQuestion[]
  scale: number
  min: number
  max: number
  /** What the factors were computed from, and how well they reach the targets. */
  basis: {
    at: string
    /** The complete responses of which the factors were computed. */
    n: number
    /** The number of the last change of responses. */
    seq: number
    iterations: number
    converged: boolean
    /** The largest difference of a weighted share from its target, from 0 to 1. */
    largestDifference: number
    /** Responses whose weight was raised to `min` or lowered to `max`. */
    trimmed: number
    smallest: number
    largest: number
    /** The effective number of responses (Kish): the square of the sum of the weights, divided by the sum of squares. */
    effectiveN: number
  }
}

/**
 * Returns the weights of a survey.
 * @throws {Problem} `weighting_not_found`
 */
export function weightingIn({ weighting }: { weighting: Weighting | null }): Weighting {
  if (!weighting) throw problems.weightingNotFound()
  return weighting
}
