import { Readable } from 'node:stream'
import { analysisName, openAnalysis } from '../../domain/report/analysis/archive.ts'
import * as commands from '../../domain/report/commands.ts'
import { type Histogram, numericKeys, showHistograms } from '../../domain/report/histogram.ts'
import * as queries from '../../domain/report/queries.ts'
import { type ReportResults, showPublishedReport, showReport, type TextAnswer } from '../../domain/report/queries.ts'
import {
  type ChoiceSummary,
  type CodedTexts,
  type FieldStats,
  type NpsBreakdown,
  type QuestionStats,
  round,
  type Spread,
} from '../../domain/report/question-stats.ts'
import { assertExactFigures, thresholdFor } from '../../domain/report/reader.ts'
import { DEFAULT_DESIGN, type Report } from '../../domain/report/report.ts'
import { type SurveyStatistics, surveyStatistics } from '../../domain/report/statistics.ts'
import { currentQuery } from '../../domain/response/filter/filter.ts'
import { filtersOf } from '../../domain/response/list/queries.ts'
import type { Services } from '../../domain/services.ts'
import { withFileAddresses } from '../../domain/structure/file-answer.ts'
import type { Questionnaire } from '../../domain/structure/questionnaire.ts'
import { findSnapshot } from '../../domain/survey/queries.ts'
import { reportUrl } from '../../domain/survey-address.ts'
import { attachment } from '../attachment.ts'
import { pageReply } from '../paging.ts'
import { intervalView, weightedCount, weightedView } from './cross-table.ts'
import { collectionPage, type Operation, type Schemas } from './operation.ts'
import { reportUri, responsesUri, surveyUri } from './urls.ts'
import { type TextFormat, textFormatOf } from './views.ts'

/** Query parameters of a report. All other parameters are filters (docs/specification.md 7.7). */
const REPORT_PARAMETERS: ReadonlySet<string> = new Set(['weighted', 'language', 'filter'])

export const listReports: Operation<'listReports'> = async ({ context, path, query, search }) => {
  const page = collectionPage(query)
  const { offset, limit } = page
  const { questionnaire } = await findSnapshot(context, path.survey_id, 'Report')
  const { total, reports } = await queries.listReports(context, path.survey_id, { offset, limit })
  const results = reports.map((report) => reportSummaryView(context.services, report, questionnaire))
  return pageReply(`${surveyUri(context.services, path.survey_id)}reports/`, search, page, total, results)
}

export const createReport: Operation<'createReport'> = async ({ context, path, body }) => {
  const { title, query = '', share_text_answers: shareTextAnswers } = body
  const report = await commands.createReport(context, path.survey_id, title, {
    ...DEFAULT_DESIGN,
    query,
    shareTextAnswers,
  })
  const { questionnaire } = await findSnapshot(context, path.survey_id, 'Report')
  return { status: 201, body: reportSummaryView(context.services, report, questionnaire) }
}

export const getReport: Operation<'getReport'> = async ({ context, path, query, search }) => {
  const report = await queries.findReport(context, path.survey_id, path.report_id)
  const listQuery = { search, mode: 'strict', parameters: REPORT_PARAMETERS, filter: query.filter } as const
  const snapshot = await findSnapshot(context, path.survey_id, 'Report')
  const threshold = thresholdFor(context, snapshot)
  const { weighted = false } = query
  if (threshold !== undefined) {
    if (weighted || (await filtersOf(context, snapshot, listQuery)).length > 0) assertExactFigures(context, snapshot)
    const published = await showPublishedReport(context, path.survey_id, report)
    const view = reportView(context.services, report, { ...published, histograms: new Map() }, query.language)
    return { status: 200, body: { ...view, rounded_to: threshold } }
  }
  const results = await showReport(context, path.survey_id, report, listQuery, { weighted })
  const numberKeys = results.questions
    .filter(({ question, answered }) => question.fields[0]?.type === 'decimal' && answered > 0)
    .flatMap(({ question }) => numericKeys(question))
  const histograms = await showHistograms(context, path.survey_id, report, listQuery, numberKeys, { weighted })
  return { status: 200, body: reportView(context.services, report, { ...results, histograms }, query.language) }
}

