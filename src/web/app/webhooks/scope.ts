import { problems } from '../../../domain/problem.ts'
import type { SurveySummary } from '../../../domain/survey/queries.ts'
import { findWebhook, withScope } from '../../../domain/webhook/queries.ts'
import type { EventType, Webhook } from '../../../domain/webhook/webhook.ts'
import { type Html, html } from '../../../lib/html.ts'
import type { PageResult } from '../../page.ts'
import { parseId, type SignedInRequest } from '../../session.ts'

/** Where webhooks are looked at: all of an account, or those that tell of one survey. */
export interface WebhookScope {
  /** Their pages begin here. */
  path: string
  survey?: SurveySummary
}

/** A page that shows the same in either place. */
export type WebhookPage = (request: SignedInRequest, place: WebhookScope) => Promise<PageResult>

/** What each event tells, for people. */
export const events: Readonly<Record<EventType, string>> = {
  response_complete: 'Response completed',
  report_create: 'Report created',
  survey_create: 'Survey created',
  contact_create: 'Contact created',
}

/** The events that can tell of one survey alone. */
export const ofOneSurvey: readonly EventType[] = ['response_complete', 'report_create']

/** The webhook of the address, if it is one of the place's. @throws {Problem} `webhook_not_found` */
export async function webhookIn({ context, params }: SignedInRequest, { survey }: WebhookScope): Promise<Webhook> {
  const webhook = await withScope(context, await findWebhook(context, parseId(params.webhook)))
  if (survey && webhook.survey?.id !== survey.id) throw problems.webhookNotFound()
  return webhook
}

/** What a webhook tells of. */
export function scopeOf({ event, survey, collector }: Webhook): string {
  const what = events[event]
  const where = survey ? ` in “${survey.unwrap().name}”` : ''
  return collector ? `${what}${where}, collector “${collector.unwrap().name}”` : `${what}${where}`
}

/** Whether it works, or since when not. */
export const onView = ({ disabledAt }: Webhook): Html =>
  disabledAt ? html`<span class="tag bad">Off</span>` : html`<span class="tag good">On</span>`
