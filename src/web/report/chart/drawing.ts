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
type Anchor = 'start' | 'middle' | 'end'

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
  html`<text x="${px(x)}" y="${px(y)}" class="${as}"
      font-size="${size}"${anchor !== 'start' && html` text-anchor="${anchor}"`}>${text}</text>`

/** Draws lines of text, one below the other. */
export const lines = (x: number, y: number, texts: readonly string[], options: TextOptions = {}): Html =>
  html`${texts.map((text, at) => label(x, y + at * LINE, text, options))}`

export const box = (x: number, y: number, width: number, height: number, as: string): Html =>
  html`
    <rect x="${px(x)}" y="${px(y)}" width="${px(Math.max(width, 0))}" height="${px(Math.max(height, 0))}"
        class="${as}"/>`

export const rule = (x1: number, y1: number, x2: number, y2: number, as = 'axis'): Html =>
  html`<line x1="${px(x1)}" y1="${px(y1)}" x2="${px(x2)}" y2="${px(y2)}" class="${as}"/>`

export const shape = (d: string, as: string): Html => html`<path d="${d}" class="${as}"/>`

/**
 * Widths of characters relative to the font size. They are rounded up, because the font that the browser will use is
 * unknown.
 */
const widths: readonly [RegExp, number][] = [
  [/[ᄀ-ᅟ⺀-꓏가-힣豈-﫿︰-﹏＀-｠￠-￦]|\p{Extended_Pictographic}/u, 1],
  [/[\p{Mn}\u200b-\u200f]/u, 0],
  [/[ijl.,:;|!'’`()[\]{}\s]/u, 0.38],
  [/[mwMW%@&—]/u, 0.95],
  [/\p{Lu}/u, 0.72],
]
const DEFAULT_WIDTH = 0.62

/** Returns the estimated width of a text in pixels. */
export function widthOf(text: string, size: number): number {
  let width = 0
  for (const character of text) width += widths.find(([pattern]) => pattern.test(character))?.[1] ?? DEFAULT_WIDTH
  return width * size
}

/** Returns a text that fits a width in pixels. A text that is too long is truncated and ends with an ellipsis. */
export function truncateToWidth(text: string, width: number, size: number): string {
  if (widthOf(text, size) <= width) return text
  let room = width - widthOf('…', size)
  let clippedText = ''
  for (const character of text) {
    room -= widthOf(character, size)
    if (room < 0) break
    clippedText += character
  }
  return `${clippedText.trimEnd()}…`
}

/**
 * Breaks a text at spaces into lines that fit a width in pixels. Breaks inside a word only if the word alone is too
 * long for a line.
 * @param maxLines the maximum number of lines; a longer text ends with an ellipsis
 */
export function wrapText(text: string, width: number, size: number, maxLines: number): string[] {
  const words = text.trim().split(/\s+/)
  const lines: string[] = []
  let line = ''
  while (words.length > 0) {
    const word = words[0]!
    const longer = line ? `${line} ${word}` : word
    if (widthOf(longer, size) <= width) {
      line = longer
      words.shift()
    } else if (lines.length === maxLines - 1) {
      return [...lines, truncateToWidth(longer, width, size).replace(/…?$/, '…')]
    } else if (line) {
      lines.push(line)
      line = ''
    } else {
      const [head, tail] = splitWord(word, width, size)
      lines.push(head)
      words[0] = tail
    }
  }
  return [...lines, line]
}

/**
 * Splits a word that is too long for a line. The first part has at least one character, even if that character is too
 * wide.
 */
function splitWord(word: string, width: number, size: number): [string, string] {
  const characters = Array.from(word)
  let end = 1
  while (end < characters.length - 1 && widthOf(characters.slice(0, end + 1).join(''), size) <= width) end += 1
  return [characters.slice(0, end).join(''), characters.slice(end).join('')]
}

/** Number of fills from light to dark in the style sheet: `r0` to `r8`. */
const STEPS = 9
/** The last step with a light fill, on which the text is dark. */
const LAST_LOW = 4

/** Returns the step for one of `count` ordered fills. The first fill is the lightest. */
export const stepOf = (index: number, count: number): number =>
  count < 2 ? STEPS - 3 : Math.round((index * (STEPS - 1)) / (count - 1))

/** Returns the CSS classes of a fill and of the text on the fill. */
export const fillOf = (index: number, count: number): { fill: string; text: string } => {
  const step = stepOf(index, count)
  return { fill: `part r${step}`, text: step <= LAST_LOW ? 'low' : 'high' }
}

const SWATCH_PX = 14
const GAP_PX = 18

/** Draws the legend that explains the fills. Its entries are broken into rows that fit the width of the drawing. */
export function drawLegend(labels: readonly string[], width: number): { marks: Html; height: number } {
  let [x, y, rowHeight] = [0, 0, 0]
  const marks = labels.map((text, at) => {
    const room = width - SWATCH_PX - 6
    const texts = wrapText(text, room, SMALL, 3)
    const entryWidth = SWATCH_PX + 6 + Math.max(...texts.map((line) => widthOf(line, SMALL)))
    if (x > 0 && x + entryWidth > width) {
      x = 0
      y += rowHeight
      rowHeight = 0
    }
    const mark = html`
      ${box(x, y + 2, SWATCH_PX, SWATCH_PX, fillOf(at, labels.length).fill)}
      ${lines(x + SWATCH_PX + 6, y + 14, texts, { size: SMALL, as: 'soft' })}`
    x += entryWidth + GAP_PX
    rowHeight = Math.max(rowHeight, texts.length * LINE)
    return mark
  })
  return { marks: html`${marks}`, height: y + rowHeight }
}
