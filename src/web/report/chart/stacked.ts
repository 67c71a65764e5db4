import { scaleLinear } from 'd3-scale'
import { arc } from 'd3-shape'
import { type Html, html } from '../../../lib/html.ts'
import { t } from '../../i18n/t.ts'
import { type Bar, countText, percentText, type StackedRow, scoreText } from '../plot.ts'
import {
  type Area,
  box,
  type Drawing,
  drawLegend,
  fillOf,
  LINE,
  label,
  lines,
  SMALL,
  shape,
  TEXT,
  widthOf,
  wrapText,
} from './drawing.ts'

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
function drawParts(
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
      html`
        ${box(left, y, partWidth, height, fill)}
        ${fits && label(middle, y + height / 2 + 5, share, { as: text, anchor: 'middle', size: SMALL })}`
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

const RADIUS_PX = 120
const BAND_PX = 26
const ENTRY_PX = 26

/**
 * Converts a score to an angle in radians, measured from the top of the dial. The score −100 is on the left, and 100 is
 * on the right.
 */
const angle = scaleLinear([-100, 100], [-Math.PI / 2, Math.PI / 2])

const band = (from: number, to: number): string =>
  arc()({
    innerRadius: RADIUS_PX - BAND_PX,
    outerRadius: RADIUS_PX,
    startAngle: angle(Math.min(from, to)),
    endAngle: angle(Math.max(from, to)),
  })!

/**
 * Draws a score from −100 to 100 on a dial that is filled from zero to the score. Below the dial, draws the shares of
 * promoters, passives and detractors.
 */
export function drawGauge(score: number | null, parts: readonly Bar[], width: number): Drawing {
  const middle = width / 2
  const foot = RADIUS_PX + 6
  const tip = angle(score ?? 0)
  const point = (radius: number) => [Math.sin(tip) * radius, -Math.cos(tip) * radius] as const
  const [[x1, y1], [x2, y2]] = [point(RADIUS_PX - BAND_PX - 5), point(RADIUS_PX + 5)]
  const row = { label: '', answered: parts.reduce((sum, { count }) => sum + count, 0), parts }
  const top = foot + 3 * LINE
  const bar = drawParts(
    row,
    parts.map((part) => part.label),
    { x: 0, y: top, width, height: BAR_PX },
  )
  return {
    width,
    height: top + BAR_PX + 8 + parts.length * ENTRY_PX,
    marks: html`
      <g transform="translate(${middle} ${foot})">
        ${shape(band(-100, 100), 'track')}
        ${score !== null && shape(band(0, score), 'mark')}
        ${
          score !== null &&
          html`
            <line x1="${x1.toFixed(2)}" y1="${y1.toFixed(2)}" x2="${x2.toFixed(2)}" y2="${y2.toFixed(2)}"
                class="needle"/>`
        }
        ${label(0, -8, scoreText(score), { as: 'strong', anchor: 'middle', size: 40 })}
        ${label(-RADIUS_PX + BAND_PX / 2, 18, '−100', { as: 'soft', anchor: 'middle', size: SMALL })}
        ${label(RADIUS_PX - BAND_PX / 2, 18, '+100', { as: 'soft', anchor: 'middle', size: SMALL })}
      </g>
      ${bar.marks}
      ${parts.map((part, at) => {
        const y = top + BAR_PX + 8 + at * ENTRY_PX
        return html`
          ${box(0, y + 2, 14, 14, fillOf(at, parts.length).fill)}
          ${label(20, y + 14, part.label, { size: TEXT })}
          ${label(width, y + 14, `${percentText(part.percentage)} · ${countText(part.count)}`, {
            as: 'soft',
            anchor: 'end',
          })}`
      })}`,
    areas: bar.areas,
  }
}
