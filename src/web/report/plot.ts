/** One answer and how often it was given. */
export interface Bar {
  label: string
  count: number
  percentage: number
  /** The responses that gave it. */
  href?: string | undefined
}

/** A row of a grid, or a choice of a ranking, with what its answers amount to, in the order of the columns. */
export interface StackedRow {
  label: string
  answered: number
  parts: readonly Omit<Bar, 'label'>[]
}

/** Something with a mean. */
export interface Dot {
  label: string
  mean: number | null
  count: number
}

/** What there is to draw, in the words of the survey: numbers and labels, no pixels. */
export type Plot =
  | { kind: 'bars'; bars: readonly Bar[] }
  /** A histogram: order and distance of the answers mean something. */
  | { kind: 'columns'; bars: readonly Bar[] }
  | { kind: 'stacked'; columns: readonly string[]; rows: readonly StackedRow[] }
  /** A net promoter score, and the shares that it is made of. */
  | { kind: 'gauge'; score: number | null; parts: readonly Bar[] }
  /** Means between two ends; where a low one is good, the first comes first. */
  | { kind: 'dots'; low: number; high: number; of: 'place' | 'score'; dots: readonly Dot[] }
  /** Responses by day in UTC; `day` is written `2026-01-31`, days without any may be left out. */
  | { kind: 'timeline'; days: readonly { day: string; count: number }[] }

const english = (digits: number) => new Intl.NumberFormat('en', { maximumFractionDigits: digits })
const [whole, tenths, hundredths] = [english(0), english(1), english(2)]

/** `12,345` */
export const countText = (count: number): string => whole.format(count)
/** `43.2 %`, held together by a space that does not break. */
export const percentText = (percentage: number): string => `${tenths.format(percentage)}\u00a0%`
/** `2.75` */
export const meanText = (mean: number | null): string => (mean === null ? '–' : hundredths.format(mean))
/** `+33.3`, `−10`: the sign belongs to a score that can be either. */
export const scoreText = (score: number | null): string =>
  score === null ? '–' : `${score > 0 ? '+' : score < 0 ? '\u2212' : ''}${tenths.format(Math.abs(score))}`
