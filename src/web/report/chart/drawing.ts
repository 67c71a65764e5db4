import { type Html, html, type Part } from '../../../lib/html.ts'

/** A part of a drawing that leads somewhere: the mark of an answer leads to the responses that gave it. */
export interface Area {
  x: number
  y: number
  width: number
  height: number
  href: string
  /** What it does, in words. */
  label: string
}

/** Marks on a surface, in pixels; their classes get colours from the style sheet, or in a file from its own. */
export interface Drawing {
  width: number
  height: number
  marks: Part
  areas: readonly Area[]
}

/** Size of ordinary text, and of a line of it. */
export const TEXT = 15
export const LINE = 20
/** Size of text beside the marks: axes, legends. */
export const SMALL = 13

/** A number as SVG takes it: two decimals are finer than any screen. */
export const px = (value: number): number => Math.round(value * 100) / 100

/** How a text stands to the point where it is put. */
export type Anchor = 'start' | 'middle' | 'end'

interface TextOptions {
  /** Classes: `soft`, `strong`, `low`, `high`. */
  as?: string
  anchor?: Anchor
  size?: number
}

/** One line of text; `y` is its base line. */
export const label = (
  x: number,
  y: number,
  text: string,
  { as = 'ink', anchor = 'start', size = TEXT }: TextOptions = {},
): Html =>
  html`<text x="${px(x)}" y="${px(y)}" class="${as}" font-size="${size}"${anchor !== 'start' && html` text-anchor="${anchor}"`}>${text}</text>`

/** Lines of text, one under the other. */
export const lines = (x: number, y: number, texts: readonly string[], options: TextOptions = {}): Html =>
  html`${texts.map((text, at) => label(x, y + at * LINE, text, options))}`

export const box = (x: number, y: number, width: number, height: number, as: string): Html =>
  html`<rect x="${px(x)}" y="${px(y)}" width="${px(Math.max(width, 0))}" height="${px(Math.max(height, 0))}" class="${as}"/>`

export const rule = (x1: number, y1: number, x2: number, y2: number, as = 'axis'): Html =>
  html`<line x1="${px(x1)}" y1="${px(y1)}" x2="${px(x2)}" y2="${px(y2)}" class="${as}"/>`

export const shape = (d: string, as: string): Html => html`<path d="${d}" class="${as}"/>`
