import type { Question } from '../structure/questionnaire.ts'

/**
 * How a question can be drawn: horizontal bars, a histogram, one stacked bar a row, the gauge of a net promoter score,
 * mean places of a ranking, mean scores of a grid's rows.
 */
export const chartKinds = ['bars', 'columns', 'stacked', 'gauge', 'places', 'means'] as const
export type ChartKind = (typeof chartKinds)[number]

/** The charts that fit a question, the usual one first; none of what is written rather than chosen. */
export function chartsFor({ fields, rows }: Question): readonly ChartKind[] {
  const [first] = fields
  if (!first || first.choices.length === 0) return []
  if (rows.length > 0) return ['stacked', 'means']
  switch (first.type) {
    case 'single':
    case 'multi':
    case 'boolean':
      return ['bars', 'columns']
    case 'number':
      return ['gauge', 'columns']
    case 'ranking':
      return ['places', 'stacked']
    default:
      return []
  }
}
