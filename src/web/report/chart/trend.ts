import { scaleLinear, scalePoint, scaleUtc } from 'd3-scale'
import { line } from 'd3-shape'
import { html } from '../../../lib/html.ts'
import { type TrendMark, type TrendPlot, valueText } from '../plot.ts'
import { type Drawing, label, px, rule, SMALL, shape, truncateToWidth, widthOf } from './drawing.ts'

const PLOT_PX = 220
const TOP_PX = 14
const CAP_PX = 4
/** Minimum distance of the labels of periods. */
const LABEL_PX = 96
const DAY_MS = 86_400_000

/**
 * Draws a value over time as a line with a dot and an interval for each period. Days and weeks are on a scale of time,
 * so that periods without answers are gaps; waves have equal distances.
 */
export function drawTrend(plot: TrendPlot, width: number): Drawing {
  const { of, by, points } = plot
  const shown = points.filter((point): point is TrendMark & { value: number } => point.value !== null)
  const values = shown.flatMap(({ value, low, high }) => [value, low ?? value, high ?? value])
  const foot = TOP_PX + PLOT_PX
  const domain = of === 'share' ? [0, Math.max(10, ...values)] : [Math.min(...values), Math.max(...values)]
  if (domain[0] === domain[1]) domain[1] = domain[0]! + 1
  const up = scaleLinear(domain as [number, number], [foot, TOP_PX]).nice(4)
  const ticks = up.ticks(4)
  const start = Math.max(...ticks.map((tick) => widthOf(valueText(plot, tick), SMALL))) + 12
  const range: [number, number] = [start + 24, width - 24]
  const times = points.map(({ at }) => at)
  const [first = 0, last = 0] = [times[0], times.at(-1)]
  const along = scaleUtc(first === last ? [first - DAY_MS, last + DAY_MS] : [first, last], range)
  const places = scalePoint(
    points.map((_, index) => String(index)),
    range,
  )
  const indices = new Map(points.map((point, index) => [point, index]))
  const x = (point: TrendMark) => (by === 'wave' ? places(String(indices.get(point)))! : along(point.at))
  const y = (point: { value: number }) => up(point.value)
  let free = Number.NEGATIVE_INFINITY
  return {
    width,
    height: foot + 30,
    marks: html`
      ${ticks.map(
        (tick) =>
          html`
            ${rule(start, up(tick), width, up(tick), tick === ticks[0] ? 'axis' : 'grid')}
            ${label(start - 8, up(tick) + 4, valueText(plot, tick), { as: 'soft', anchor: 'end', size: SMALL })}`,
      )}
      ${shown.length > 1 && shape(line<(typeof shown)[number]>().digits(1).x(x).y(y)(shown)!, 'trace')}
      ${shown.map((point) => {
        const at = x(point)
        const { low, high } = point
        return html`
          ${
            low !== null &&
            high !== null &&
            html`
              ${rule(at, up(low), at, up(high), 'axis')}
              ${rule(at - CAP_PX, up(low), at + CAP_PX, up(low), 'axis')}
              ${rule(at - CAP_PX, up(high), at + CAP_PX, up(high), 'axis')}`
          }
          <circle cx="${px(at)}" cy="${px(y(point))}" r="4" class="mark"/>`
      })}
      ${points.map((point) => {
        const at = x(point)
        // The label of the last period ends at its mark, so that it needs more room before it.
        const isLast = at > width - LABEL_PX / 2
        if (at - free < (isLast ? 1.5 : 1) * LABEL_PX) return null
        free = at
        return html`
          ${rule(at, foot, at, foot + 5)}
          ${label(at, foot + 22, truncateToWidth(point.label, LABEL_PX - 8, SMALL), {
            as: 'soft',
            anchor: isLast ? 'end' : 'middle',
            size: SMALL,
          })}`
      })}`,
    areas: [],
  }
}
