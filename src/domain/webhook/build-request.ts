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
 * Returns a function that builds and signs the requests of attempts that begin at the same time. It reads each
 * questionnaire and decrypts the secrets of each webhook once. The body of the event `response_complete` is built by the
 * first attempt and then stored (record-attempt.ts); retries use the stored body. The bodies of all other events are
 * stored when the event is enqueued.
 */
export function createRequestBuilder(context: PublicContext): (delivery: ClaimedDelivery) => Promise<WebhookRequest> {
  const { now, services } = context
  const questionnaires = new Map<string, Promise<Questionnaire | undefined>>()
  const secrets = new Map<number, string[]>()

  async function responseBody({ facts, format }: ClaimedDelivery): Promise<string> {
    const { survey_id, version } = facts!
    const questionnaire = once(questionnaires, `${survey_id} ${version}`, () => answeredVersion(context, facts!))
    return encodeBody(format, responseFields(services.baseUrl, facts!, await questionnaire))
  }

  return async (delivery) => {
    const body = delivery.body ?? (await responseBody(delivery))
    const keys = once(secrets, delivery.webhookId, () => signingSecrets(services, now, delivery))
    return {
      url: delivery.subscriptionUrl,
      headers: {
        'content-type': bodyFormats[delivery.format],
        'user-agent': 'Canvass-Webhooks/1',
        ...signatureHeaders(keys, webhookId(delivery.messageId), now, body),
      },
      body,
    }
  }
}

/** Returns the value of a key; computes it if the map does not have it. */
function once<Key, Value>(values: Map<Key, Value>, key: Key, compute: () => Value): Value {
  if (!values.has(key)) values.set(key, compute())
  return values.get(key)!
}

/** Returns the version of the questionnaire that the respondent answered; undefined if the survey was deleted. */
async function answeredVersion({ em }: PublicContext, facts: ResponseFacts): Promise<Questionnaire | undefined> {
  const snapshot = await getSnapshot(em, facts.survey_id)
  if (snapshot?.version === facts.version) return snapshot.questionnaire
  const key = { survey: facts.survey_id, version: facts.version }
  const version = await em.findOne(SurveyVersion, key, { populate: ['structure'] })
  return version ? compile(version.structure, snapshot?.removed) : undefined
}
