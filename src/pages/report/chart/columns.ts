import { scaleBand, scaleLinear } from 'd3-scale'
import { html } from '../../../lib/html.ts'
import { type Bar, percentText } from '../plot.ts'
import { box, type Drawing, label, lines, rule, SMALL } from './drawing.ts'
import { widthOf, wrapped } from './text-fit.ts'

const PLOT = 190
const HEAD = 22
const AXIS = 46
const MOST_LINES = 3

/** A histogram: upright columns from zero in the order given, with their share above and what they stand for below. */
export function drawColumns(bars: readonly Bar[], width: number): Drawing {
  const band = scaleBand(
    bars.map((_, at) => String(at)),
    [AXIS, width],
  )
    .paddingInner(0.18)
    .paddingOuter(0.1)
  const most = Math.max(1, ...bars.map((bar) => bar.percentage))
  const height = scaleLinear([0, most], [0, PLOT]).nice(4)
  const foot = HEAD + PLOT
  const texts = bars.map((bar) => wrapped(bar.label, Math.max(band.step() - 4, 8), SMALL, MOST_LINES))
  const under = 10 + Math.max(1, ...texts.map((text) => text.length)) * 20
  const roomy = bars.every((bar) => widthOf(shareOf(bar), SMALL) <= band.step())
  return {
    width,
    height: foot + under,
    marks: html`${height
      .ticks(4)
      .map(
        (tick) =>
          html`${rule(AXIS, foot - height(tick), width, foot - height(tick), tick === 0 ? 'axis' : 'grid')}${label(AXIS - 8, foot - height(tick) + 4, percentText(tick), { as: 'soft', anchor: 'end', size: SMALL })}`,
      )}${bars.map((bar, at) => {
      const x = band(String(at))!
      const middle = x + band.bandwidth() / 2
      const tall = bar.count > 0 ? Math.max(height(bar.percentage), 2) : 0
      return html`${box(x, foot - tall, band.bandwidth(), tall, 'mark')}${
        roomy && label(middle, foot - tall - 6, shareOf(bar), { as: 'strong', anchor: 'middle', size: SMALL })
      }${lines(middle, foot + 18, texts[at]!, { anchor: 'middle', size: SMALL })}`
    })}`,
    areas: bars.flatMap((bar, at) =>
      bar.href
        ? [
            {
              x: band(String(at))!,
              y: HEAD / 2,
              width: band.bandwidth(),
              height: foot + under - HEAD / 2,
              href: bar.href,
              label: `Only ${bar.label}`,
            },
          ]
        : [],
    ),
  }
}

/** Whole percents where there is little room. */
const shareOf = (bar: Bar) => percentText(Math.round(bar.percentage))
