import { countText, meanText, type Plot, percentText, scoreText } from './plot.ts'

/** So many facts fit into a sentence that is read aloud; the rest is in the table. */
const MAX_FACTS = 12

/** A chart in words, for those who do not see it. */
export function wordsOf(plot: Plot, title: string): string {
  const facts = factsOf(plot)
  const told = facts.slice(0, MAX_FACTS).join('; ')
  const more = facts.length > MAX_FACTS ? `; ${facts.length - MAX_FACTS} more in the table` : ''
  return `${nameOf(plot)} of “${title}”. ${told || 'No answers'}${more}.`
}

function nameOf(plot: Plot): string {
  switch (plot.kind) {
    case 'bars':
      return 'Bar chart'
    case 'columns':
      return 'Histogram'
    case 'stacked':
      return 'Stacked bar chart'
    case 'gauge':
      return 'Net promoter score'
    case 'dots':
      return plot.of === 'place' ? 'Mean ranks' : 'Mean scores'
    case 'timeline':
      return 'Line chart'
  }
}

function factsOf(plot: Plot): string[] {
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
        `Score ${scoreText(plot.score)}`,
        ...plot.parts.map((part) => `${part.label}: ${percentText(part.percentage)}, ${countText(part.count)}`),
      ]
    case 'dots':
      return plot.dots.map(({ label, mean }) => `${label}: ${meanText(mean)}`)
    case 'timeline': {
      const [first, last] = [plot.days[0], plot.days.at(-1)]
      if (!first || !last) return []
      const most = plot.days.reduce((best, day) => (day.count > best.count ? day : best))
      return [`From ${first.day} to ${last.day}`, `highest on ${most.day}: ${countText(most.count)}`]
    }
  }
}
