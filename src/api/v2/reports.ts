import * as sharing from '../../domain/report/commands.ts'
import * as queries from '../../domain/report/queries.ts'
import { findSurvey } from '../../domain/survey/queries.ts'
import type { Operation } from './operation.ts'
import { reportsView } from './report-view.ts'

export const listReports: Operation<'listReports'> = async ({ context, path }) => {
  const survey = await findSurvey(context, path.survey_id, 'Analyze')
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
