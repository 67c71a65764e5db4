import { readFileSync } from 'node:fs'
import { html } from '../../../lib/html.ts'
import type { Drawing } from './drawing.ts'
import { LINE, lines, SMALL } from './drawing.ts'
import { wrapped } from './text-fit.ts'

const MARGIN = 28
const TITLE = 18

/** Colours of a chart that stands alone: those of the light theme, on white. */
const style = readFileSync(new URL('../../assets/chart-file.css', import.meta.url), 'utf8')

/** What no XML file may hold, escaped or not (XML 1.0, 2.2). */
const NO_XML = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu

/** What a file says around its chart. */
export interface Caption {
  title: string
  /** Under the title: of how many answers. */
  note: string
  /** The whole chart in words. */
  alt: string
}

/** A chart as a file of its own (SVG 2), with its title, on white: for slides and documents. */
export function svgFile({ width, height, marks }: Drawing, { title, note, alt }: Caption): string {
  const heading = wrapped(title, width, TITLE, 4)
  const top = MARGIN + heading.length * LINE * 1.2 + LINE + 12
  const [wide, tall] = [width + 2 * MARGIN, Math.ceil(top + height + MARGIN)]
  const image = html`<svg xmlns="http://www.w3.org/2000/svg" width="${wide}" height="${tall}" viewBox="0 0 ${wide} ${tall}" role="img" aria-label="${alt}" font-family="system-ui, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif">
<title>${title}</title>
<style>STYLE</style>
<rect width="${wide}" height="${tall}" fill="#ffffff"/>
${heading.map((text, at) => lines(MARGIN, MARGIN + TITLE + at * LINE * 1.2, [text], { as: 'strong', size: TITLE }))}
${lines(MARGIN, MARGIN + TITLE + heading.length * LINE * 1.2, [note], { as: 'soft', size: SMALL })}
<g transform="translate(${MARGIN} ${top})">${marks}</g>
</svg>
`
  return String(image)
    .replace('STYLE', () => style.trim())
    .replace(NO_XML, '')
}
