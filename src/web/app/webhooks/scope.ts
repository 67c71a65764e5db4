import { problems } from '../../../domain/problem.ts'
import type { SurveySummary } from '../../../domain/survey/queries.ts'
import { findWebhook, withScope } from '../../../domain/webhook/commands.ts'
import { lastErrorIn } from '../../../domain/webhook/record-attempt.ts'
import type { EventType, Webhook } from '../../../domain/webhook/webhook.ts'
import type { BodyFormat } from '../../../domain/webhook-form.ts'
import { type Html, html } from '../../../lib/html.ts'
import { perLanguage, t } from '../../i18n/t.ts'
import type { PageResult } from '../../page.ts'
import { parseId, type SignedInRequest } from '../../session.ts'

/** The webhooks that a page shows: all webhooks of an account, or the webhooks of one survey. */
export interface WebhookScope {
  /** The path of the list of these webhooks. */
  path: string
  survey?: SurveySummary
}

/** A page that exists twice: for the webhooks of an account, and for the webhooks of a survey. */
export type WebhookPage = (request: SignedInRequest, scope: WebhookScope) => Promise<PageResult>

/** Returns the labels of the webhook events. */
export const eventLabels: () => Readonly<Record<EventType, string>> = perLanguage(() => ({
  response_complete: t('Response completed'),
  report_create: t('Report created'),
  survey_create: t('Survey created'),
  contact_create: t('Contact created'),
}))

/** Returns the labels of the formats of request bodies. */
export const formatLabels: () => Readonly<Record<BodyFormat, string>> = perLanguage(() => ({
  form: t('URL-encoded form'),
  json: 'JSON',
}))

/** Events for which a webhook can be limited to one survey. */
export const surveyEvents: readonly EventType[] = ['response_complete', 'report_create']

/**
 * Finds the webhook that the URL identifies.
 * @throws {Problem} `webhook_not_found`
 */
export async function findScopedWebhook(
  { context, params }: SignedInRequest,
  { survey }: WebhookScope,
): Promise<Webhook> {
  const webhook = await withScope(context, await findWebhook(context, parseId(params.webhook)))
  if (survey && webhook.survey?.id !== survey.id) throw problems.webhookNotFound()
  return webhook
}

/** Returns the event of a webhook as text. If the webhook is limited to a survey or collector, the text names it. */
export function eventText({ event, survey, collector }: Webhook): string {
  const what = eventLabels()[event]
  if (!survey) return what
  const { name } = survey.unwrap()
  return collector
    ? t('{what} in “{name}”, collector “{collector}”', { what, name, collector: collector.unwrap().name })
    : t('{what} in “{name}”', { what, name })
}

/** Renders a tag that says whether a webhook is enabled. */
export const enabledTag = ({ disabledAt }: Webhook): Html =>
  disabledAt ? html`<span class="tag bad">Disabled</span>` : html`<span class="tag good">Enabled</span>`

/**
 * Returns the reason why a webhook was disabled, in the language of the page. Network error messages are not
 * translated.
 */
export function reasonText(reason: string): string {
  const last = lastErrorIn(reason)
  if (!last) return reason
  const error = last.status === undefined ? last.text : t('HTTP status {status}', { status: last.status })
  return t('Every attempt to deliver a message failed. Last error: {error}.', { error })
}
