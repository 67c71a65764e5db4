import { Problem, problems } from '../../domain/problem.ts'
import { canBeCrossed } from '../../domain/report/cross-table.ts'
import { percentage } from '../../domain/report/question-stats.ts'
import { showTrend, type Trend, type TrendPeriod, type TrendPoint, trendPeriods } from '../../domain/report/trend.ts'
import type { Field, Questionnaire } from '../../domain/structure/questionnaire.ts'
import { type Html, html } from '../../lib/html.ts'
import { typeOf } from '../../questions/index.ts'
import { BASE_PARAMETER, formatFilter } from '../filter/list-query.ts'
import { alert, errorSentence } from '../forms/field.ts'
import { errorText } from '../i18n/error-texts.ts'
import { pageLocale } from '../i18n/page-locale.ts'
import { t } from '../i18n/t.ts'
import { dayText, pluralize } from '../layout/format.ts'
import type { PageResult } from '../page.ts'
import { fieldText } from './cross-table.ts'
import { chartImage, csvFile, fileName } from './downloads.ts'
import { figure } from './figure.ts'
import { type Localize, localizerFor } from './localize.ts'
import type { TrendMark, TrendPlot } from './plot.ts'
import { type ReportRequest, reportPath, responseSearch } from './report-request.ts'

/** The path of the page, relative to the report. */
export const TREND_PATH = 'trend/'

/** What the URL of the page chooses. */
export interface TrendChoice {
  question: string | null
  by: TrendPeriod
  /** `mean`, `nps`, or the position of a choice whose share is shown; null: the first that the question has. */
  show: string | null
}

/** Reads the choice in the query of the page. */
export const readTrend = (query: URLSearchParams): TrendChoice => ({
  question: query.get('view-question') || null,
  by: trendPeriods.find((one) => one === query.get('view-period')) ?? 'week',
  show: query.get('view-show') || null,
})

/** Renders the form and, if a question is chosen, its answers over time. */
export async function trendContent(
  report: ReportRequest,
  q: Questionnaire,
  choice: TrendChoice,
): Promise<{ content: Html; status: number }> {
  const localize = localizerFor(q, report.listQuery.language)
  const form = (field?: Field) => formView(report, q, { choice, localize, field })
  if (!choice.question) return { content: form(), status: 200 }
  try {
    const trend = await trendFor(report, choice)
    const plot = plotOf(trend, choice, localize)
    const title = titleOf(trend.field, choice, localize)
    const note = {
      day: t('By day ({zone}), with 95% intervals', { zone: trend.timeZone.replaceAll('_', ' ') }),
      week: t('By week from Monday ({zone}), with 95% intervals', { zone: trend.timeZone.replaceAll('_', ' ') }),
      wave: t('By collector, with 95% intervals'),
    }[trend.by]
    const downloads = {
      svg: trendPath(report, 'chart.svg', choice),
      png: trendPath(report, 'chart.png', choice),
      slide: trendPath(report, 'slide.png', choice),
      csv: trendPath(report, 'numbers.csv', choice),
    }
    return {
      content: html`${form(trend.field)}<section class="card" aria-labelledby="trend">
        <h2 id="trend" lang="${localize.language}">${title}</h2>
        ${
          plot.points.length === 0
            ? html`<p class="soft">No answers</p>`
            : html`<p class="soft">${note}</p>${figure(plot, title, downloads)}`
        }
      </section>`,
      status: 200,
    }
  } catch (error) {
    if (!(error instanceof Problem) || error.kind !== 'invalid') throw error
    const names: Record<string, string> = { question: t('Question'), by: t('Period') }
    const texts = error.errors.map((one) => errorSentence(names[one.field] ?? one.field, errorText(one)))
    return { content: html`${form()}${alert(texts.join(' '))}`, status: 422 }
  }
}

const trendFor = ({ context, survey, design, listQuery }: ReportRequest, { question, by }: TrendChoice) =>
  showTrend(context, survey.id, design, responseSearch(listQuery), {
    question: question ?? '',
    by,
    timeZone: pageLocale().timeZone,
  })

/** Returns what can be shown of a field: its score, its mean, and the share of each choice. */
function measuresOf({ type, choices, question }: Field, localize: Localize): { value: string; label: string }[] {
  const isScored =
    type === 'number' ||
    choices.length === 0 ||
    (type === 'single' && choices.some(({ index, score }) => score !== index + 1))
  return [
    ...(typeOf(question.kind)?.promoters ? [{ value: 'nps', label: t('Net promoter score') }] : []),
    ...(isScored ? [{ value: 'mean', label: t('Mean') }] : []),
    ...choices.map(({ index, label }) => ({
      value: String(index),
      label: t('Share of “{label}”', { label: localize(label) || String(index) }),
    })),
  ]
}

function measureOf(field: Field, { show }: TrendChoice, localize: Localize): { value: string; label: string } {
  const measures = measuresOf(field, localize)
  return measures.find(({ value }) => value === show) ?? measures[0] ?? { value: 'mean', label: t('Mean') }
}

const titleOf = (field: Field, choice: TrendChoice, localize: Localize): string =>
  `${fieldText(field, localize)} – ${measureOf(field, choice, localize).label}`

