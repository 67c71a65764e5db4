import type { Actor } from '../../domain/context.ts'
import type { Site } from '../../domain/site.ts'
import { textIn } from '../../domain/structure/text.ts'
import { variablesOf } from '../../domain/structure/variables.ts'
import type { SurveySummary } from '../../domain/survey/queries.ts'
import type { SurveySnapshot } from '../../domain/survey/snapshot.ts'
import type { Schemas } from './operation.ts'

export const statusView = (live: boolean): Schemas['Status'] => (live ? 'live' : 'closed')

export function summaryView({ baseUrl }: Site, survey: SurveySummary): Schemas['SurveySummary'] {
  const page = `${baseUrl}/account/surveys/${survey.id}/`
  return {
    id: survey.id,
    uri: `${baseUrl}/api/v2/surveys/${survey.id}/`,
    deploy_uri: `${baseUrl}/surveys/${encodeURIComponent(survey.creator.username)}/${survey.slug}/`,
    responses: survey.responses,
    creator: survey.creator.username,
    name: survey.name,
    status: statusView(survey.live),
    created_at: survey.createdAt.toISOString(),
    updated_at: survey.updatedAt.toISOString(),
    report_url: `${page}reports/`,
    responses_url: `${page}responses/`,
    edit_url: `${page}edit/`,
  }
}

export function createdView(site: Site, survey: SurveySummary): Schemas['CreatedSurvey'] {
  const { responses: _, creator: __, ...created } = summaryView(site, survey)
  return created
}

/** With what a response may hold, in the survey's default language. */
export function detailsView(
  site: Site,
  survey: SurveySummary,
  { questionnaire: q }: SurveySnapshot,
): Schemas['SurveyDetails'] {
  return {
    ...summaryView(site, survey),
    title: textIn(q.title, q.defaultLanguage, q),
    description: textIn(q.description, q.defaultLanguage, q),
    variables: variablesOf(q, q.defaultLanguage) as Schemas['SurveyDetails']['variables'],
  }
}

export const userView = ({ baseUrl }: Site, account: Actor & { plan: string }): Schemas['User'] => ({
  id: account.id,
  username: account.username,
  email: account.email,
  plan: `${baseUrl}/api/v2/plan/${account.plan}/`,
  plan_name: account.plan,
  uri: `${baseUrl}/api/v2/users/${account.id}/`,
  resources: account.isDeveloper ? { superuser: true } : {},
})
