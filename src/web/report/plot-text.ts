import { t } from '../i18n/t.ts'
import { countText, meanText, type Plot, percentText, scoreText } from './plot.ts'

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
      return plot.of === 'rank' ? t('Mean ranks') : t('Mean scores')
    case 'timeline':
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
