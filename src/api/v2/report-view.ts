import type { Report } from '../../domain/report/report.ts'
import type { Services } from '../../domain/services.ts'
import { ownerPageUrls, reportUrl } from '../../domain/survey-address.ts'
import type { Schemas } from './operation.ts'

/** Shows the reports of a survey and the password of shared reports. */
export const reportsView = (
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
