import type { Plot } from '../plot.ts'
import { drawBars } from './bars.ts'
import { drawColumns } from './columns.ts'
import { drawDots } from './dots.ts'
import type { Drawing } from './drawing.ts'
import { drawGauge } from './gauge.ts'
import { drawStacked } from './stacked.ts'
import { drawTimeline } from './timeline.ts'

/** Draws chart data in a given width. The height of the drawing depends on the content. */
export function draw(plot: Plot, width: number): Drawing {
  switch (plot.kind) {
    case 'bars':
      return drawBars(plot.bars, width)
    case 'columns':
      return drawColumns(plot.bars, width)
    case 'stacked':
      return drawStacked(plot.columns, plot.rows, width)
    case 'gauge':
      return drawGauge(plot.score, plot.parts, width)
    case 'dots':
      return drawDots(plot.dots, plot.low, plot.high, width)
    case 'timeline':
      return drawTimeline(plot.days, width)
  }
}
