import * as commands from '../../domain/report/commands.ts'
import { showHistograms } from '../../domain/report/histogram.ts'
import * as queries from '../../domain/report/queries.ts'
import { showReport } from '../../domain/report/queries.ts'
import { DEFAULT_DESIGN } from '../../domain/report/report.ts'
import { surveyStatistics } from '../../domain/report/statistics.ts'
import { findSnapshot } from '../../domain/survey/queries.ts'
import { pageReply } from '../paging.ts'
import type { Operation } from './operation.ts'
import { collectionPage } from './page.ts'
import { reportSummaryView, reportView } from './report-view.ts'
import { statisticsView } from './statistics-view.ts'
import { surveyUri } from './urls.ts'

/** Query parameters of a report. All other parameters are filters (docs/specification.md 7.7). */
const REPORT_PARAMETERS: ReadonlySet<string> = new Set(['language', 'filter'])

export const listReports: Operation<'listReports'> = async ({ context, path, query, search }) => {
  const page = collectionPage(query)
  const { offset, limit } = page
  const { questionnaire } = await findSnapshot(context, path.survey_id, 'Analyze')
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
  const { questionnaire } = await findSnapshot(context, path.survey_id, 'Analyze')
  return { status: 201, body: reportSummaryView(context.services, report, questionnaire) }
}

export const getReport: Operation<'getReport'> = async ({ context, path, query, search }) => {
  const report = await queries.findReport(context, path.survey_id, path.report_id)
  const listQuery = { search, mode: 'strict', parameters: REPORT_PARAMETERS, filter: query.filter } as const
  const results = await showReport(context, path.survey_id, report, listQuery)
  const numberKeys = results.questions
    .filter(({ question, answered }) => question.fields[0]?.type === 'decimal' && answered > 0)
    .map(({ question }) => question.id)
  const histograms = await showHistograms(context, path.survey_id, report, listQuery, numberKeys)
  return { status: 200, body: reportView(context.services, report, { ...results, histograms }, query.language) }
}

export const deleteReport: Operation<'deleteReport'> = async ({ context, path }) => {
  await commands.deleteReport(context, path.survey_id, path.report_id)
  return { status: 200, body: 'OK' }
}

export const getStatistics: Operation<'getStatistics'> = async ({ context, path, query }) => {
  const snapshot = await findSnapshot(context, path.survey_id, 'Analyze')
  const statistics = await surveyStatistics(context, snapshot, query.period ?? 30)
  return {
    status: 200,
    body: statisticsView(context.services, path.survey_id, statistics, snapshot.questionnaire, query.language),
  }
}