export const exportAnalysis: Operation<'exportAnalysis'> = async ({ context, path, method }) => {
  const report = await queries.findReport(context, path.survey_id, path.report_id)
  const headers = (name: string) => ({ 'Content-Type': 'application/zip', 'Content-Disposition': attachment(name) })
  if (method === 'HEAD') {
    const { slug } = await findSnapshot(context, path.survey_id, 'Export')
    return { status: 200, stream: Readable.from([]), headers: headers(analysisName(slug)) }
  }
  const { filename, stream } = await openAnalysis(context, path.survey_id, report)
  return { status: 200, stream, headers: headers(filename) }
}

export const deleteReport: Operation<'deleteReport'> = async ({ context, path }) => {
  await commands.deleteReport(context, path.survey_id, path.report_id)
  return { status: 200, body: 'OK' }
}

export const getStatistics: Operation<'getStatistics'> = async ({ context, path, query }) => {
  const snapshot = await findSnapshot(context, path.survey_id, 'Report')
  const statistics = await surveyStatistics(context, snapshot, query.period ?? 30)
  return {
    status: 200,
    body: statisticsView(context.services, path.survey_id, statistics, snapshot.questionnaire, query.language),
  }
}

function reportSummaryView(
  services: Services,
  { id, title, createdAt, survey, query, shareTextAnswers }: Report,
  q: Questionnaire,
): Schemas['ReportSummary'] {
  return {
    id,
    title,
    created_at: createdAt.toISOString(),
    survey_uri: surveyUri(services, survey.id),
    report_uri: reportUri(services, survey.id, id),
    report_url: reportUrl(services.baseUrl, survey.id, id),
    query: currentQuery(q, query),
    share_text_answers: shareTextAnswers,
  }
}

/** The data that the views of all questions need. */
interface ViewContext {
  format: TextFormat
  recentAnswers: ReportResults['recentAnswers']
  /** Distributions of numeric answers, by response key (docs/specification.md 7.3). */
  histograms: ReadonlyMap<string, Histogram>
  responsesUri: string
}

/** Returns the view of a report; without `language`, texts are language objects such as `{ en: 'Yes', de: 'Ja' }`. */
function reportView(
  services: Services,
  report: Report,
  {
    questionnaire: q,
    responses,
    weighted,
    questions,
    recentAnswers,
    histograms,
  }: ReportResults & Pick<ViewContext, 'histograms'>,
  language: string | undefined,
): Schemas['Report'] {
  const context = {
    format: textFormatOf(language, q),
    recentAnswers,
    histograms,
    responsesUri: responsesUri(services, report.survey.id),
  }
  return {
    ...reportSummaryView(services, report, q),
    responses: { ...responses },
    ...weightedView(weighted),
    questions: questions.map((stats) => questionView(stats, context)),
  }
}

function questionView(
  { question, answered, weighted, fields }: QuestionStats,
  context: ViewContext,
): Schemas['QuestionSummary'] {
  const rows = fields.filter(({ row }) => row)
  const main = fields.find(({ field }) => field.key === question.id && !field.row)
  const other = fields.find(({ field }) => field.type === 'other' && !field.part)
  return {
    id: question.id,
    identifier: question.identifier ?? null,
    type: question.idname,
    title: context.format(question.title),
    page: question.page,
    answered,
    ...weightedView(weighted),
    ...(main && fieldView(main, context)),
    ...(rows.length > 0 && { rows: rows.map((row) => rowView(row, context)) }),
    ...(other && {
      other: {
        ...{ key: other.field.key, answered: other.answered, ...weightedView(other.weighted) },
        recent_answers: recentAnswersView(other, context),
        ...codingView(other.coding),
      },
    }),
  }
}

const rowView = (stats: FieldStats, context: ViewContext): Schemas['RowSummary'] => ({
  index: stats.row!.index,
  key: stats.field.key,
  label: context.format(stats.row!.label),
  answered: stats.answered,
  ...weightedView(stats.weighted),
  ...fieldView(stats, context),
})

type FieldView = Pick<
  Schemas['QuestionSummary'],
  'choices' | 'removed_choices' | 'mean' | 'median' | 'spread' | 'numbers' | 'nps' | 'recent_answers' | 'coding'
