import { problems } from '../../domain/problem.ts'
import { isNumeric, numericKeys } from '../../domain/report/histogram.ts'
import { type ReportDays, type ReportResults, WITH_ALL } from '../../domain/report/queries.ts'
import type { FieldStats, QuestionStats, WeightedBase } from '../../domain/report/question-stats.ts'
import { chartsFor } from '../../domain/report/report.ts'
import { describeSurvey } from '../../domain/survey/queries.ts'
import { type Html, html, type Part } from '../../lib/html.ts'
import { t } from '../i18n/t.ts'
import { pluralize } from '../layout/format.ts'
import { codingPlot, plotOf } from './chart-data.ts'
import { deferredView, type StandalonePage, standalonePage } from './deferred.ts'
import { figure } from './figure.ts'
import { DAYS_PATH, type Histograms, histogramsFor, numbersPart, numbersView, timelineView } from './histogram.ts'
import { type Localize, localizerFor } from './localize.ts'
import { countText, effectiveText, meanText, type Plot, quartilesText, spreadText, weightedText } from './plot.ts'
import {
  chartPath,
  daysFor,
  downloadsOf,
  filterPathOf,
  isFiltered,
  type ReportRequest,
  reportPath,
  type resultsFor,
} from './report-request.ts'
import { recentAnswersView, type ShownText } from './text-answers.ts'

interface ReportData {
  results: Awaited<ReturnType<typeof resultsFor>>
  /** The responses by day; undefined if the report loads them later, or does not show them. */
  days: ReportDays | undefined
  histograms: Histograms | undefined
  localize: Localize
}

/** Renders a report: the number of responses, the responses by day, and each question. */
export function reportContent(report: ReportRequest, { results, days, histograms, localize }: ReportData): Html {
  const { responses, weighted, questions, recentAnswers, texts } = results
  if (responses.total === 0 && report.threshold !== undefined) return tooFewView(report.threshold)
  if (responses.total === 0) return html`<section class="card"><h2>No responses</h2>${emptyView(report)}</section>`
  const latest = texts ?? recentAnswers
  return html`
    ${summaryView(report, responses, { weighted, days })}
    ${questions.length === 0 && html`<section class="card"><p>This survey has no questions yet.</p></section>`}
    ${questions.map((stats, index) => questionView(stats, index + 1, report, { localize, latest, histograms }))}`
}

const tooFewView = (threshold: number): Html =>
  html`<section class="card">
    <h2>${t('Fewer than {threshold} responses', { threshold })}</h2>
    <p>
      ${t('To protect respondents, the report shows figures only from {threshold} responses on.', { threshold })}
    </p>
  </section>`

/** Tells readers who may not view responses how the figures of the report are rounded. */
const roundingView = (threshold: number | undefined): Part =>
  threshold !== undefined &&
  html`<p class="soft">
    ${t(
      'To protect respondents, numbers are rounded down to multiples of {threshold}, and 0 means fewer than {threshold}. The report changes when at least {threshold} responses have been added or deleted.',
      { threshold },
    )}
  </p>`

function emptyView(report: ReportRequest): Part {
  const { isMember, survey, design } = report
  if (isFiltered(report)) return html`<p>No responses match these filters. Remove a filter to see more responses.</p>`
  if (design.query !== '') return html`<p>No responses match this report’s filter.</p>`
  if (!isMember) return html`<p>No complete responses yet.</p>`
  if (survey.responses > 0)
    return html`<p>No complete responses yet. <a href="${withAllPath(report)}">Include all responses</a></p>`
  return html`<p>No responses yet. ${
    survey.live
      ? html`Charts appear after the first response. <a href="/account/surveys/${survey.id}/">Get the survey link</a>`
      : html`The survey is closed. <a href="/account/surveys/${survey.id}/">Open it</a> to collect responses.`
  }</p>`
}

const withAllPath = (report: ReportRequest): string =>
  reportPath(report, '', { conditions: [...report.listQuery.conditions, WITH_ALL] })

