import { scaleLinear } from 'd3-scale'
import { html } from '../../../lib/html.ts'
import { type Bar, countText, percentText } from '../plot.ts'
import { type Area, box, type Drawing, LINE, label, lines, rule, TEXT } from './drawing.ts'
import { widthOf, wrapped } from './text-fit.ts'

/** Below this the labels stand above their bars instead of beside them. */
const NARROW = 480
const THICK = 22
const GAP = 12
const MOST_LINES = 4

interface Placed {
  bar: Bar
  text: string[]
  y: number
  height: number
}

/** Horizontal bars from zero, in the order given: label, bar, share and number. */
export function drawBars(bars: readonly Bar[], width: number): Drawing {
  const beside = width >= NARROW
  const natural = Math.max(0, ...bars.map((bar) => widthOf(bar.label, TEXT)))
  const start = beside ? Math.min(Math.max(natural + GAP, 90), width * 0.4) : 0
  const told = Math.max(0, ...bars.map((bar) => widthOf(toldOf(bar), TEXT))) + GAP
  const length = scaleLinear([0, Math.max(1, ...bars.map((bar) => bar.percentage))], [0, width - start - told])
  const rows = placed(bars, beside, beside ? start - GAP : width)
  const height = rows.reduce((sum, row) => sum + row.height + GAP, 0) - (rows.length > 0 ? GAP : 0)
  return {
    width,
    height,
    marks: html`${rows.map((row) => {
      const y = beside ? row.y + (row.height - THICK) / 2 : row.y + row.text.length * LINE + 2
      const long = row.bar.count > 0 ? Math.max(length(row.bar.percentage), 2) : 0
      const first = beside ? row.y + (row.height - row.text.length * LINE) / 2 + 15 : row.y + 13
      return html`${lines(beside ? start - GAP : 0, first, row.text, beside ? { anchor: 'end' } : {})}${rule(start, y - 2, start, y + THICK + 2)}${box(start, y, long, THICK, 'mark')}${label(start + long + GAP / 2, y + 16, percentText(row.bar.percentage), { as: 'strong' })}${label(width, y + 16, countText(row.bar.count), { as: 'soft', anchor: 'end' })}`
    })}`,
    areas: rows.flatMap((row) => areaOf(row, width)),
  }
}

const toldOf = (bar: Bar) => `${percentText(bar.percentage)}  ${countText(bar.count)}`

function placed(bars: readonly Bar[], beside: boolean, room: number): Placed[] {
  let y = 0
  return bars.map((bar) => {
    const text = wrapped(bar.label, room, TEXT, MOST_LINES)
    const height = beside ? Math.max(text.length * LINE, THICK) : text.length * LINE + 2 + THICK
    const row = { bar, text, y, height }
    y += height + GAP
    return row
  })
}

const areaOf = ({ bar, y, height }: Placed, width: number): Area[] =>
  bar.href ? [{ x: 0, y: y - GAP / 2, width, height: height + GAP, href: bar.href, label: `Only ${bar.label}` }] : []
