import { listReports as find } from '../../domain/report/queries.ts'
import { shareReports as share, sharingPasswordOf } from '../../domain/report/sharing.ts'
import { findSurvey } from '../../domain/survey/queries.ts'
import type { Operation } from './operation.ts'
import { reportsView } from './report-view.ts'

export const listReports: Operation<'listReports'> = async ({ context, path }) => {
  const survey = await findSurvey(context, path.survey_id, 'Analyze')
  const { reports } = await find(context, path.survey_id)
  return {
    status: 200,
    body: reportsView(context.services, survey.id, reports, sharingPasswordOf(context.services, survey)),
  }
}

export const shareReports: Operation<'shareReports'> = async ({ context, path, body }) => {
  const survey = await share(context, path.survey_id, body.sharing_password ?? '')
  const { reports } = await find(context, path.survey_id)
  return {
    status: 200,
    body: reportsView(context.services, survey.id, reports, sharingPasswordOf(context.services, survey)),
  }
}
