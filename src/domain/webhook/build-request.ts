import { signatureHeaders } from '../../lib/webhook-signature.ts'
import type { PublicContext } from '../context.ts'
import { compile } from '../structure/compile.ts'
import type { Questionnaire } from '../structure/questionnaire.ts'
import { getSnapshot } from '../survey/snapshot.ts'
import { SurveyVersion } from '../survey/survey.ts'
import { bodyFormats, encodeBody } from '../webhook-form.ts'
import type { ClaimedDelivery } from './due.ts'
import { webhookId } from './log.ts'
import { responseFields } from './sample.ts'
import { type ResponseFacts, signingSecrets } from './webhook.ts'

/** The HTTP request of one attempt. */
export interface WebhookRequest {
  url: string
  headers: Record<string, string>
  body: string
}

/**
 * Builds and signs the request of an attempt. The body of the event `response_complete` is built by the first attempt
 * and then stored (record-attempt.ts); retries use the stored body. The bodies of all other events are stored when the
 * event is enqueued.
 */
export async function buildRequest(context: PublicContext, delivery: ClaimedDelivery): Promise<WebhookRequest> {
  const { now, services } = context
  const body = delivery.body ?? (await responseBody(context, delivery))
  return {
    url: delivery.subscriptionUrl,
    headers: {
      'content-type': bodyFormats[delivery.format],
      'user-agent': 'Canvass-Webhooks/1',
      ...signatureHeaders(signingSecrets(services, now, delivery), webhookId(delivery.messageId), now, body),
    },
    body,
  }
}

async function responseBody(context: PublicContext, { facts, format }: ClaimedDelivery): Promise<string> {
  const questionnaire = await answeredVersion(context, facts!)
  return encodeBody(format, responseFields(context.services.baseUrl, facts!, questionnaire))
}

/** Returns the version of the questionnaire that the respondent answered; undefined if the survey was deleted. */
async function answeredVersion({ em }: PublicContext, facts: ResponseFacts): Promise<Questionnaire | undefined> {
  const snapshot = await getSnapshot(em, facts.survey_id)
  if (snapshot?.version === facts.version) return snapshot.questionnaire
  const key = { survey: facts.survey_id, version: facts.version }
  const version = await em.findOne(SurveyVersion, key, { populate: ['structure'] })
  return version ? compile(version.structure, snapshot?.removed) : undefined
}
