import { readFileSync } from 'node:fs'
import { scaleLinear, scaleUtc } from 'd3-scale'
import { area, line } from 'd3-shape'
import { html } from '../../../lib/html.ts'
import { pageLanguage, printIn } from '../../i18n/page-locale.ts'
import { perLanguage } from '../../i18n/t.ts'
import { countText, type Plot } from '../plot.ts'
import { drawBars, drawColumns, drawDots } from './bars.ts'
import { type Drawing, LINE, label, lines, px, rule, SMALL, shape, widthOf, wrapText } from './drawing.ts'
import { drawGauge, drawStacked } from './stacked.ts'
import { drawTrend } from './trend.ts'

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
    case 'trend':
      return drawTrend(plot, width)
  }
}

const MARGIN_PX = 28
const TITLE_PX = 18

/** The style sheet of a chart file: the colours of the light theme on a white background. */
const style = readFileSync(new URL('../../assets/chart-file.css', import.meta.url), 'utf8')

/** Matches characters that XML forbids, escaped or not (XML 1.0, section 2.2). */
const INVALID_XML_CHARACTERS = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu

/** The texts of a chart file. */
interface Caption {
  title: string
  /** The number of answers, which is shown below the title. */
  note: string
  /** The text alternative of the chart, for screen readers. */
  alt: string
}

/** Returns a chart as an SVG 2 file with its title on a white background, for use in slides and documents. */
export function svgFile({ width, height, marks }: Drawing, { title, note, alt }: Caption): string {
  const heading = wrapText(title, width, TITLE_PX, 4)
  const top = MARGIN_PX + heading.length * LINE * 1.2 + LINE + 12
  const [wide, tall] = [width + 2 * MARGIN_PX, Math.ceil(top + height + MARGIN_PX)]
  const image = html`<svg xmlns="http://www.w3.org/2000/svg" width="${wide}" height="${tall}"
      viewBox="0 0 ${wide} ${tall}" role="img" aria-label="${alt}"
      font-family="system-ui, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif">
    <title>${title}</title>
    <style>STYLE</style>
    <rect width="${wide}" height="${tall}" fill="#ffffff"/>
    ${heading.map((text, at) =>
      lines(MARGIN_PX, MARGIN_PX + TITLE_PX + at * LINE * 1.2, [text], { as: 'strong', size: TITLE_PX }),
    )} ${lines(MARGIN_PX, MARGIN_PX + TITLE_PX + heading.length * LINE * 1.2, [note], { as: 'soft', size: SMALL })}
    <g transform="translate(${MARGIN_PX} ${top})">${marks}</g>
  </svg>`
  return printIn(pageLanguage(), image)
    .replace('STYLE', () => style.trim())
    .replace(INVALID_XML_CHARACTERS, '')
}

const SLIDE_PX = { width: 1600, height: 900, margin: 80, title: 48, note: 28 } as const
const SLIDE_WIDTHS_PX = [800, 680, 560] as const

/**
 * Returns a chart as an SVG file in the format of a slide (16:9), as large as fits, with its title and the number of
 * answers.
 */
export function slideFile(plot: Plot, { title, note, alt }: Caption): string {
  const { margin, title: titlePx, note: notePx } = SLIDE_PX
  const room = SLIDE_PX.width - 2 * margin
  const heading = wrapText(title, room, titlePx, 3)
  const top = margin + heading.length * titlePx * 1.25 + notePx * 2
  const scaleOf = ({ width, height }: Drawing) => Math.min(room / width, (SLIDE_PX.height - top - margin / 2) / height)
  // A short chart is drawn narrower, so that it and its texts are larger on the slide.
  const drawings = SLIDE_WIDTHS_PX.map((width) => draw(plot, width))
  const drawing = drawings.reduce((best, other) => (scaleOf(other) > scaleOf(best) ? other : best))
  const { width, marks } = drawing
  const scale = scaleOf(drawing)
  const start = margin + (room - width * scale) / 2
  const line = (text: string, y: number, as: string, size: number) => label(margin, y, text, { as, size })
  const image = html`<svg xmlns="http://www.w3.org/2000/svg" width="${SLIDE_PX.width}" height="${SLIDE_PX.height}"
      viewBox="0 0 ${SLIDE_PX.width} ${SLIDE_PX.height}" role="img" aria-label="${alt}"
      font-family="system-ui, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif">
    <title>${title}</title>
    <style>STYLE</style>
    <rect width="${SLIDE_PX.width}" height="${SLIDE_PX.height}" fill="#ffffff"/>
    ${heading.map((text, at) => line(text, margin + titlePx * (0.8 + at * 1.25), 'strong', titlePx))}
    ${line(note, margin + heading.length * titlePx * 1.25 + notePx, 'soft', notePx)}
    <g transform="translate(${px(start)} ${px(top)}) scale(${px(scale)})">${marks}</g>
  </svg>`
  return printIn(pageLanguage(), image)
    .replace('STYLE', () => style.trim())
    .replace(INVALID_XML_CHARACTERS, '')
}

