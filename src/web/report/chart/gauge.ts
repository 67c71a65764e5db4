import { scaleLinear } from 'd3-scale'
import { arc } from 'd3-shape'
import { html } from '../../../lib/html.ts'
import { type Bar, countText, percentText, scoreText } from '../plot.ts'
import { box, type Drawing, LINE, label, SMALL, shape, TEXT } from './drawing.ts'
import { fillOf } from './ramp.ts'
import { drawParts } from './stacked.ts'

const RADIUS_PX = 120
const BAND_PX = 26
const BAR_PX = 30
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
    marks: html`<g transform="translate(${middle} ${foot})">${shape(band(-100, 100), 'track')}${score !== null && shape(band(0, score), 'mark')}${
      score !== null &&
      html`<line x1="${x1.toFixed(2)}" y1="${y1.toFixed(2)}" x2="${x2.toFixed(2)}" y2="${y2.toFixed(2)}" class="needle"/>`
    }${label(0, -8, scoreText(score), { as: 'strong', anchor: 'middle', size: 40 })}${label(-RADIUS_PX + BAND_PX / 2, 18, '−100', { as: 'soft', anchor: 'middle', size: SMALL })}${label(RADIUS_PX - BAND_PX / 2, 18, '+100', { as: 'soft', anchor: 'middle', size: SMALL })}</g>
${bar.marks}${parts.map((part, at) => {
  const y = top + BAR_PX + 8 + at * ENTRY_PX
  return html`${box(0, y + 2, 14, 14, fillOf(at, parts.length).fill)}${label(20, y + 14, part.label, { size: TEXT })}${label(width, y + 14, `${percentText(part.percentage)} · ${countText(part.count)}`, { as: 'soft', anchor: 'end' })}`
})}`,
    areas: bar.areas,
  }
}
