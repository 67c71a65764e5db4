import { describeSurvey } from '../../domain/survey/queries.ts'
import { t } from '../i18n/t.ts'
import { type StandalonePage, standalonePage } from './deferred.ts'
import { histogramsFor, histogramView } from './histogram.ts'
import { localizerFor } from './localize.ts'
import { daysFor, type ReportRequest } from './report-request.ts'
import { timelineView } from './timeline.ts'

/** Returns the page with the responses by day. */
export async function daysPage(report: ReportRequest): Promise<StandalonePage> {
  return standalonePage(report, t('Responses by day'), timelineView(report, await daysFor(report)))
}

/**
 * Returns the page with the histogram of a question.
 * @throws {Problem} `question_not_found`
 */
export async function histogramPage(report: ReportRequest, id: string): Promise<StandalonePage> {
  const histograms = await histogramsFor(report, [id])
  const { questionnaire: q } = await describeSurvey(report.context, report.survey.id)
  const title = localizerFor(q, report.listQuery.language)(q.byId.get(id)!.title) || id
  return standalonePage(report, title, histogramView(report, id, title, histograms.get(id)))
}
