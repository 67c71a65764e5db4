import { readFileSync } from 'node:fs'
import { html } from '../../../lib/html.ts'
import type { Plot } from '../plot.ts'
import { drawBars, drawColumns, drawDots } from './bars.ts'
import { type Drawing, LINE, lines, SMALL, wrapText } from './drawing.ts'
import { drawGauge, drawStacked } from './stacked.ts'
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
  const image = html`<svg xmlns="http://www.w3.org/2000/svg" width="${wide}" height="${tall}" viewBox="0 0 ${wide} ${tall}" role="img" aria-label="${alt}" font-family="system-ui, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif">
<title>${title}</title>
<style>STYLE</style>
<rect width="${wide}" height="${tall}" fill="#ffffff"/>
${heading.map((text, at) => lines(MARGIN_PX, MARGIN_PX + TITLE_PX + at * LINE * 1.2, [text], { as: 'strong', size: TITLE_PX }))}
${lines(MARGIN_PX, MARGIN_PX + TITLE_PX + heading.length * LINE * 1.2, [note], { as: 'soft', size: SMALL })}
<g transform="translate(${MARGIN_PX} ${top})">${marks}</g>
</svg>
`
  return String(image)
    .replace('STYLE', () => style.trim())
    .replace(INVALID_XML_CHARACTERS, '')
}
