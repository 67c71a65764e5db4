import type { Spread, WeightedBase } from '../../domain/report/question-stats.ts'
import { pageLanguage } from '../i18n/page-locale.ts'
import { perLanguage, t } from '../i18n/t.ts'

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
  | { kind: 'dots'; low: number; high: number; of: 'rank' | 'score' | 'value'; dots: readonly Dot[] }
  /** Responses by day in a time zone. `day` has the form `2026-01-31`. Days without responses may be absent. */
  | { kind: 'timeline'; timeZone: string; days: readonly { day: string; count: number }[] }
  | TrendPlot

/** A value over time with its intervals. */
export interface TrendPlot {
  kind: 'trend'
  of: 'mean' | 'share' | 'score'
  by: 'day' | 'week' | 'wave'
  points: readonly TrendMark[]
}

/** A period of a trend. */
export interface TrendMark {
  label: string
  /** The start in milliseconds since 1970. */
  at: number
  value: number | null
  low: number | null
  high: number | null
  /** The answers of the period. */
  count: number
}

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

/** Returns the standard deviation and the interval of a mean, as text. */
export function spreadText(spread: Spread | undefined): string {
  if (!spread || spread.deviation === null || !spread.interval) return ''
  return t(', standard deviation {value}, 95% interval of the mean {low} to {high}', {
    value: meanText(spread.deviation),
    low: meanText(spread.interval[0]),
    high: meanText(spread.interval[1]),
  })
}

/**
 * Returns the quartiles of numbers as text, for members only: readers of shared reports see no figures that the rule of
 * publication does not know.
 */
export const quartilesText = (spread: Spread | undefined, isMember: boolean): string =>
  isMember && spread
    ? t(', quartiles {low} and {high}', { low: meanText(spread.lowerQuartile), high: meanText(spread.upperQuartile) })
    : ''

/** Returns the effective number of weighted responses, as text. */
export const weightedText = (base: WeightedBase | undefined): string =>
  base ? ` ${t('· weighted, effective number {value}', { value: effectiveText(base) })}` : ''

/** `123.4` */
export const effectiveText = ({ effectiveN }: WeightedBase): string => formatsIn().tenths.format(effectiveN)

/** The data of a chart as a table. The first cell of each row is the heading of the row. */
export interface Table {
  head: readonly string[]
  rows: readonly (readonly string[])[]
}

const share = ({ count, percentage }: { count: number; percentage: number }) =>
  `${countText(count)} (${percentText(percentage)})`

export function tableOf(plot: Plot): Table {
  switch (plot.kind) {
    case 'bars':
    case 'columns':
      return {
        head: [t('Answer'), t('Responses'), t('Share')],
        rows: plot.bars.map((bar) => [bar.label, countText(bar.count), percentText(bar.percentage)]),
      }
    case 'stacked':
      return {
        head: [t('Row'), t('Answered'), ...plot.columns],
        rows: plot.rows.map(({ label, answered, parts }) => [label, countText(answered), ...parts.map(share)]),
      }
    case 'gauge':
      return {
        head: [t('Group'), t('Responses'), t('Share')],
        rows: [
          ...plot.parts.map((part) => [part.label, countText(part.count), percentText(part.percentage)]),
          [t('Score'), '', scoreText(plot.score)],
        ],
      }
    case 'dots':
      return {
        head:
          plot.of === 'rank'
            ? [t('Choice'), t('Mean rank'), t('Times ranked')]
            : [t('Row'), plot.of === 'score' ? t('Mean score') : t('Mean'), t('Answered')],
        rows: plot.dots.map(({ label, mean, count }) => [label, meanText(mean), countText(count)]),
      }
    case 'timeline':
      return {
        head: [t('Day ({zone})', { zone: plot.timeZone.replaceAll('_', ' ') }), t('Responses')],
        rows: plot.days.map(({ day, count }) => [day, countText(count)]),
      }
    case 'trend':
      return {
        head: [t('Period'), t('Value'), t('95% confidence interval'), t('Answers')],
        rows: plot.points.map(({ label, value, low, high, count }) => [
          label,
          valueText(plot, value),
          low === null || high === null
            ? '–'
            : t('{low} to {high}', { low: valueText(plot, low), high: valueText(plot, high) }),
          countText(count),
        ]),
      }
  }
}

/** Returns a value of a trend as text. */
export const valueText = ({ of }: Pick<TrendPlot, 'of'>, value: number | null): string =>
  value === null ? '–' : of === 'share' ? percentText(value) : meanText(value)

/**
 * Maximum number of values in the text alternative, because screen readers read the text aloud. The table contains all
 * values.
 */
const MAX_VALUES = 12

/** Returns the text alternative of a chart. */
export function plotText(plot: Plot, title: string): string {
  const values = plotValues(plot)
  const text = values.slice(0, MAX_VALUES).join('; ')
  const more = values.length > MAX_VALUES ? t('; {value} more in the table', { value: values.length - MAX_VALUES }) : ''
  return t('{value} of “{title}”. {text}{more}.', { value: nameOf(plot), title, text: text || t('No answers'), more })
}

function nameOf(plot: Plot): string {
  switch (plot.kind) {
    case 'bars':
      return t('Bar chart')
    case 'columns':
      return t('Histogram')
    case 'stacked':
      return t('Stacked bar chart')
    case 'gauge':
      return t('Net promoter score')
    case 'dots':
      return plot.of === 'rank' ? t('Mean ranks') : plot.of === 'score' ? t('Mean scores') : t('Means')
    case 'timeline':
    case 'trend':
      return t('Line chart')
  }
}

function plotValues(plot: Plot): string[] {
  switch (plot.kind) {
    case 'bars':
    case 'columns':
      return plot.bars.map((bar) => `${bar.label}: ${percentText(bar.percentage)}, ${countText(bar.count)}`)
    case 'stacked':
      return plot.rows.map(({ label, parts }) => {
        const shares = parts.map(({ percentage }, at) => `${plot.columns[at]} ${percentText(percentage)}`)
        return `${label}: ${shares.join(', ')}`
      })
    case 'gauge':
      return [
        t('Score {value}', { value: scoreText(plot.score) }),
        ...plot.parts.map((part) => `${part.label}: ${percentText(part.percentage)}, ${countText(part.count)}`),
      ]
    case 'dots':
      return plot.dots.map(({ label, mean }) => `${label}: ${meanText(mean)}`)
    case 'trend':
      return plot.points.map(({ label, value }) => `${label}: ${valueText(plot, value)}`)
    case 'timeline': {
      const [first, last] = [plot.days[0], plot.days.at(-1)]
      if (!first || !last) return []
      const peak = plot.days.reduce((best, day) => (day.count > best.count ? day : best))
      return [
        t('From {day} to {day2}', { day: first.day, day2: last.day }),
        t('highest on {day}: {value}', { day: peak.day, value: countText(peak.count) }),
      ]
    }
  }
}