const PLOT_PX = 180
const TOP_PX = 10
const DAY_MS = 86_400_000
/** Maximum number of days for which the line has a dot on each day. */
const MAX_DOTTED_DAYS = 31

interface DayCount {
  /** `2026-01-31` */
  day: string
  count: number
}

const instantOf = (day: string) => Date.parse(`${day}T00:00:00Z`)

/** Returns all days from the first to the last. Days that are missing in the data have the count zero. */
export function everyDay(days: readonly DayCount[]): { at: number; count: number }[] {
  const counts = new Map(days.map(({ day, count }) => [instantOf(day), count]))
  const [first, last] = [Math.min(...counts.keys()), Math.max(...counts.keys())]
  const length = counts.size === 0 ? 0 : (last - first) / DAY_MS + 1
  return Array.from({ length }, (_, n) => ({ at: first + n * DAY_MS, count: counts.get(first + n * DAY_MS) ?? 0 }))
}

/** Draws the number of responses per day as a line over time. The vertical axis begins at zero. */
export function drawTimeline(days: readonly DayCount[], width: number): Drawing {
  const points = everyDay(days)
  const maximum = Math.max(1, ...days.map(({ count }) => count))
  const foot = TOP_PX + PLOT_PX
  const up = scaleLinear([0, maximum], [foot, TOP_PX]).nice(4)
  const ticks = up.ticks(4).filter(Number.isInteger)
  const start = Math.max(...ticks.map((tick) => widthOf(countText(tick), SMALL))) + 12
  const [first = { at: 0 }, last = first] = [points[0], points.at(-1)]
  // If there is only one day, it is in the centre.
  const ends = first.at === last.at ? [first.at - DAY_MS, last.at + DAY_MS] : [first.at, last.at]
  const along = scaleUtc(ends, [start + 8, width - 12])
  const x = (point: { at: number }) => along(point.at)
  const y = (point: { count: number }) => up(point.count)
  return {
    width,
    height: foot + 30,
    marks: html`
      ${ticks.map(
        (tick) =>
          html`
            ${rule(start, up(tick), width, up(tick), tick === 0 ? 'axis' : 'grid')}
            ${label(start - 8, up(tick) + 4, countText(tick), { as: 'soft', anchor: 'end', size: SMALL })}`,
      )}
      ${
        points.length > 1 &&
        html`
          ${shape(area<(typeof points)[number]>().digits(1).x(x).y0(foot).y1(y)(points)!, 'wash')}
          ${shape(line<(typeof points)[number]>().digits(1).x(x).y(y)(points)!, 'trace')}`
      }
      ${
        points.length <= MAX_DOTTED_DAYS &&
        points.map((point) => html`<circle cx="${px(x(point))}" cy="${px(y(point))}" r="4" class="mark"/>`)
      }
      ${dateTicks(first.at, last.at, width - start).map(
        ({ at, text, anchor }) =>
          html`
            ${rule(along(at), foot, along(at), foot + 5)}
            ${label(along(at), foot + 22, text, { as: 'soft', anchor, size: SMALL })}`,
      )}`,
    areas: [],
  }
}

const dateFormats = perLanguage(() => {
  const language = pageLanguage() === 'en' ? 'en-GB' : pageLanguage()
  const format = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(language, { ...options, timeZone: 'UTC' })
  return {
    dayMonth: format({ day: 'numeric', month: 'short' }),
    monthYear: format({ month: 'short', year: 'numeric' }),
  }
})

/** Returns a few evenly spaced days, including both ends. */
function dateTicks(first: number, last: number, width: number) {
  const days = (last - first) / DAY_MS
  const format = days > 300 ? dateFormats().monthYear : dateFormats().dayMonth
  const count = Math.max(1, Math.min(days, Math.floor(width / 110)))
  const offsets = days === 0 ? [0] : Array.from({ length: count + 1 }, (_, n) => Math.round((n * days) / count))
  return offsets.map((offset, n) => ({
    at: first + offset * DAY_MS,
    text: format.format(new Date(first + offset * DAY_MS)),
    anchor: offsets.length === 1 || (n > 0 && n < offsets.length - 1) ? 'middle' : n === 0 ? 'start' : 'end',
  })) as { at: number; text: string; anchor: 'start' | 'middle' | 'end' }[]
}
