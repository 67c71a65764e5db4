import { problems } from '../../domain/problem.ts'
import { type Bin, type Histogram, numericKeys, showHistograms } from '../../domain/report/histogram.ts'
import type { ReportDays } from '../../domain/report/queries.ts'
import { percentage, type QuestionStats } from '../../domain/report/question-stats.ts'
import type { Question } from '../../domain/structure/questionnaire.ts'
import { type Html, html } from '../../lib/html.ts'
import { t } from '../i18n/t.ts'
import { dayText, pluralize } from '../layout/format.ts'
import { deferredView, isDeferred } from './deferred.ts'
import { figure } from './figure.ts'
import type { Localize } from './localize.ts'
import { meanText, type Plot, quartilesText, spreadText, weightedText } from './plot.ts'
import {
  chartPath,
  daysFor,
  downloadsOf,
  filterPathOf,
  isWeighted,
  type ReportRequest,
  responseSearch,
} from './report-request.ts'

export type Histograms = ReadonlyMap<string, Histogram>

/** Returns the path of the page with a question's histogram, relative to the report. */
const histogramPath = (key: string): string => `spread/${encodeURIComponent(key)}/`

/** @throws {Problem} as `showHistograms`; `question_not_found` if the reader sees published figures only */
export async function histogramsFor(
  { context, survey, design, listQuery, threshold }: ReportRequest,
  keys: readonly string[],
): Promise<Histograms> {
  if (threshold !== undefined) throw problems.questionNotFound()
  return showHistograms(context, survey.id, design, responseSearch(listQuery), keys, {
    weighted: isWeighted({ listQuery }),
  })
}

/** Returns the histograms of all numeric questions; undefined if the report loads them later. */
export async function immediateHistograms(
  report: ReportRequest,
  questions: readonly QuestionStats[],
): Promise<Histograms | undefined> {
  if (isDeferred(report) || report.threshold !== undefined) return undefined
  const ids = questions.flatMap(({ question, answered }) => (answered > 0 ? numericKeys(question) : []))
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
  { bins, count, weighted, integersOnly }: Histogram,
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
      percentage: percentage(bin.weighted ?? bin.count, weighted?.n ?? count),
      href: Number.isFinite(bin.below) ? filterPath(`${name}>=${bin.from}&${name}<${bin.below}`) : undefined,
    })),
  }
}

/** Renders the histogram of a question, with the mean, median and range of the answers. */
function histogramView(report: ReportRequest, id: string, title: string, histogram: Histogram | undefined): Html {
  if (!histogram) return html`<p class="soft">None of the answers is a number.</p>`
  const { count, mean, median, min, max, spread, weighted } = histogram
  return html`
    <p class="soft">
      ${pluralize(count, 'numeric answer')} · mean ${meanText(mean)}, median ${meanText(median)}, range ${meanText(min)}
      to ${meanText(max)}<span>${quartilesText(spread, report.isMember)}${spreadText(spread)}</span
      >${weightedText(weighted)}
    </p>
    ${figure(histogramPlot(histogram, id, report), title, downloadsOf(report, chartPath(id)))}`
}

/** Returns the means of the rows of a grid of numbers, from 0 or the lowest mean to the highest. */
export function meansPlot({ rows, fields }: Question, histograms: Histograms, localize: Localize): Plot {
  const dots = rows.map(({ label }, index) => {
    const { mean = null, count = 0 } = histograms.get(fields[index]!.key) ?? {}
    return { label: localize(label), mean, count }
  })
  const means = dots.flatMap(({ mean }) => mean ?? [])
  return { kind: 'dots', of: 'value', low: Math.min(0, ...means), high: Math.max(0, ...means), dots }
}

/** Renders the numbers of a question: its histogram, or the means of its rows. */
export function numbersView(
  report: ReportRequest,
  question: Question,
  title: string,
  histograms: Histograms,
  localize: Localize,
): Html {
  if (question.rows.length === 0) return histogramView(report, question.id, title, histograms.get(question.id))
  return figure(meansPlot(question, histograms, localize), title, downloadsOf(report, chartPath(question.id)))
}

/**
 * Renders the numbers within the report.
 * @param histograms the histograms; undefined if the report loads them later
 */
export const numbersPart = (
  report: ReportRequest,
  question: Question,
  title: string,
  histograms: Histograms | undefined,
  localize: Localize,
): Html =>
  histograms
    ? numbersView(report, question, title, histograms, localize)
    : deferredView(report, histogramPath(question.id), t('Distribution of values'))

/** The path of the page with the responses by day, relative to the report. */
export const DAYS_PATH = 'days/'

/** Returns the responses by day; undefined if the report loads them later, or does not show them. */
export const immediateDays = (report: ReportRequest): Promise<ReportDays | undefined> =>
  isDeferred(report) || report.threshold !== undefined ? Promise.resolve(undefined) : daysFor(report)

/** A curve of fewer days says nothing that the dates above it do not. */
const MIN_CURVE_DAYS = 3

/** Renders the responses by day, as a line chart from the third day on. */
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
    ${
      days.length >= MIN_CURVE_DAYS &&
      figure({ kind: 'timeline', days, timeZone }, t('Responses by day'), downloadsOf(report, DAYS_PATH))
    }`
}
