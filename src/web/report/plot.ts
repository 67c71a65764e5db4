import { pageLanguage } from '../i18n/page-locale.ts'
import { perLanguage } from '../i18n/t.ts'
/** One answer with the number of responses that gave it. */
export interface Bar {
  label: string
  count: number
  percentage: number
  /** The address of the report with only the responses that have this answer. */
  href?: string | undefined
}

/** A row of a grid, or a choice of a ranking, with its counts in the order of the columns. */
export interface StackedRow {
  label: string
  answered: number
  parts: readonly Omit<Bar, 'label'>[]
}

/** A labelled mean. */
export interface Dot {
  label: string
  mean: number | null
  count: number
}

/** The data of a chart: numbers and labels, independent of its drawing. */
export type Plot =
  | { kind: 'bars'; bars: readonly Bar[] }
  /** Vertical columns, by default for values that have an order, such as numbers. Bars are horizontal. */
  | { kind: 'columns'; bars: readonly Bar[] }
  | { kind: 'stacked'; columns: readonly string[]; rows: readonly StackedRow[] }
  /** A net promoter score with the shares of its three groups. */
  | { kind: 'gauge'; score: number | null; parts: readonly Bar[] }
  /** Means on a scale. Mean ranks are sorted from the best to the worst. */
  | { kind: 'dots'; low: number; high: number; of: 'rank' | 'score'; dots: readonly Dot[] }
  /** Responses by day in a time zone. `day` has the form `2026-01-31`. Days without responses may be absent. */
  | { kind: 'timeline'; timeZone: string; days: readonly { day: string; count: number }[] }

const formatsIn = perLanguage(() => {
  const format = (digits: number) => new Intl.NumberFormat(pageLanguage(), { maximumFractionDigits: digits })
  return { whole: format(0), tenths: format(1), hundredths: format(2) }
})

/** `12,345` */
export const countText = (count: number): string => formatsIn().whole.format(count)
/** `43.2%` */
export const percentText = (percentage: number): string => `${formatsIn().tenths.format(percentage)}%`
/** `2.75` */
export const meanText = (mean: number | null): string => (mean === null ? '–' : formatsIn().hundredths.format(mean))
/** `+33.3`, `−10` */
export const scoreText = (score: number | null): string =>
  score === null ? '–' : `${score > 0 ? '+' : score < 0 ? '\u2212' : ''}${formatsIn().tenths.format(Math.abs(score))}`
