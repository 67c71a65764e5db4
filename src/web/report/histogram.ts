import { type Bin, type Histogram, isNumeric, showHistograms } from '../../domain/report/histogram.ts'
import type { ReportDays } from '../../domain/report/queries.ts'
import { percentage, type QuestionStats } from '../../domain/report/question-stats.ts'
import { type Html, html } from '../../lib/html.ts'
import { t } from '../i18n/t.ts'
import { dayText, pluralize } from '../layout/format.ts'
import { deferredView, isDeferred } from './deferred.ts'
import { figure } from './figure.ts'
import { meanText, type Plot } from './plot.ts'
import { chartPath, daysFor, downloadsOf, filterPathOf, type ReportRequest, responseSearch } from './report-request.ts'

export type Histograms = ReadonlyMap<string, Histogram>

/** Returns the path of the page with a question's histogram, relative to the report. */
const histogramPath = (key: string): string => `spread/${encodeURIComponent(key)}/`

export const histogramsFor = (
  { context, survey, design, listQuery }: ReportRequest,
  questionIds: readonly string[],
): Promise<Histograms> => showHistograms(context, survey.id, design, responseSearch(listQuery), questionIds)

/** Returns the histograms of all numeric questions; undefined if the report loads them later. */
export async function immediateHistograms(
  report: ReportRequest,
  questions: readonly QuestionStats[],
): Promise<Histograms | undefined> {
  if (isDeferred(report)) return undefined
  const ids = questions.flatMap(({ question, answered }) => (isNumeric(question) && answered > 0 ? [question.id] : []))
  return histogramsFor(report, ids)
}

/**
 * Returns the label of a bin: its first and last integer if all numbers are integers, otherwise its lower and upper
 * bound. A bin without an upper bound has a label such as “10 or more”.
 */
export function binText({ from, below }: Bin, integersOnly: boolean): string {
  if (below === Number.POSITIVE_INFINITY) return t('{from} or more', { from })
  if (!integersOnly) return `${from}–${below}`
  return below - from === 1 ? String(from) : `${from}–${below - 1}`
}

export function histogramPlot(
  { bins, count, integersOnly }: Histogram,
  questionId: string,
  report: ReportRequest,
): Plot {
  const filterPath = filterPathOf(report)
  const name = encodeURIComponent(questionId)
  return {
    kind: 'columns',
    bars: bins.map((bin) => ({
      label: binText(bin, integersOnly),
      count: bin.count,
      percentage: percentage(bin.count, count),
      href: Number.isFinite(bin.below) ? filterPath(`${name}>=${bin.from}&${name}<${bin.below}`) : undefined,
    })),
  }
}

/** Renders the histogram of a question, with the mean, median and range of the answers. */
export function histogramView(
  report: ReportRequest,
  id: string,
  title: string,
  histogram: Histogram | undefined,
): Html {
  if (!histogram) return html`<p class="soft">None of the answers is a number.</p>`
  const { count, mean, median, min, max } = histogram
  return html`
    <p class="soft">
      ${pluralize(count, 'numeric answer')} · mean ${meanText(mean)}, median ${meanText(median)}, range ${meanText(min)}
      to ${meanText(max)}
    </p>
    ${figure(histogramPlot(histogram, id, report), title, downloadsOf(report, chartPath(id)))}`
}

/**
 * Renders the histogram within the report.
 * @param histograms the histograms; undefined if the report loads them later
 */
export const histogramPart = (
  report: ReportRequest,
  id: string,
  title: string,
  histograms: Histograms | undefined,
): Html =>
  histograms
    ? histogramView(report, id, title, histograms.get(id))
    : deferredView(report, histogramPath(id), t('Distribution of values'))

/** The path of the page with the responses by day, relative to the report. */
export const DAYS_PATH = 'days/'

/** Returns the responses by day; undefined if the report loads them later. */
export const immediateDays = (report: ReportRequest): Promise<ReportDays | undefined> =>
  isDeferred(report) ? Promise.resolve(undefined) : daysFor(report)

/** Renders the line chart of responses by day. */
export function timelineView(report: ReportRequest, { days, timeZone }: ReportDays): Html {
  const [first, last] = [days[0]?.day, days.at(-1)?.day]
  if (!first || !last) return html`<p>No responses yet.</p>`
  return html`
    <p class="soft">
      ${
        first === last
          ? html`On <span class="nowrap">${dayText(first)}</span>`
          : html`
            From <span class="nowrap">${dayText(first)}</span> to <span class="nowrap">${dayText(last)}</span>, by day
            (${timeZone.replaceAll('_', ' ')})`
      }
    </p>
    ${figure({ kind: 'timeline', days, timeZone }, t('Responses by day'), downloadsOf(report, DAYS_PATH))}`
}
