import { isNumeric } from '../../domain/report/histogram.ts'
import type { ReportResults } from '../../domain/report/queries.ts'
import type { FieldStats, QuestionStats } from '../../domain/report/question-stats.ts'
import { chartsFor } from '../../domain/report/report.ts'
import { type Html, html, type Part } from '../../lib/html.ts'
import { t } from '../i18n/t.ts'
import { plotOf } from './chart-data.ts'
import { figure } from './figure.ts'
import { type Histograms, histogramPart } from './histogram.ts'
import type { Localize } from './localize.ts'
import { countText, meanText, type Plot } from './plot.ts'
import { chartPath, downloadsOf, filterPathOf, type ReportRequest } from './report-request.ts'
import { recentAnswersView } from './text-answers.ts'

/** Returns the chart data of a question in this report; undefined for a question without choices. */
export function plotFor(stats: QuestionStats, report: ReportRequest, localize: Localize): Plot | undefined {
  const { question } = stats
  const kinds = chartsFor(question)
  const selected = report.design.charts[question.id]
  const kind = selected && kinds.includes(selected) ? selected : kinds[0]
  return plotOf(stats, kind, localize, filterPathOf(report))
}

/** Returns the title of a question, or its ID if it has no title. */
export const questionTitle = ({ question }: Pick<QuestionStats, 'question'>, localize: Localize): string =>
  localize(question.title) || question.id

/** Renders a question: the number of answers, the mean, the chart, and recent text answers. */
export function questionView(
  stats: QuestionStats,
  number: number,
  report: ReportRequest,
  { localize, latest, histograms }: QuestionData,
): Html {
  const { question, answered, fields } = stats
  const title = questionTitle(stats, localize)
  const plot = answered > 0 ? plotFor(stats, report, localize) : undefined
  return html`<section class="card question" aria-labelledby="question-${number}"><h2 id="question-${number}" lang="${localize.language}">${title}</h2>
<p class="soft">${answeredText(answered)}${meansText(fields)}</p>
${plot && figure(plot, title, downloadsOf(report, chartPath(question.id)))}${answered > 0 && isNumeric(question) && histogramPart(report, question.id, title, histograms)}
${fields.map((field) => textAnswersPart(field, title, report, { localize, latest, histograms }))}</section>`
}

/** The data of a report's questions. */
export interface QuestionData {
  localize: Localize
  latest: ReportResults['recentAnswers']
  /** The histograms; undefined if the report loads them later. */
  histograms: Histograms | undefined
}

const answeredText = (answered: number) =>
  answered === 0
    ? t('No answers')
    : answered === 1
      ? t('1 answer')
      : t('{value} answers', { value: countText(answered) })

/** Returns the mean and median of a question without rows, as text. */
function meansText(fields: readonly FieldStats[]): string {
  const [first] = fields
  if (!first || first.row || first.mean === undefined || first.mean === null || !isScored(first)) return ''
  return t(' · mean {value}, median {value2}', { value: meanText(first.mean), value2: meanText(first.median ?? null) })
}

/**
 * Returns whether the mean of a question is meaningful. It is not if choices have no explicit scores, because the
 * choices may have no order.
 */
const isScored = ({ field: { type, choices } }: FieldStats): boolean =>
  type === 'number' || (type === 'single' && choices.some(({ index, score }) => score !== index + 1))

function textAnswersPart(
  { field, row, answered, choices }: FieldStats,
  title: string,
  report: ReportRequest,
  { localize, latest }: QuestionData,
): Part {
  if (choices || answered === 0 || field.part || field.type === 'decimal') return null
  const name = row ? localize(row.label) : field.type === 'other' ? t('Other answers') : undefined
  const heading = name && html`<h3>${name}</h3>`
  return html`${heading}${recentAnswersView(field, { answered, latest: latest.get(field.storedKey) ?? [], title: name ? `${title}: ${name}` : title }, report)}`
}
