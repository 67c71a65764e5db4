import type { Site } from '../../domain/site.ts'
import type { SurveySummary } from '../../domain/survey/queries.ts'
import type { Schemas } from './operation.ts'

/** 1 for open, 0 for closed. */
export const liveView = (live: boolean): Schemas['Live'] => (live ? 1 : 0)

export function surveyView({ baseUrl }: Site, survey: SurveySummary): Schemas['Survey'] {
  const uri = `${baseUrl}/api/v3/surveys/${survey.id}/`
  return {
    id: survey.id,
    name: survey.name,
    number_of_responses: survey.responses,
    live: liveView(survey.live),
    slug: survey.slug,
    creator: `${baseUrl}/api/v3/users/${survey.creator.id}/`,
    created_at: survey.createdAt.toISOString(),
    updated_at: survey.updatedAt.toISOString(),
    deploy_url: `${baseUrl}/surveys/${encodeURIComponent(survey.creator.username)}/${survey.slug}/`,
    survey_uri: uri,
    duplicate_uri: `${uri}duplicate/`,
    send_invite_uri: `${uri}invites/`,
    responses_uri: `${uri}responses/`,
    survey_settings_uri: `${uri}settings/`,
    survey_structure_uri: `${uri}structure/`,
    collectors_uri: `${uri}collectors/`,
    invite_codes_uri: `${uri}invite_codes/`,
    groups_uri: `${uri}groups/`,
    reports_uri: `${uri}reports/`,
    csv_uri: `${uri}csv/`,
    tags_uri: `${uri}tags/`,
    versions_uri: `${uri}versions/`,
    questions_uri: `${uri}questions/`,
    languages_uri: `${uri}languages/`,
  }
}
