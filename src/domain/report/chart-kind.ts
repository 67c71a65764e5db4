import type { Question } from '../structure/questionnaire.ts'

/**
 * Kinds of charts: horizontal bars, columns, a stacked bar per row, a gauge of the net promoter score, mean ranks of
 * the choices of a ranking, and mean scores of the rows of a grid.
 */
export const chartKinds = ['bars', 'columns', 'stacked', 'gauge', 'places', 'means'] as const
export type ChartKind = (typeof chartKinds)[number]

/** Returns the charts that are available for a question; the first one is the default. Text questions have none. */
export function chartsFor({ kind, fields, rows }: Question): readonly ChartKind[] {
  const [first] = fields
  if (!first || first.choices.length === 0) return []
  // If respondents can choose several choices, the percentages of a row do not add up to 100 %.
  if (rows.length > 0) return first.type === 'multi' ? ['bars'] : ['stacked', 'means']
  switch (first.type) {
    case 'single':
    case 'multi':
    case 'boolean':
      return ['bars', 'columns']
    case 'number':
      return kind === 'net-promoter' ? ['gauge', 'columns'] : ['columns', 'bars']
    case 'ranking':
      return ['places', 'stacked']
    default:
      return []
  }
}
