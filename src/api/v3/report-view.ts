import type { Histogram } from '../../domain/report/histogram.ts'
import type { ReportResults, TextAnswer } from '../../domain/report/queries.ts'
import type { ChoiceSummary, FieldStats, QuestionStats } from '../../domain/report/question-stats.ts'
import type { Report } from '../../domain/report/report.ts'
import { currentQuery } from '../../domain/response/filter/filter.ts'
import type { Services } from '../../domain/services.ts'
import { withFileAddresses } from '../../domain/structure/file-answer.ts'
import type { Questionnaire } from '../../domain/structure/questionnaire.ts'
import { reportUrl } from '../../domain/survey-address.ts'
import type { Schemas } from './operation.ts'
import { type TextFormat, textFormatOf } from './question-view.ts'
import { reportUri, responsesUri, surveyUri } from './urls.ts'

export function reportSummaryView(
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
export function reportView(
  services: Services,
  report: Report,
  {
    questionnaire: q,
    responses,
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
    questions: questions.map((stats) => questionView(stats, context)),
  }
}

function questionView({ question, answered, fields }: QuestionStats, context: ViewContext): Schemas['QuestionSummary'] {
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
    ...(main && fieldView(main, context)),
    ...(rows.length > 0 && { rows: rows.map((row) => rowView(row, context)) }),
    ...(other && {
      other: { key: other.field.key, answered: other.answered, recent_answers: recentAnswersView(other, context) },
    }),
  }
}

const rowView = (stats: FieldStats, context: ViewContext): Schemas['RowSummary'] => ({
  index: stats.row!.index,
  key: stats.field.key,
  label: context.format(stats.row!.label),
  answered: stats.answered,
  ...fieldView(stats, context),
})

type FieldView = Pick<
  Schemas['QuestionSummary'],
  'choices' | 'removed_choices' | 'mean' | 'median' | 'numbers' | 'nps' | 'recent_answers'
>

function fieldView(stats: FieldStats, context: ViewContext): FieldView {
  const { choices, removed, mean, median, promoters } = stats
  if (stats.field.type === 'decimal') return numbersView(context.histograms.get(stats.field.key))
  if (!choices) return { recent_answers: recentAnswersView(stats, context) }
  return {
    choices: choices.map((choice) => choiceView(choice, context)),
    ...(removed && {
      removed_choices: removed.map(({ choice, count, percentage }) => ({
        label: context.format(choice.label),
        count,
        percentage,
      })),
    }),
    ...(mean !== undefined && median !== undefined && { mean, median }),
    ...(promoters && { nps: { ...promoters } }),
  }
}

function numbersView(histogram: Histogram | undefined): FieldView {
  if (!histogram) return { mean: null, median: null }
  const { count, min, max, mean, median, bins } = histogram
  const binViews = bins.map(({ from, below, count }) => ({ from, ...(Number.isFinite(below) && { below }), count }))
  return { mean, median, numbers: { count, min, max, bins: binViews } }
}

const choiceView = (
  { choice, count, percentage, rankCounts, meanRank }: ChoiceSummary,
  { format }: ViewContext,
): Schemas['ChoiceSummary'] => ({
  index: choice.index,
  label: format(choice.label),
  score: choice.score,
  count,
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
