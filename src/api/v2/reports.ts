import * as sharing from '../../domain/report/commands.ts'
import * as queries from '../../domain/report/queries.ts'
import type { Report } from '../../domain/report/report.ts'
import type { Services } from '../../domain/services.ts'
import { findSurvey } from '../../domain/survey/queries.ts'
import { ownerPageUrls, reportUrl } from '../../domain/survey-address.ts'
import type { Operation, Schemas } from './operation.ts'

export const listReports: Operation<'listReports'> = async ({ context, path }) => {
  const survey = await findSurvey(context, path.survey_id, 'Correct')
  const { reports } = await queries.listReports(context, path.survey_id)
  return {
    status: 200,
    body: reportsView(context.services, survey.id, reports, sharing.sharingPasswordOf(context.services, survey)),
  }
}

export const shareReports: Operation<'shareReports'> = async ({ context, path, body }) => {
  const survey = await sharing.shareReports(context, path.survey_id, body.sharing_password ?? '')
  const { reports } = await queries.listReports(context, path.survey_id)
  return {
    status: 200,
    body: reportsView(context.services, survey.id, reports, sharing.sharingPasswordOf(context.services, survey)),
  }
}

/** Shows the reports of a survey and the password of shared reports. */
const reportsView = (
  { baseUrl }: Services,
  surveyId: number,
  reports: readonly Report[],
  password: string,
): Schemas['ReportList'] => ({
  count: reports.length,
  reports_url: ownerPageUrls(baseUrl, surveyId).reports,
  sharing_password: password || null,
  reports: reports.map(({ id, title }) => ({ id, title, report_url: reportUrl(baseUrl, surveyId, id) })),
})
