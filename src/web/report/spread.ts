import { asksNumbers, type Spread, showSpreads } from '../../domain/report/histogram.ts'
import type { QuestionStats } from '../../domain/report/question-stats.ts'
import { percentage } from '../../domain/report/stats.ts'
import { type Html, html } from '../../lib/html.ts'
import { isLate, lateView } from './deferred.ts'
import { figure } from './figure.ts'
import { countText, meanText, type Plot } from './plot.ts'
import { downloadsOf, narrowing, type ReportRequest, searchFor } from './report-request.ts'

export type Spreads = ReadonlyMap<string, Spread>

/** The path of the page that shows how the numbers under a key are spread. */
export const spreadPath = (key: string): string => `spread/${encodeURIComponent(key)}/`

export const spreadsFor = (looking: ReportRequest, keys: readonly string[]): Promise<Spreads> =>
  showSpreads(looking.context, looking.survey.id, looking.design, searchFor(looking), keys)

/** The spreads of all questions that ask for numbers, unless counting them would keep the reader waiting. */
export async function spreadsInTime(
  looking: ReportRequest,
  questions: readonly QuestionStats[],
): Promise<Spreads | undefined> {
  if (isLate(looking)) return undefined
  const keys = questions.filter(({ question, answered }) => asksNumbers(question) && answered > 0)
  return spreadsFor(
    looking,
    keys.map(({ question }) => question.id),
  )
}

/** Whole numbers are told by the first and the last of a bin, others by where it begins and ends. */
function binText({ from, below }: Spread['bins'][number], whole: boolean): string {
  if (below === Number.POSITIVE_INFINITY) return `${from} or more`
  if (!whole) return `${from}–${below}`
  return below - from === 1 ? String(from) : `${from}–${below - 1}`
}

/** A histogram of numbers that were written. */
export function spreadPlot({ bins, count, whole }: Spread, key: string, looking: ReportRequest): Plot {
  const narrow = narrowing(looking)
  const name = encodeURIComponent(key)
  return {
    kind: 'columns',
    bars: bins.map((bin) => ({
      label: binText(bin, whole),
      count: bin.count,
      percentage: percentage(bin.count, count),
      href: Number.isFinite(bin.below) ? narrow(`${name}>=${bin.from}&${name}<${bin.below}`) : undefined,
    })),
  }
}

/** How the numbers that were written are spread, or where that is shown. */
export function spreadView(looking: ReportRequest, id: string, title: string, spread: Spread | undefined): Html {
  if (!spread) return html`<p class="soft">No answers are numbers.</p>`
  const { count, mean, median, min, max } = spread
  return html`<p class="soft">${countText(count)} ${count === 1 ? 'value' : 'values'} · mean ${meanText(mean)}, median ${meanText(median)}, range ${meanText(min)} to ${meanText(max)}</p>
${figure(spreadPlot(spread, id, looking), title, downloadsOf(looking, id))}`
}

/** The same in its place in the report. @param spreads absent: they are to be counted yet */
export const spreadPart = (looking: ReportRequest, id: string, title: string, spreads: Spreads | undefined): Html =>
  spreads
    ? spreadView(looking, id, title, spreads.get(id))
    : lateView(looking, spreadPath(id), 'Distribution of values')
