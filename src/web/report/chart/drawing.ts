import { type Html, html, type Part } from '../../../lib/html.ts'

/**
 * A link in a drawing. The bar, column or other mark of an answer links to the report for the responses with this
 * answer.
 */
export interface Area {
  x: number
  y: number
  width: number
  height: number
  href: string
  /** The accessible name of the link. */
  label: string
}

/**
 * A drawing whose unit is the pixel. The colours of its classes are defined in the style sheet of the page. A chart
 * that is downloaded as a file has a separate style sheet.
 */
export interface Drawing {
  width: number
  height: number
  marks: Part
  areas: readonly Area[]
}

/** Font size of ordinary text in pixels. */
export const TEXT = 15
export const LINE = 20
/** Font size of axes and legends in pixels. */
export const SMALL = 13

/** Rounds a coordinate to two decimals. */
export const px = (value: number): number => Math.round(value * 100) / 100

/** The alignment of a text relative to its point (`text-anchor` of SVG). */
export type Anchor = 'start' | 'middle' | 'end'

interface TextOptions {
  /** CSS classes: `soft`, `strong`, `low` or `high`. */
  as?: string
  anchor?: Anchor
  size?: number
}

/**
 * Draws one line of text.
 * @param y the baseline of the text
 */
export const label = (
  x: number,
  y: number,
  text: string,
  { as = 'ink', anchor = 'start', size = TEXT }: TextOptions = {},
): Html =>
  html`<text x="${px(x)}" y="${px(y)}" class="${as}" font-size="${size}"${anchor !== 'start' && html` text-anchor="${anchor}"`}>${text}</text>`

/** Draws lines of text, one below the other. */
export const lines = (x: number, y: number, texts: readonly string[], options: TextOptions = {}): Html =>
  html`${texts.map((text, at) => label(x, y + at * LINE, text, options))}`

export const box = (x: number, y: number, width: number, height: number, as: string): Html =>
  html`<rect x="${px(x)}" y="${px(y)}" width="${px(Math.max(width, 0))}" height="${px(Math.max(height, 0))}" class="${as}"/>`

export const rule = (x1: number, y1: number, x2: number, y2: number, as = 'axis'): Html =>
  html`<line x1="${px(x1)}" y1="${px(y1)}" x2="${px(x2)}" y2="${px(y2)}" class="${as}"/>`

export const shape = (d: string, as: string): Html => html`<path d="${d}" class="${as}"/>`
