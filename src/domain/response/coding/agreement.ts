/** Agreement of coders about one category: whether an answer is in it (1) or not (0). */
export interface Agreement {
  /** Number of answers that at least two coders coded. */
  answers: number
  /** Cohen's kappa; null: not exactly two coders, or not defined. */
  kappa: number | null
  /** Krippendorff's alpha for nominal data; null: not defined. */
  alpha: number | null
}

/** A number of answers that the same number of coders coded, and put into the category. */
export interface Ratings {
  coders: number
  positive: number
  answers: number
}

/** The answers that both of two coders coded. */
export interface PairRatings {
  answers: number
  /** Answers that both put into the category. */
  both: number
  /** Answers that the first, and that the second coder put into the category. */
  first: number
  second: number
}

/**
 * Computes Krippendorff's alpha for two values (K. Krippendorff, “Computing Krippendorff's Alpha-Reliability”, 2011).
 * Answers that fewer than two coders coded cannot be paired and are ignored; so missing values need no rule.
 * @returns null if all paired values are equal: then no disagreement was to be expected
 */
export function krippendorffsAlpha(ratings: readonly Ratings[]): number | null {
  let ones = 0
  let zeros = 0
  /** Pairs of different values, each pair of an answer weighted by 1 / (coders − 1). */
  let unequal = 0
  for (const { coders, positive, answers } of ratings) {
    if (coders < 2) continue
    ones += answers * positive
    zeros += answers * (coders - positive)
    unequal += (answers * 2 * positive * (coders - positive)) / (coders - 1)
  }
  const expected = 2 * ones * zeros
  return expected === 0 ? null : 1 - (unequal * (ones + zeros - 1)) / expected
}

/**
 * Computes Cohen's kappa for two coders and two values (J. Cohen, “A Coefficient of Agreement for Nominal Scales”, 1960).
 * @returns null if there is no answer, or both coders gave all answers the same value
 */
export function cohensKappa({ answers, both, first, second }: PairRatings): number | null {
  if (answers === 0) return null
  const observed = (2 * both + answers - first - second) / answers
  const expected = (first * second + (answers - first) * (answers - second)) / answers ** 2
  return expected === 1 ? null : (observed - expected) / (1 - expected)
}