/**
 * Renders the note that only complete responses are counted. For readers with access to the survey, the note has a link
 * to the report that includes the others.
 */
function onlyCompleteView(report: ReportRequest): Part {
  const { isMember, listQuery, design } = report
  if ([...listQuery.conditions, ...design.query.split('&')].some((pair) => /^_completed/.test(pair))) return null
  return html`<p class="soft">Only complete responses are included.${
    isMember && html` <a class="on-screen" href="${withAllPath(report)}">Include all responses</a>`
  }</p>`
}

function summaryView(
  report: ReportRequest,
  { total, complete, incomplete, terminated }: ReportResults['responses'],
  { weighted, days }: { weighted: WeightedBase | undefined; days: ReportData['days'] },
): Html {
  const parts = [
    { count: complete, text: t('{value} complete', { value: countText(complete) }) },
    { count: incomplete, text: t('{value} incomplete', { value: countText(incomplete) }) },
    { count: terminated, text: t('{value} screened out', { value: countText(terminated) }) },
  ]
  return html`<section class="card" aria-labelledby="summary">
    <h2 id="summary">${pluralize(total, 'response')}</h2>
    <p class="soft">
      ${parts
        .filter(({ count }) => count > 0)
        .map(({ text }) => text)
        .join(', ')}
      ${!report.survey.live && t(' · survey closed')}
    </p>
    ${onlyCompleteView(report)}
    ${roundingView(report.threshold)}
    ${weighted && weightedView(weighted)}
    ${report.threshold === undefined && dayPart(report, days)}
  </section>`
}

/** Tells which figures of the report are weighted. */
const weightedView = (base: WeightedBase): Html =>
  html`<p class="soft">
    ${t(
      'Percentages, means, medians, ranks and scores are weighted; numbers of responses are not. Intervals use the effective number of responses (Kish), {value}.',
      { value: effectiveText(base) },
    )}
  </p>`

const dayPart = (report: ReportRequest, days: ReportData['days']): Html =>
  days ? timelineView(report, days) : deferredView(report, DAYS_PATH, t('Responses by day'))

/** Returns the page with the responses by day. */
export async function daysPage(report: ReportRequest): Promise<StandalonePage> {
  return standalonePage(report, t('Responses by day'), timelineView(report, await daysFor(report)))
}

/**
 * Returns the page with the histogram of a question.
 * @throws {Problem} `question_not_found`
 */
export async function histogramPage(report: ReportRequest, id: string): Promise<StandalonePage> {
  const { questionnaire: q } = await describeSurvey(report.context, report.survey.id)
  const question = q.byId.get(id)
  if (!question) throw problems.questionNotFound()
  const keys = numericKeys(question)
  const histograms = await histogramsFor(report, keys.length > 0 ? keys : [id])
  const localize = localizerFor(q, report.listQuery.language)
  const title = localize(question.title) || id
  return standalonePage(report, title, numbersView(report, question, title, histograms, localize))
}

/** Returns the chart data of a question in this report; undefined for a question without choices. */
export function plotFor(stats: QuestionStats, report: ReportRequest, localize: Localize): Plot | undefined {
  const { question } = stats
  const kinds = chartsFor(question)
  const selected = report.design.charts[question.id]
  const kind = selected && kinds.includes(selected) ? selected : kinds[0]
  const [first] = stats.fields
  if (first?.coding && !first.row) return codingPlot(first.coding)
  return plotOf(stats, kind, localize, filterPathOf(report))
}

/** Returns the title of a question, or its ID if it has no title. */
export const questionTitle = ({ question }: Pick<QuestionStats, 'question'>, localize: Localize): string =>
  localize(question.title) || question.id

