import { scaleBand, scaleLinear } from 'd3-scale'
import { html } from '../../../lib/html.ts'
import { t } from '../../i18n/t.ts'
import { type Bar, countText, type Dot, meanText, percentText } from '../plot.ts'
import {
  type Area,
  box,
  type Drawing,
  LINE,
  label,
  lines,
  px,
  rule,
  SMALL,
  TEXT,
  widthOf,
  wrapText,
} from './drawing.ts'

/** Minimum width of a drawing with labels beside the bars. In a narrower drawing, the labels are above the bars. */
const SIDE_LABELS_MIN_PX = 480
const BAR_PX = 22
const BAR_GAP_PX = 12
const BAR_LABEL_LINES = 4

interface BarRow {
  bar: Bar
  text: string[]
  y: number
  height: number
}

/** Draws horizontal bars on an axis from 0 to 100 percent, in the given order. Each bar has a label, a percentage and a count. */
export function drawBars(bars: readonly Bar[], width: number): Drawing {
  const beside = width >= SIDE_LABELS_MIN_PX
  const natural = Math.max(0, ...bars.map((bar) => widthOf(bar.label, TEXT)))
  const start = beside ? Math.min(Math.max(natural + BAR_GAP_PX, 90), width * 0.4) : 0
  const valueWidth = Math.max(0, ...bars.map((bar) => widthOf(valueText(bar), TEXT))) + BAR_GAP_PX
  const length = scaleLinear([0, 100], [0, width - start - valueWidth])
  const rows = layOut(bars, beside, beside ? start - BAR_GAP_PX : width)
  const height = rows.reduce((sum, row) => sum + row.height + BAR_GAP_PX, 0) - (rows.length > 0 ? BAR_GAP_PX : 0)
  return {
    width,
    height,
    marks: html`${rows.map((row) => {
      const y = beside ? row.y + (row.height - BAR_PX) / 2 : row.y + row.text.length * LINE + 2
      const long = row.bar.count > 0 ? Math.max(length(row.bar.percentage), 2) : 0
      const first = beside ? row.y + (row.height - row.text.length * LINE) / 2 + 15 : row.y + 13
      return html`
        ${lines(beside ? start - BAR_GAP_PX : 0, first, row.text, beside ? { anchor: 'end' } : {})}
        ${rule(start, y - 2, start, y + BAR_PX + 2)}
        ${box(start, y, long, BAR_PX, 'mark')}
        ${label(start + long + BAR_GAP_PX / 2, y + 16, percentText(row.bar.percentage), { as: 'strong' })}
        ${label(width, y + 16, countText(row.bar.count), { as: 'soft', anchor: 'end' })}`
    })}`,
    areas: rows.flatMap((row) => areaOf(row, width)),
  }
}

const valueText = (bar: Bar) => `${percentText(bar.percentage)}  ${countText(bar.count)}`

function layOut(bars: readonly Bar[], beside: boolean, room: number): BarRow[] {
  let y = 0
  return bars.map((bar) => {
    const text = wrapText(bar.label, room, TEXT, BAR_LABEL_LINES)
    const height = beside ? Math.max(text.length * LINE, BAR_PX) : text.length * LINE + 2 + BAR_PX
    const row = { bar, text, y, height }
    y += height + BAR_GAP_PX
    return row
  })
}

const areaOf = ({ bar, y, height }: BarRow, width: number): Area[] =>
  bar.href
    ? [
        {
          x: 0,
          y: y - BAR_GAP_PX / 2,
          width,
          height: height + BAR_GAP_PX,
          href: bar.href,
          label: t('Only {label}', { label: bar.label }),
        },
      ]
    : []

const PLOT_PX = 190
const TOP_PX = 22
const AXIS_PX = 46
const COLUMN_LABEL_LINES = 3
/**
 * Minimum and maximum of the width reserved for a label. The longest word determines the width between these limits.
 */
const LABEL_PX = { min: 22, max: 90 } as const

/**
 * Draws a histogram. The columns begin at zero and are in the given order, with the labels below them. If the
 * percentages of all columns fit, they are above the columns.
 */
