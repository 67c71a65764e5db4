import { type Html, html } from '../../../lib/html.ts'
import { t } from '../../i18n/t.ts'
import { percentText, type StackedRow } from '../plot.ts'
import { type Area, box, type Drawing, LINE, label, lines, SMALL, TEXT } from './drawing.ts'
import { drawLegend } from './legend.ts'
import { fillOf } from './ramp.ts'
import { widthOf, wrapText } from './text-fit.ts'

const SIDE_LABELS_MIN_PX = 480
const BAR_PX = 30
const GAP_PX = 14
const MAX_LABEL_LINES = 3

/**
 * Draws a bar for each row. Each bar is divided into parts, one for each column in the order of the columns. Parts that
 * are wide enough contain their percentage.
 */
export function drawStacked(columns: readonly string[], rows: readonly StackedRow[], width: number): Drawing {
  const beside = width >= SIDE_LABELS_MIN_PX
  const natural = Math.max(0, ...rows.map((row) => widthOf(row.label, TEXT)))
  const start = beside ? Math.min(Math.max(natural + GAP_PX, 90), width * 0.34) : 0
  const legend = drawLegend(columns, width)
  const areas: Area[] = []
  let y = legend.height + GAP_PX
  const marks = rows.map((row) => {
    const text = wrapText(row.label, beside ? start - GAP_PX : width, TEXT, MAX_LABEL_LINES)
    const height = beside ? Math.max(text.length * LINE, BAR_PX) : text.length * LINE + BAR_PX
    const top = beside ? y + (height - BAR_PX) / 2 : y + text.length * LINE + 2
    const first = beside ? y + (height - text.length * LINE) / 2 + 15 : y + 14
    const bar = drawParts(row, columns, { x: start, y: top, width: width - start, height: BAR_PX })
    areas.push(...bar.areas)
    y += height + GAP_PX
    return html`${lines(beside ? start - GAP_PX : 0, first, text, beside ? { anchor: 'end' } : {})}${bar.marks}`
  })
  return { width, height: y - GAP_PX, marks: html`${legend.marks}${marks}`, areas }
}

interface Frame {
  x: number
  y: number
  width: number
  height: number
}

/** Draws the parts of one bar, side by side. */
export function drawParts(
  { label: name, answered, parts }: StackedRow,
  columns: readonly string[],
  { x, y, width, height }: Frame,
): { marks: Html; areas: Area[] } {
  const total = parts.reduce((sum, part) => sum + part.count, 0)
  if (answered === 0 || total === 0)
    return { marks: label(x, y + height / 2 + 5, t('No answers'), { as: 'soft', size: SMALL }), areas: [] }
  let left = x
  const areas: Area[] = []
  const marks = parts.map((part, at) => {
    const partWidth = (part.count / total) * width
    const { fill, text } = fillOf(at, parts.length)
    const share = percentText(Math.round(part.percentage))
    const fits = widthOf(share, SMALL) + 6 <= partWidth
    const middle = left + partWidth / 2
    const mark =
      part.count > 0 &&
      html`${box(left, y, partWidth, height, fill)}${fits && label(middle, y + height / 2 + 5, share, { as: text, anchor: 'middle', size: SMALL })}`
    if (part.href && part.count > 0)
      areas.push({
        x: left,
        y,
        width: partWidth,
        height,
        href: part.href,
        label: t('Only {value}', { value: [name, columns[at]].filter(Boolean).join(': ') }),
      })
    left += partWidth
    return mark
  })
  return { marks: html`${marks}`, areas }
}
