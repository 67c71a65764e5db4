import { countText, meanText, type Plot, percentText, scoreText } from './plot.ts'

/** The data of a chart as a table; the first cell of a row is its heading. */
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
        head: ['Answer', 'Responses', 'Share'],
        rows: plot.bars.map((bar) => [bar.label, countText(bar.count), percentText(bar.percentage)]),
      }
    case 'stacked':
      return {
        head: ['Row', 'Answered', ...plot.columns],
        rows: plot.rows.map(({ label, answered, parts }) => [label, countText(answered), ...parts.map(share)]),
      }
    case 'gauge':
      return {
        head: ['Group', 'Responses', 'Share'],
        rows: [
          ...plot.parts.map((part) => [part.label, countText(part.count), percentText(part.percentage)]),
          ['Score', '', scoreText(plot.score)],
        ],
      }
    case 'dots':
      return {
        head: plot.of === 'rank' ? ['Choice', 'Mean rank', 'Ranked'] : ['Row', 'Mean score', 'Answered'],
        rows: plot.dots.map(({ label, mean, count }) => [label, meanText(mean), countText(count)]),
      }
    case 'timeline':
      return { head: ['Day (UTC)', 'Responses'], rows: plot.days.map(({ day, count }) => [day, countText(count)]) }
  }
}