/** Renders a question: the number of answers, the mean, the chart, and recent text answers. */
function questionView(
  stats: QuestionStats,
  number: number,
  report: ReportRequest,
  { localize, latest, histograms }: QuestionData,
): Html {
  const { question, answered, fields } = stats
  const title = questionTitle(stats, localize)
  const hasNumbers = answered > 0 && isNumeric(question) && report.threshold === undefined
  const isHidden = report.threshold !== undefined && fields.every(hasNoCount)
  const plot = answered > 0 && (!isHidden || fields[0]?.coding) ? plotFor(stats, report, localize) : undefined
  return html`<section class="card question" aria-labelledby="question-${number}">
    <h2 id="question-${number}" lang="${localize.language}">${title}</h2>
    <p class="soft">${answeredText(answered, report.threshold)}${weightedText(stats.weighted)}${meansText(
      fields,
      report.isMember,
    )}</p>
    ${
      isHidden &&
      answered > 0 &&
      question.choices.length > 0 &&
      html`<p class="soft">${t('Each answer was given by fewer than {threshold} people.', {
        threshold: report.threshold!,
      })}</p>`
    }
    ${fields[0]?.coding && !fields[0].row && codingText(fields[0])}
    ${plot && figure(plot, title, downloadsOf(report, chartPath(question.id)))}
    ${hasNumbers && numbersPart(report, question, title, histograms, localize)}
    ${fields.map((field) => textAnswersPart(field, title, report, { localize, latest, histograms }))}
  </section>`
}

const hasNoCount = ({ choices = [] }: FieldStats) => choices.every(({ count }) => count === 0)

/** The data of a report's questions. */
interface QuestionData {
  localize: Localize
  /** Text answers by stored key. */
  latest: ReadonlyMap<string, readonly ShownText[]>
  /** The histograms; undefined if the report loads them later. */
  histograms: Histograms | undefined
}

const answeredText = (answered: number, threshold: number | undefined) =>
  answered === 0
    ? threshold === undefined
      ? t('No answers')
      : t('Too few answers to show')
    : answered === 1
      ? t('1 answer')
      : t('{value} answers', { value: countText(answered) })

/** Tells how many text answers are coded. */
function codingText({ answered, coding }: FieldStats): Html {
  const values = { coded: countText(coding!.coded), answered: countText(answered) }
  return html`<p class="soft">
    ${t(
      '{coded} of {answered} answers are coded. Percentages are shares of the coded answers; an answer can be in several categories.',
      values,
    )}
  </p>`
}

/** Returns the mean, the median and the quartiles of a question without rows, or the base of several choices, as text. */
function meansText(fields: readonly FieldStats[], isMember: boolean): string {
  const [first] = fields
  if (first?.field.type === 'multi' && first.answered > 0)
    return ` ${t('· several choices possible, so that percentages can add up to more than 100%')}`
  if (!first || first.row || first.mean === undefined || first.mean === null || !isScored(first)) return ''
  const means = { value: meanText(first.mean), value2: meanText(first.median ?? null) }
  const { spread } = first
  return t(' · mean {value}, median {value2}', means) + quartilesText(spread, isMember) + spreadText(spread)
}

/**
 * Returns whether the mean of a question is meaningful. It is not if choices have no explicit scores, because the
 * choices may have no order.
 */
const isScored = ({ field: { type, choices } }: FieldStats): boolean =>
  type === 'number' || (type === 'single' && choices.some(({ index, score }) => score !== index + 1))

function textAnswersPart(
  stats: FieldStats,
  title: string,
  report: ReportRequest,
  { localize, latest }: QuestionData,
): Part {
  const { field, row, answered, choices, coding } = stats
  if (choices || answered === 0 || field.part || field.type === 'decimal') return null
  const name = row ? localize(row.label) : field.type === 'other' ? t('Other answers') : undefined
  const heading = name && html`<h3>${name}</h3>`
  return html`
    ${heading}
    ${name && coding && html`${codingText(stats)}${figure(codingPlot(coding), `${title}: ${name}`)}`}
    ${recentAnswersView(
      field,
      { answered, latest: latest.get(field.storedKey) ?? [], title: name ? `${title}: ${name}` : title },
      report,
    )}`
}
