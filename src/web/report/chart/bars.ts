import { scaleLinear } from 'd3-scale'
import { html } from '../../../lib/html.ts'
import { t } from '../../i18n/t.ts'
import { type Bar, countText, percentText } from '../plot.ts'
import { type Area, box, type Drawing, LINE, label, lines, rule, TEXT } from './drawing.ts'
import { widthOf, wrapText } from './text-fit.ts'

/** Minimum width of a drawing with labels beside the bars. In a narrower drawing, the labels are above the bars. */
const SIDE_LABELS_MIN_PX = 480
const BAR_PX = 22
const GAP_PX = 12
const MAX_LABEL_LINES = 4

interface BarRow {
  bar: Bar
  text: string[]
  y: number
  height: number
}

/** Draws horizontal bars that begin at zero, in the given order. Each bar has a label, a percentage and a count. */
export function drawBars(bars: readonly Bar[], width: number): Drawing {
  const beside = width >= SIDE_LABELS_MIN_PX
  const natural = Math.max(0, ...bars.map((bar) => widthOf(bar.label, TEXT)))
  const start = beside ? Math.min(Math.max(natural + GAP_PX, 90), width * 0.4) : 0
  const valueWidth = Math.max(0, ...bars.map((bar) => widthOf(valueText(bar), TEXT))) + GAP_PX
  const length = scaleLinear([0, Math.max(1, ...bars.map((bar) => bar.percentage))], [0, width - start - valueWidth])
  const rows = layOut(bars, beside, beside ? start - GAP_PX : width)
  const height = rows.reduce((sum, row) => sum + row.height + GAP_PX, 0) - (rows.length > 0 ? GAP_PX : 0)
  return {
    width,
    height,
    marks: html`${rows.map((row) => {
      const y = beside ? row.y + (row.height - BAR_PX) / 2 : row.y + row.text.length * LINE + 2
      const long = row.bar.count > 0 ? Math.max(length(row.bar.percentage), 2) : 0
      const first = beside ? row.y + (row.height - row.text.length * LINE) / 2 + 15 : row.y + 13
      return html`${lines(beside ? start - GAP_PX : 0, first, row.text, beside ? { anchor: 'end' } : {})}${rule(start, y - 2, start, y + BAR_PX + 2)}${box(start, y, long, BAR_PX, 'mark')}${label(start + long + GAP_PX / 2, y + 16, percentText(row.bar.percentage), { as: 'strong' })}${label(width, y + 16, countText(row.bar.count), { as: 'soft', anchor: 'end' })}`
    })}`,
    areas: rows.flatMap((row) => areaOf(row, width)),
  }
}

const valueText = (bar: Bar) => `${percentText(bar.percentage)}  ${countText(bar.count)}`

function layOut(bars: readonly Bar[], beside: boolean, room: number): BarRow[] {
  let y = 0
  return bars.map((bar) => {
    const text = wrapText(bar.label, room, TEXT, MAX_LABEL_LINES)
    const height = beside ? Math.max(text.length * LINE, BAR_PX) : text.length * LINE + 2 + BAR_PX
    const row = { bar, text, y, height }
    y += height + GAP_PX
    return row
  })
}

const areaOf = ({ bar, y, height }: BarRow, width: number): Area[] =>
  bar.href
    ? [
        {
          x: 0,
          y: y - GAP_PX / 2,
          width,
          height: height + GAP_PX,
          href: bar.href,
          label: t('Only {label}', { label: bar.label }),
        },
      ]
    : []
