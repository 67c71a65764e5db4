import { t } from '../i18n/t.ts'
import { countText, meanText, type Plot, percentText, scoreText } from './plot.ts'

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
            : [t('Row'), t('Mean score'), t('Answered')],
        rows: plot.dots.map(({ label, mean, count }) => [label, meanText(mean), countText(count)]),
      }
    case 'timeline':
      return {
        head: [t('Day ({zone})', { zone: plot.timeZone.replaceAll('_', ' ') }), t('Responses')],
        rows: plot.days.map(({ day, count }) => [day, countText(count)]),
      }
  }
}
