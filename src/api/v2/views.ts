import type { Account } from '../../domain/account/account.ts'
import type { CollectorSummary } from '../../domain/collector/queries.ts'
import type { Services } from '../../domain/services.ts'
import { variablesOf } from '../../domain/structure/meta-fields.ts'
import { textIn } from '../../domain/structure/text.ts'
import type { SurveyDescription, SurveySummary } from '../../domain/survey/queries.ts'
import { ownerPageUrls, surveyUrl } from '../../domain/survey-address.ts'
import { planUri, type Schemas, surveyUri, userUri } from './operation.ts'

const statusOf = (live: boolean): Schemas['Status'] => (live ? 'live' : 'closed')

export const statusView = (survey: { live: boolean }): Schemas['SurveyStatus'] => ({ status: statusOf(survey.live) })

const deployUri = ({ baseUrl }: Services, { creator, slug }: SurveySummary) =>
  surveyUrl(baseUrl, { username: creator.username, slug })

/** Returns the JSON members that a survey has in lists, in details and in the reply to its creation. */
function commonView(services: Services, survey: SurveySummary) {
  const pages = ownerPageUrls(services.baseUrl, survey.id)
  return {
    id: survey.id,
    uri: surveyUri(services, survey.id),
    deploy_uri: deployUri(services, survey),
    name: survey.name,
    status: statusOf(survey.live),
    created_at: survey.createdAt.toISOString(),
    updated_at: survey.updatedAt.toISOString(),
    report_url: pages.reports,
    responses_url: pages.responses,
    edit_url: pages.edit,
  }
}

/** Shows a survey in the reply to a request that creates, duplicates or renames it (docs/specification.md 5.2). */
export const createdView = (services: Services, survey: SurveySummary): Schemas['CreatedSurvey'] =>
  commonView(services, survey)

/** Shows a survey as lists contain it (docs/specification.md 5.2). */
export const surveyView = (services: Services, survey: SurveySummary): Schemas['SurveySummary'] => ({
  ...commonView(services, survey),
  responses: survey.responses,
  creator: survey.creator.username,
})

/** Shows a survey in detail (docs/specification.md 5.2). Texts are plain, in the survey's default language. */
export function detailsView(
  services: Services,
  { summary, questionnaire: q }: SurveyDescription,
): Schemas['SurveyDetails'] {
  return {
    ...surveyView(services, summary),
    title: textIn(q.title, q.defaultLanguage, q),
    description: textIn(q.description, q.defaultLanguage, q),
    variables: variablesOf(q, q.defaultLanguage) as Schemas['SurveyDetails']['variables'],
  }
}

/** Shows a user (docs/specification.md 4.1). */
export function userView(services: Services, account: Account): Schemas['User'] {
  const plan = services.requestLimits.effectivePlan(account.plan)
  return {
    id: account.id,
    username: account.username,
    email: account.email,
    plan: planUri(services, plan),
    plan_name: plan,
    uri: userUri(services, account.id),
    resources: account.isDeveloper ? { superuser: true } : {},
  }
}

export const collectorView = (services: Services, collector: CollectorSummary): Schemas['Collector'] => ({
  id: collector.id,
  name: collector.name,
  status: statusOf(collector.live),
  survey: surveyUri(services, collector.survey.id),
  deploy_uri: surveyUrl(services.baseUrl, collector.survey, collector.isDefault ? undefined : collector.id),
  responses: collector.responses,
  is_default: collector.isDefault,
})
