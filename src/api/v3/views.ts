import type { Account } from '../../domain/account/account.ts'
import type { AccountDeletion } from '../../domain/account-data/delete.ts'
import { type Embed, renderEmbed } from '../../domain/collector/embeds.ts'
import type { ProviderFailure } from '../../domain/identity/failure.ts'
import type { Services } from '../../domain/services.ts'
import { isUploadedImage } from '../../domain/structure/choice-image.ts'
import type { Choice, LanguageText, Question, Questionnaire, Row } from '../../domain/structure/questionnaire.ts'
import { textIn } from '../../domain/structure/text.ts'
import type { Configuration } from '../../domain/survey/configure.ts'
import type { SurveySummary } from '../../domain/survey/queries.ts'
import type { CustomAuthentication } from '../../domain/survey/settings.ts'
import type { Template } from '../../domain/survey/survey.ts'
import { shortUrl, surveyUrl } from '../../domain/survey-address.ts'
import type { Schemas } from './operation.ts'
import { embedUri, questionUri, surveyUri, templateUri, userUri } from './urls.ts'

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

/**
 * Formats texts of a survey: as language objects such as `{ en: 'Yes', de: 'Ja' }`, or as plain text in one language.
 */
export type TextFormat = (text: LanguageText) => Schemas['DisplayText']

export const textFormatOf = (language: string | undefined, q: Questionnaire): TextFormat =>
  language === undefined ? (text) => ({ ...text }) : (text) => textIn(text, language, q)

const choiceView = (
  { baseUrl }: Services,
  { index, label, score, other, image }: Choice,
  format: TextFormat,
): Schemas['Choice'] => ({
  index,
  label: format(label),
  score,
  other,
  ...(image && {
    image: { url: isUploadedImage(image.url) ? baseUrl + image.url : image.url, alt: format(image.alt) },
  }),
})

const rowView = ({ index, label, required }: Row, id: string, format: TextFormat): Schemas['Row'] => ({
  index,
  key: `${id}_${index}`,
  label: format(label),
  required,
})

export const questionView = (
  services: Services,
  surveyId: number,
  question: Question,
  format: TextFormat,
): Schemas['Question'] => ({
  id: question.id,
  identifier: question.identifier ?? null,
  type: question.idname,
  title: format(question.title),
  required: question.required,
  page: question.page,
  keys: question.fields.map(({ key }) => key),
  ...(question.choices.length > 0 && {
    choices: question.choices.map((choice) => choiceView(services, choice, format)),
  }),
  ...(question.rows.length > 0 && { rows: question.rows.map((row) => rowView(row, question.id, format)) }),
  question_uri: questionUri(services, surveyId, question.id),
})

const authenticationView = (custom: CustomAuthentication): Schemas['CustomAuthentication'] => ({
  enabled: custom.enabled,
  endpoint_uri: custom.endpoint_uri,
  client_secret_set: custom.client_secret_encrypted !== null,
  scope: custom.scope ?? '',
})

/** Shows failed sign-ins at the identity provider of a survey. */
export const signInFailureView = (failure: ProviderFailure): Schemas['SignInFailure'] => ({
  number: failure.number,
  step: failure.step,
  status: failure.status ?? null,
  code: failure.code ?? null,
  description: failure.description ?? null,
  reason: failure.reason,
  count: failure.count,
  first_at: failure.firstAt.toISOString(),
  last_at: failure.lastAt.toISOString(),
})

/** Shows the settings. Lists each member, so that a new secret does not appear by accident. */
export const settingsView = ({ live, settings }: Configuration): Schemas['Settings'] => ({
  live: liveView(live),
  open_at: settings.open_at,
  close_at: settings.close_at,
  closed_message: settings.closed_message,
  thank_you_message: settings.thank_you_message,
  max_responses: settings.max_responses,
  one_per_invite: settings.one_per_invite,
  invite_only: settings.invite_only,
  password: settings.password_hash !== null,
  progress_bar: settings.progress_bar,
  back_button: settings.back_button,
  save_and_continue: settings.save_and_continue,
  kiosk: settings.kiosk,
  receipt: settings.receipt,
  anonymous: settings.anonymous,
  store_ip: settings.store_ip,
  redirect_url: settings.redirect_url,
  anonymity_threshold: settings.anonymity_threshold,
  approval_required: settings.approval_required,
  custom_authentication: authenticationView(settings.custom_authentication),
})
