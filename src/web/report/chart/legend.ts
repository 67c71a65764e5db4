import { type Html, html } from '../../../lib/html.ts'
import { box, LINE, lines, SMALL } from './drawing.ts'
import { fillOf } from './ramp.ts'
import { widthOf, wrapText } from './text-fit.ts'

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
    const mark = html`${box(x, y + 2, SWATCH_PX, SWATCH_PX, fillOf(at, labels.length).fill)}${lines(x + SWATCH_PX + 6, y + 14, texts, { size: SMALL, as: 'soft' })}`
    x += entryWidth + GAP_PX
    rowHeight = Math.max(rowHeight, texts.length * LINE)
    return mark
  })
  return { marks: html`${marks}`, height: y + rowHeight }
}