function plotOf({ field, by, points }: Trend, choice: TrendChoice, localize: Localize): TrendPlot {
  const { value: measure } = measureOf(field, choice, localize)
  const markOf = (point: TrendPoint): TrendMark => {
    const base = { label: labelOf(point), at: Date.parse(`${point.from}T00:00:00Z`), count: point.answered }
    if (measure === 'nps') {
      const { score = null, interval = null } = point.nps ?? {}
      return { ...base, value: score, low: interval?.[0] ?? null, high: interval?.[1] ?? null }
    }
    if (measure === 'mean') {
      const { mean = null, interval = null } = point.mean ?? {}
      return { ...base, value: mean, low: interval?.[0] ?? null, high: interval?.[1] ?? null }
    }
    const { count = 0, interval = null } = point.choices.find(({ choice: one }) => String(one.index) === measure) ?? {}
    const value = percentage(count, point.answered)
    return { ...base, value, low: interval?.[0] ?? null, high: interval?.[1] ?? null }
  }
  return {
    kind: 'trend',
    of: measure === 'nps' ? 'score' : measure === 'mean' ? 'mean' : 'share',
    by,
    points: points.map(markOf),
  }
}

const labelOf = ({ from, wave }: TrendPoint): string => (wave ? (wave.name ?? t('Deleted collector')) : dayText(from))

function formView(
  report: ReportRequest,
  q: Questionnaire,
  { choice, localize, field }: { choice: TrendChoice; localize: Localize; field: Field | undefined },
): Html {
  const { language } = report.listQuery
  const { questions } = report.design
  const fields = q.fields.filter((one) => canBeCrossed(one) && (!questions || questions.includes(one.question.id)))
  const menu = (name: string, label: string, options: { value: string; label: string }[], selected: string | null) =>
    html`<div class="wide">
      <label for="${name}">${label}</label>
      <select class="box" id="${name}" name="view-${name}">
        ${options.map(
          ({ value, label }) =>
            html`<option value="${value}"${value === selected && html` selected`}>${label}</option>`,
        )}
      </select>
    </div>`
  return html`<form method="get" action="${report.basePath}${TREND_PATH}" class="form-row" aria-label="Trend">
    <input type="hidden" name="${BASE_PARAMETER}" value="${formatFilter(report.listQuery)}">
    ${language && html`<input type="hidden" name="view-language" value="${language}">`}
    ${menu(
      'question',
      t('Question'),
      [
        { value: '', label: t('Choose a question') },
        ...fields.map((one) => ({ value: one.key, label: fieldText(one, localize) })),
      ],
      choice.question,
    )}
    ${menu(
      'period',
      t('Period'),
      [
        { value: 'day', label: t('Day') },
        { value: 'week', label: t('Week') },
        { value: 'wave', label: t('Wave (collector)') },
      ],
      choice.by,
    )}
    ${field && menu('show', t('Show'), measuresOf(field, localize), measureOf(field, choice, localize).value)}
    <button class="primary">Show trend</button>
  </form>`
}

/** Returns the address of the page or of its file. */
function trendPath(report: ReportRequest, file: string, { question, by, show }: TrendChoice): string {
  const path = reportPath(report, TREND_PATH + file)
  const view = new URLSearchParams({ 'view-question': question ?? '', 'view-period': by })
  if (show !== null) view.set('view-show', show)
  return `${path}${path.includes('?') ? '&' : '?'}${view}`
}

/**
 * Returns the chart, or all figures of the trend as CSV, with a line for each period and choice.
 * @throws {Problem} as `showTrend`; `report_not_found` for an unknown format
 */
export async function trendFile(report: ReportRequest, choice: TrendChoice, format: string): Promise<PageResult> {
  const trend = await trendFor(report, choice)
  const localize = localizerFor(trend.questionnaire, report.listQuery.language)
  const title = titleOf(trend.field, choice, localize)
  if (format !== 'numbers.csv') {
    const plot = plotOf(trend, choice, localize)
    if (plot.points.length === 0) throw problems.questionNotFound()
    const total = trend.points.reduce((sum, { answered }) => sum + answered, 0)
    return chartImage(report, format, plot, { title, note: pluralize(total, 'answer') })
  }
  const head = ['from', 'collector', 'answered', 'mean', 'standard_deviation', 'mean_low', 'mean_high']
  const lines = trend.points.flatMap(({ from, wave, answered, mean, nps, choices }) => {
    const [meanLow, meanHigh] = mean?.interval ?? []
    const means = [mean?.mean, mean?.deviation, meanLow, meanHigh, nps?.score, nps?.interval?.[0], nps?.interval?.[1]]
    const period = [from, wave && (wave.name ?? wave.id), answered]
    const [none, ...shares] = [
      [...period, ...means, '', '', '', '', ''],
      ...choices.map(({ choice: one, count, interval }) => [
        ...[...period, ...means.map(() => ''), localize(one.label), count, percentage(count, answered)],
        ...[interval?.[0], interval?.[1]],
      ]),
    ]
    return [none!, ...shares]
  })
  const more = ['nps', 'nps_low', 'nps_high', 'answer', 'count', 'percentage', 'percentage_low', 'percentage_high']
  return csvFile([[...head, ...more], ...lines], fileName(fieldText(trend.field, localize), 'csv'))
}