export function drawColumns(bars: readonly Bar[], width: number): Drawing {
  const band = scaleBand(
    bars.map((_, at) => String(at)),
    [AXIS_PX, width],
  )
    .paddingInner(0.18)
    .paddingOuter(0.1)
  const maximum = Math.max(1, ...bars.map((bar) => bar.percentage))
  const height = scaleLinear([0, maximum], [0, PLOT_PX]).nice(4)
  const baseline = TOP_PX + PLOT_PX
  // If the columns are narrower than their labels, only every n-th column gets a label, which can be as wide as n
  // columns.
  const every = Math.max(1, Math.ceil(labelWidthFor(bars) / band.step()))
  const texts = bars.map((bar, at) =>
    at % every === 0 ? wrapText(bar.label, band.step() * every - 4, SMALL, COLUMN_LABEL_LINES) : [],
  )
  const under = 10 + Math.max(1, ...texts.map((text) => text.length)) * 20
  const roomy = bars.every((bar) => widthOf(shareOf(bar), SMALL) <= band.step())
  return {
    width,
    height: baseline + under,
    marks: html`
      ${height.ticks(4).map(
        (tick) =>
          html`
            ${rule(AXIS_PX, baseline - height(tick), width, baseline - height(tick), tick === 0 ? 'axis' : 'grid')}
            ${label(AXIS_PX - 8, baseline - height(tick) + 4, percentText(tick), {
              as: 'soft',
              anchor: 'end',
              size: SMALL,
            })}`,
      )}
      ${bars.map((bar, at) => {
        const x = band(String(at))!
        const middle = x + band.bandwidth() / 2
        const columnHeight = bar.count > 0 ? Math.max(height(bar.percentage), 2) : 0
        return html`${box(x, baseline - columnHeight, band.bandwidth(), columnHeight, 'mark')}${
          roomy &&
          label(middle, baseline - columnHeight - 6, shareOf(bar), { as: 'strong', anchor: 'middle', size: SMALL })
        }${lines(middle, baseline + 18, texts[at]!, { anchor: 'middle', size: SMALL })}`
      })}`,
    areas: bars.flatMap((bar, at) =>
      bar.href
        ? [
            {
              x: band(String(at))!,
              y: TOP_PX / 2,
              width: band.bandwidth(),
              height: baseline + under - TOP_PX / 2,
              href: bar.href,
              label: t('Only {label}', { label: bar.label }),
            },
          ]
        : [],
    ),
  }
}

function labelWidthFor(bars: readonly Bar[]): number {
  const wordWidths = bars.flatMap((bar) => bar.label.split(/\s+/)).map((word) => widthOf(word, SMALL) + 4)
  return Math.min(Math.max(LABEL_PX.min, ...wordWidths), LABEL_PX.max)
}

/** Returns the percentage of a column. It is rounded, because columns are narrow. */
const shareOf = (bar: Bar) => percentText(Math.round(bar.percentage))

const ROW_PX = 34
const DOT_GAP_PX = 10
const VALUE_PX = 60
const DOT_LABEL_LINES = 3

/** Draws means on a scale from `low` to `high`. Each mean is a dot on a line, with its value at the right edge. */
export function drawDots(dots: readonly Dot[], low: number, high: number, width: number): Drawing {
  const beside = width >= SIDE_LABELS_MIN_PX
  const natural = Math.max(0, ...dots.map((dot) => widthOf(dot.label, TEXT)))
  const start = beside ? Math.min(Math.max(natural + DOT_GAP_PX, 90), width * 0.4) : 0
  const at = scaleLinear([low, high > low ? high : low + 1], [start + 10, width - VALUE_PX])
  const ticks = at.ticks(Math.min(high - low, 10) || 1).filter(Number.isInteger)
  const foot = 26
  let y = foot
  const rows = dots.map((dot) => {
    const text = wrapText(dot.label, beside ? start - DOT_GAP_PX : width, TEXT, DOT_LABEL_LINES)
    const height = beside ? Math.max(text.length * LINE + DOT_GAP_PX, ROW_PX) : text.length * LINE + ROW_PX
    const row = { dot, text, y, height, middle: beside ? y + height / 2 : y + text.length * LINE + ROW_PX / 2 }
    y += height
    return row
  })
  return {
    width,
    height: y,
    marks: html`
      ${ticks.map(
        (tick) =>
          html`
            ${rule(at(tick), foot - 6, at(tick), y, 'grid')}
            ${label(at(tick), 14, String(tick), { as: 'soft', anchor: 'middle', size: SMALL })}`,
      )}
      ${rows.map(({ dot, text, y: top, height, middle }) => {
        const first = beside ? top + (height - text.length * LINE) / 2 + 15 : top + 15
        return html`
          ${lines(beside ? start - DOT_GAP_PX : 0, first, text, beside ? { anchor: 'end' } : {})}
          ${rule(start + 10, middle, width - VALUE_PX, middle)}
          ${dot.mean !== null && html`<circle cx="${px(at(dot.mean))}" cy="${px(middle)}" r="8" class="mark"/>`}
          ${label(width, middle + 5, meanText(dot.mean), { as: 'strong', anchor: 'end' })}`
      })}`,
    areas: [],
  }
}
