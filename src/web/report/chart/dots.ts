import { scaleLinear } from 'd3-scale'
import { html } from '../../../lib/html.ts'
import { type Dot, meanText } from '../plot.ts'
import { type Drawing, LINE, label, lines, px, rule, SMALL, TEXT } from './drawing.ts'
import { widthOf, wrapText } from './text-fit.ts'

const SIDE_LABELS_MIN_PX = 480
const ROW_PX = 34
const GAP_PX = 10
const VALUE_PX = 60
const MAX_LABEL_LINES = 3

/** Draws means on a scale from `low` to `high`. Each mean is a dot on a line, with its value at the right edge. */
export function drawDots(dots: readonly Dot[], low: number, high: number, width: number): Drawing {
  const beside = width >= SIDE_LABELS_MIN_PX
  const natural = Math.max(0, ...dots.map((dot) => widthOf(dot.label, TEXT)))
  const start = beside ? Math.min(Math.max(natural + GAP_PX, 90), width * 0.4) : 0
  const at = scaleLinear([low, high > low ? high : low + 1], [start + 10, width - VALUE_PX])
  const ticks = at.ticks(Math.min(high - low, 10) || 1).filter(Number.isInteger)
  const foot = 26
  let y = foot
  const rows = dots.map((dot) => {
    const text = wrapText(dot.label, beside ? start - GAP_PX : width, TEXT, MAX_LABEL_LINES)
    const height = beside ? Math.max(text.length * LINE + GAP_PX, ROW_PX) : text.length * LINE + ROW_PX
    const row = { dot, text, y, height, middle: beside ? y + height / 2 : y + text.length * LINE + ROW_PX / 2 }
    y += height
    return row
  })
  return {
    width,
    height: y,
    marks: html`${ticks.map((tick) => html`${rule(at(tick), foot - 6, at(tick), y, 'grid')}${label(at(tick), 14, String(tick), { as: 'soft', anchor: 'middle', size: SMALL })}`)}${rows.map(
      ({ dot, text, y: top, height, middle }) => {
        const first = beside ? top + (height - text.length * LINE) / 2 + 15 : top + 15
        return html`${lines(beside ? start - GAP_PX : 0, first, text, beside ? { anchor: 'end' } : {})}${rule(start + 10, middle, width - VALUE_PX, middle)}${
          dot.mean !== null && html`<circle cx="${px(at(dot.mean))}" cy="${px(middle)}" r="8" class="mark"/>`
        }${label(width, middle + 5, meanText(dot.mean), { as: 'strong', anchor: 'end' })}`
      },
    )}`,
    areas: [],
  }
}
