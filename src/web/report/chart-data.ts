import {
  type ChoiceSummary,
  type CodedTexts,
  type FieldStats,
  percentage,
  type QuestionStats,
  type RemovedChoiceSummary,
} from '../../domain/report/question-stats.ts'
import type { ChartKind } from '../../domain/report/report.ts'
import { MAX_LISTED_POSITIONS } from '../../questions/ranking.ts'
import { perLanguage, t } from '../i18n/t.ts'
import type { Localize } from './localize.ts'
import type { Bar, Plot, StackedRow } from './plot.ts'

/**
 * Returns the URL of the report with an additional condition, such as `q1=0`. Returns undefined if the reader may not
 * filter.
 */
export type FilterPathOf = (condition: string) => string | undefined

/** Returns the chart data of a question; undefined for a question without choices. */
export function plotOf(
  { question, fields }: QuestionStats,
  kind: ChartKind | undefined,
  localize: Localize,
  filterPath: FilterPathOf,
): Plot | undefined {
  const [first] = fields
  if (!first?.choices || !kind) return undefined
  const rows = fields.filter(({ row }) => row)
  const hasRemoved = rows.some(({ removed }) => removed)
  const bars = () => [
    ...first.choices!.map((one) => barOf(first, one, localize, filterPath)),
    ...(first.removed ?? []).map((one) => removedBar(one, localize)),
  ]
  switch (kind) {
    case 'bars':
    case 'columns':
      if (rows.length > 0) return { kind, bars: rows.flatMap((row) => rowBars(row, localize, filterPath)) }
      return { kind, bars: bars() }
    case 'gauge':
      return { kind, score: first.promoters?.score ?? null, parts: promoterBars(first, filterPath) }
    case 'places':
      return meanRanks(first, localize)
    case 'means': {
      const scores = question.choices.map(({ score }) => score)
      const dots = rows.map(({ row, mean = null, answered }) => ({
        label: localize(row!.label),
        mean,
        count: answered,
      }))
      return { kind: 'dots', of: 'score', low: Math.min(...scores), high: Math.max(...scores), dots }
    }
    case 'stacked':
      return rows.length > 0
        ? {
            kind,
            columns: [...question.choices.map(({ label }) => localize(label)), ...(hasRemoved ? [REMOVED()] : [])],
            rows: rows.map((row) => gridRow(row, hasRemoved, localize, filterPath)),
          }
        : first.choices.length > MAX_LISTED_POSITIONS
          ? meanRanks(first, localize)
          : stackedRanks(first, localize)
  }
}

/** Returns the bars for a row of a grid. The label of each bar contains the labels of the row and of the choice. */
function rowBars(stats: FieldStats, localize: Localize, filterPath: FilterPathOf): Bar[] {
  const bars = [
    ...stats.choices!.map((one) => barOf(stats, one, localize, filterPath)),
    ...(stats.removed ?? []).map((one) => removedBar(one, localize)),
  ]
  return bars.map((bar) => ({ ...bar, label: `${localize(stats.row!.label)}: ${bar.label}` }))
}

const condition = ({ field }: FieldStats, operator: string, value: number | string) =>
  `${encodeURIComponent(field.key)}${operator}${value}`

/**
 * Returns the condition that selects responses with a choice. Answers to a yes-no question are stored as true and
 * false, so the condition compares with these values.
 */
const choiceCondition = (stats: FieldStats, index: number) =>
  condition(stats, '=', stats.field.type === 'boolean' ? String(index === 0) : index)

const barOf = (
  stats: FieldStats,
  { choice, count, percentage: share }: ChoiceSummary,
  localize: Localize,
  filterPath: FilterPathOf,
): Bar => ({
  label: localize(choice.label) || String(choice.index),
  count,
  percentage: share,
  href: filterPath(choiceCondition(stats, choice.index)),
})

/** Returns the heading for choices that the survey no longer offers. */
const REMOVED = perLanguage(() => t('Removed choices'))