>

function fieldView(stats: FieldStats, context: ViewContext): FieldView {
  const { choices, removed, mean, median, spread, promoters } = stats
  if (stats.field.type === 'decimal') return numbersView(context.histograms.get(stats.field.key))
  if (!choices) return { recent_answers: recentAnswersView(stats, context), ...codingView(stats.coding) }
  return {
    choices: choices.map((choice) => choiceView(choice, context)),
    ...(removed && {
      removed_choices: removed.map(({ choice, count, weighted, percentage }) => ({
        label: context.format(choice.label),
        count,
        ...weightedCount(weighted),
        percentage,
      })),
    }),
    ...(mean !== undefined && median !== undefined && { mean, median }),
    ...(spread && { spread: spreadView(spread) }),
    ...(promoters && { nps: npsView(promoters) }),
  }
}

function numbersView(histogram: Histogram | undefined): FieldView {
  if (!histogram) return { mean: null, median: null }
  const { count, min, max, mean, median, spread, bins } = histogram
  const binViews = bins.map(({ from, below, count, weighted }) => ({
    from,
    ...(Number.isFinite(below) && { below }),
    count,
    ...weightedCount(weighted),
  }))
  return { mean, median, spread: spreadView(spread), numbers: { count, min, max, bins: binViews } }
}

/** Returns the categories of text answers as a member; nothing if no answer is coded. */
const codingView = (coding: CodedTexts | undefined): { coding?: Schemas['CodedTexts'] } =>
  coding
    ? {
        coding: {
          ...{ coded: coding.coded, ...weightedView(coding.weighted), none: coding.none.count },
          categories: coding.categories.map(({ category: { id, name }, count, weighted, percentage }) => ({
            ...{ id, name, count, ...weightedCount(weighted), percentage },
          })),
        },
      }
    : {}

const npsView = ({ score, promoters, passives, detractors, interval }: NpsBreakdown): Schemas['NpsBreakdown'] => ({
  ...{ promoters, passives, detractors, score },
  interval: intervalView(interval),
})

const spreadView = ({ n, deviation, interval, lowerQuartile, upperQuartile }: Spread): Schemas['Spread'] => ({
  n,
  standard_deviation: deviation === null ? null : round(deviation, 4),
  interval: intervalView(interval),
  lower_quartile: lowerQuartile,
  upper_quartile: upperQuartile,
})

const choiceView = (
  { choice, count, weighted, percentage, rankCounts, meanRank }: ChoiceSummary,
  { format }: ViewContext,
): Schemas['ChoiceSummary'] => ({
  index: choice.index,
  label: format(choice.label),
  score: choice.score,
  count,
  ...weightedCount(weighted),
  percentage,
  ...(rankCounts && meanRank !== undefined && { rank_counts: [...rankCounts], mean_rank: meanRank }),
})

const recentAnswersView = (
  { field }: FieldStats,
  { recentAnswers, responsesUri: uri }: ViewContext,
): Schemas['TextAnswer'][] =>
  (recentAnswers.get(field.storedKey) ?? []).map(({ value, at, responseId }: TextAnswer) => ({
    value: field.type === 'file' ? withFileAddresses(value, (key) => `${uri}${responseId}/files/${key}/`) : value,
    created_at: at.toISOString(),
    response_uri: `${uri}${responseId}/`,
  }))

/**
 * Returns the view of the statistics of a survey; without `language`, titles are language objects such as
 * `{ en: 'Page', de: 'Seite' }`.
 */
function statisticsView(
  services: Services,
  surveyId: number,
  { responses, completionRate, medianSeconds, lastResponseAt, days, pages }: SurveyStatistics,
  q: Questionnaire,
  language: string | undefined,
): Schemas['SurveyStatistics'] {
  const format = textFormatOf(language, q)
  return {
    survey_uri: surveyUri(services, surveyId),
    responses,
    completion_rate: completionRate,
    median_completion_seconds: medianSeconds,
    last_response_at: lastResponseAt?.toISOString() ?? null,
    days: [...days],
    pages: pages.map(({ number, title, submitted, stopped }) => ({ number, title: format(title), submitted, stopped })),
  }
}
