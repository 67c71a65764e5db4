import type { Account } from '../../domain/account/account.ts'
import type { AccountDeletion } from '../../domain/account-data/delete.ts'
import { type Embed, renderEmbed } from '../../domain/collector/embeds.ts'
import type { Services } from '../../domain/services.ts'
import type { SurveySummary } from '../../domain/survey/queries.ts'
import type { Template } from '../../domain/survey/survey.ts'
import { shortUrl, surveyUrl } from '../../domain/survey-address.ts'
import type { Schemas } from './operation.ts'
import { embedUri, surveyUri, templateUri, userUri } from './urls.ts'

/** Returns 1 for an open survey or collector, 0 for a closed one. */
export const liveView = (live: boolean): Schemas['Live'] => (live ? 1 : 0)

/** Returns whether `live` in a request opens the survey or collector; undefined if the request has no `live`. */
export const isLive = (live: Schemas['Live'] | undefined): boolean | undefined =>
  live === undefined ? undefined : live === 1

/** Shows a survey with the URLs of its sub-resources (docs/specification.md 5.1). */
export function surveyView(services: Services, survey: SurveySummary): Schemas['Survey'] {
  const uri = surveyUri(services, survey.id)
  return {
    id: survey.id,
    name: survey.name,
    number_of_responses: survey.responses,
    live: liveView(survey.live),
    slug: survey.slug,
    creator: userUri(services, survey.creator.id),
    created_at: survey.createdAt.toISOString(),
    updated_at: survey.updatedAt.toISOString(),
    deploy_url: surveyUrl(services.baseUrl, { username: survey.creator.username, slug: survey.slug }),
    short_url: shortUrl(services.baseUrl, survey),
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

export const templateSummaryView = (services: Services, template: Template): Schemas['TemplateSummary'] => ({
  id: template.id,
  name: template.name,
  created_at: template.createdAt.toISOString(),
  template_uri: templateUri(services, template.id),
})

/** Shows a template with its structure, which must be loaded. */
export const templateView = (services: Services, template: Template): Schemas['Template'] => ({
  ...templateSummaryView(services, template),
  structure: template.structure,
})

export function embedView(services: Services, embed: Embed): Schemas['Embed'] {
  const { address, html } = renderEmbed(embed, services)
  return {
    id: embed.id,
    kind: embed.kind,
    survey: embed.survey.id,
    survey_uri: surveyUri(services, embed.survey.id),
    collector: embed.collector?.id ?? null,
    deploy_url: address,
    html,
    created_at: embed.createdAt.toISOString(),
    embed_uri: embedUri(services, embed.id),
  }
}

/** Shows a user (docs/specification.md 4.3). */
export const userView = (services: Services, account: Account): Schemas['User'] => ({
  id: account.id,
  username: account.username,
  name: account.name,
  email: account.email,
  user_uri: userUri(services, account.id),
})

export const deletionView = ({ deletedAt, accountId, ...counts }: AccountDeletion): Schemas['UserDeletion'] => ({
  deleted_at: deletedAt.toISOString(),
  user_id: accountId,
  surveys: counts.surveys,
  responses: counts.responses,
  contacts: counts.contacts,
  webhooks: counts.webhooks,
  api_keys: counts.apiKeys,
  applications: counts.applications,
  groups: counts.groups,
})