/** Returns the label of a choice that the survey no longer offers. */
export const removedLabel = ({ choice }: RemovedChoiceSummary, localize: Localize): string =>
  t('{label} (removed)', { label: localize(choice.label) })

const removedBar = (removed: RemovedChoiceSummary, localize: Localize): Bar => ({
  label: removedLabel(removed, localize),
  count: removed.count,
  percentage: removed.percentage,
})

/**
 * @param hasRemoved whether any row has answers with choices that the survey no longer offers. Each bar then has one
 *   part for all these answers.
 */
function gridRow(stats: FieldStats, hasRemoved: boolean, localize: Localize, filterPath: FilterPathOf): StackedRow {
  const parts = stats.choices!.map(({ choice, count, percentage: share }) => ({
    count,
    percentage: share,
    href: filterPath(choiceCondition(stats, choice.index)),
  }))
  const { removed = [], answered, weighted } = stats
  const count = removed.reduce((sum, one) => sum + one.count, 0)
  const weight = removed.reduce((sum, one) => sum + (one.weighted ?? one.count), 0)
  return {
    label: localize(stats.row!.label),
    answered,
    parts: hasRemoved ? [...parts, { count, percentage: percentage(weight, weighted?.n ?? answered) }] : parts,
  }
}

function promoterBars(stats: FieldStats, filterPath: FilterPathOf): Bar[] {
  const weightOf = ({ count, weighted = count }: ChoiceSummary) => weighted
  const sum = (choices: readonly ChoiceSummary[], of: (choice: ChoiceSummary) => number) =>
    choices.reduce((total, choice) => total + of(choice), 0)
  const { choices = [] } = stats
  const part = (label: string, low: number, high: number, added: string): Bar => {
    const group = choices.filter(({ choice }) => choice.index >= low && choice.index <= high)
    return {
      label,
      count: sum(group, ({ count }) => count),
      percentage: percentage(sum(group, weightOf), sum(choices, weightOf)),
      href: filterPath(added),
    }
  }
  return [
    part(t('Detractors, 0 to 6'), 0, 6, condition(stats, '<=', 6)),
    part(t('Passives, 7 and 8'), 7, 8, `${condition(stats, '>=', 7)}&${condition(stats, '<=', 8)}`),
    part(t('Promoters, 9 and 10'), 9, 10, condition(stats, '>=', 9)),
  ]
}

/** Returns the mean ranks of the choices, sorted from the best to the worst. Choices without a rank come last. */
function meanRanks({ choices = [] }: FieldStats, localize: Localize): Plot {
  const dots = choices
    .map(({ choice, count, meanRank = null }) => ({ label: localize(choice.label), mean: meanRank, count }))
    .sort((a, b) => (a.mean ?? Infinity) - (b.mean ?? Infinity))
  return { kind: 'dots', of: 'rank', low: 1, high: rankCount(choices), dots }
}

const rankCount = (choices: readonly ChoiceSummary[]): number => choices[0]?.rankCounts?.length ?? choices.length

function stackedRanks({ choices = [] }: FieldStats, localize: Localize): Plot {
  return {
    kind: 'stacked',
    columns: Array.from({ length: rankCount(choices) }, (_, index) => t('Rank {index}', { index: index + 1 })),
    rows: choices.map(({ choice, count, weighted = count, rankCounts = [], rankWeights = rankCounts }) => ({
      label: localize(choice.label),
      answered: count,
      parts: rankCounts.map((part, rank) => ({ count: part, percentage: percentage(rankWeights[rank]!, weighted) })),
    })),
  }
}

/** Returns the coded text answers by category. */
export function codingPlot({ none, categories }: CodedTexts): Plot {
  const barOfCategory = (label: string, { count, percentage: share }: CodedTexts['none']): Bar => ({
    label,
    ...{ count, percentage: share },
  })
  const bars = categories.map((one) => barOfCategory(one.category.name, one))
  return { kind: 'bars', bars: none.count > 0 ? [...bars, barOfCategory(t('No category fits'), none)] : bars }
}
