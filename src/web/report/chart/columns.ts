import { scaleBand, scaleLinear } from 'd3-scale'
import { html } from '../../../lib/html.ts'
import { t } from '../../i18n/t.ts'
import { type Bar, percentText } from '../plot.ts'
import { box, type Drawing, label, lines, rule, SMALL } from './drawing.ts'
import { widthOf, wrapText } from './text-fit.ts'

const PLOT_PX = 190
const TOP_PX = 22
const AXIS_PX = 46
const MAX_LABEL_LINES = 3
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
    at % every === 0 ? wrapText(bar.label, band.step() * every - 4, SMALL, MAX_LABEL_LINES) : [],
  )
  const under = 10 + Math.max(1, ...texts.map((text) => text.length)) * 20
  const roomy = bars.every((bar) => widthOf(shareOf(bar), SMALL) <= band.step())
  return {
    width,
    height: baseline + under,
    marks: html`${height
      .ticks(4)
      .map(
        (tick) =>
          html`${rule(AXIS_PX, baseline - height(tick), width, baseline - height(tick), tick === 0 ? 'axis' : 'grid')}${label(AXIS_PX - 8, baseline - height(tick) + 4, percentText(tick), { as: 'soft', anchor: 'end', size: SMALL })}`,
      )}${bars.map((bar, at) => {
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
