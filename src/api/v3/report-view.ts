import type { Results } from '../../domain/report/queries.ts'
import type { ChoiceSummary, FieldStats, QuestionStats } from '../../domain/report/question-stats.ts'
import type { TextAnswer } from '../../domain/report/recent-answers.ts'
import type { Report } from '../../domain/report/report.ts'
import { currentQuery } from '../../domain/response/filter/filter.ts'
import type { Services } from '../../domain/services.ts'
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

/** The data that all parts of a report share. */
interface Setting {
  shown: TextFormat
  latest: Results['recentAnswers']
  responsesUri: string
}

/** Returns the view of a report; without `language`, texts are language objects. */
export function reportView(
  services: Services,
  report: Report,
  { q, responses, questions, recentAnswers: latest }: Results,
  language: string | undefined,
): Schemas['Report'] {
  const setting = { shown: textFormatOf(language, q), latest, responsesUri: responsesUri(services, report.survey.id) }
  return {
    ...reportSummaryView(services, report, q),
    responses: { ...responses },
    questions: questions.map((figures) => questionView(figures, setting)),
  }
}

function questionView({ question, answered, fields }: QuestionStats, setting: Setting): Schemas['QuestionSummary'] {
  const rows = fields.filter(({ row }) => row)
  const main = fields.find(({ field }) => field.key === question.id && !field.row)
  const other = fields.find(({ field }) => field.type === 'other')
  return {
    id: question.id,
    identifier: question.identifier ?? null,
    type: question.idname,
    title: setting.shown(question.title),
    page: question.page,
    answered,
    ...(main && fieldView(main, setting)),
    ...(rows.length > 0 && { rows: rows.map((row) => rowView(row, setting)) }),
    ...(other && {
      other: { key: other.field.key, answered: other.answered, recent_answers: recentAnswersView(other, setting) },
    }),
  }
}

const rowView = (figures: FieldStats, setting: Setting): Schemas['RowSummary'] => ({
  index: figures.row!.index,
  key: figures.field.key,
  label: setting.shown(figures.row!.label),
  answered: figures.answered,
  ...fieldView(figures, setting),
})

type FieldView = Pick<
  Schemas['QuestionSummary'],
  'choices' | 'removed_choices' | 'mean' | 'median' | 'nps' | 'recent_answers'
>

function fieldView(figures: FieldStats, setting: Setting): FieldView {
  const { choices, removed, mean, median, promoters } = figures
  if (!choices) return { recent_answers: recentAnswersView(figures, setting) }
  return {
    choices: choices.map((choice) => choiceView(choice, setting)),
    ...(removed && {
      removed_choices: removed.map(({ choice, count, percentage }) => ({
        label: setting.shown(choice.label),
        count,
        percentage,
      })),
    }),
    ...(mean !== undefined && median !== undefined && { mean, median }),
    ...(promoters && { nps: { ...promoters } }),
  }
}

const choiceView = (
  { choice, count, percentage, rankCounts, meanRank }: ChoiceSummary,
  { shown }: Setting,
): Schemas['ChoiceSummary'] => ({
  index: choice.index,
  label: shown(choice.label),
  score: choice.score,
  count,
  percentage,
  ...(rankCounts && meanRank !== undefined && { rank_counts: [...rankCounts], mean_rank: meanRank }),
})

const recentAnswersView = ({ field }: FieldStats, { latest, responsesUri: uri }: Setting): Schemas['TextAnswer'][] =>
  (latest.get(field.storedKey) ?? []).map(({ value, at, responseId }: TextAnswer) => ({
    value,
    created_at: at.toISOString(),
    response_uri: `${uri}${responseId}/`,
  }))
