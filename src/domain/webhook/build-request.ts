import { signatureHeaders } from '../../lib/webhook-signature.ts'
import type { PublicContext } from '../context.ts'
import { compile } from '../structure/compile.ts'
import type { Questionnaire } from '../structure/questionnaire.ts'
import { getSnapshot } from '../survey/snapshot.ts'
import { SurveyVersion } from '../survey/version.ts'
import { encodeForm } from '../webhook-form.ts'
import type { ResponseFacts } from './delivery.ts'
import type { ClaimedDelivery } from './due.ts'
import { webhookId } from './log.ts'
import { responseFields } from './response-fields.ts'
import { signingSecrets } from './secret.ts'

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
  const body = delivery.body ?? (await responseBody(context, delivery.facts!))
  return {
    url: delivery.subscriptionUrl,
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'user-agent': 'Canvass-Webhooks/1',
      ...signatureHeaders(signingSecrets(services, now, delivery), webhookId(delivery.messageId), now, body),
    },
    body,
  }
}

const responseBody = async (context: PublicContext, facts: ResponseFacts) =>
  encodeForm(responseFields(context.services.baseUrl, facts, await answeredVersion(context, facts)))

/** Returns the version of the questionnaire that the respondent answered; undefined if the survey was deleted. */
async function answeredVersion({ em }: PublicContext, facts: ResponseFacts): Promise<Questionnaire | undefined> {
  const snapshot = await getSnapshot(em, facts.survey_id)
  if (snapshot?.version === facts.version) return snapshot.questionnaire
  const key = { survey: facts.survey_id, version: facts.version }
  const version = await em.findOne(SurveyVersion, key, { populate: ['structure'] })
  return version ? compile(version.structure, snapshot?.removed) : undefined
}
