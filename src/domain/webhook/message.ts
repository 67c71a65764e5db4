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

/** The request of one attempt. */
export interface Message {
  url: string
  headers: Record<string, string>
  body: string
}

/** Builds and signs a message. Every attempt has the same body once it is stored (settle.ts). */
export async function messageOf(context: PublicContext, taken: ClaimedDelivery): Promise<Message> {
  const { now, services } = context
  const body = taken.body ?? (await responseBody(context, taken.facts!))
  return {
    url: taken.subscriptionUrl,
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'user-agent': 'Canvass-Webhooks/1',
      ...signatureHeaders(signingSecrets(services, now, taken), webhookId(taken.messageId), now, body),
    },
    body,
  }
}

const responseBody = async (context: PublicContext, facts: ResponseFacts) =>
  encodeForm(responseFields(context.services.baseUrl, facts, await answeredVersion(context, facts)))

/** Returns the version of the questionnaire that was answered; undefined when the survey is deleted. */
async function answeredVersion({ em }: PublicContext, facts: ResponseFacts): Promise<Questionnaire | undefined> {
  const snapshot = await getSnapshot(em, facts.survey_id)
  if (snapshot?.version === facts.version) return snapshot.questionnaire
  const key = { survey: facts.survey_id, version: facts.version }
  const version = await em.findOne(SurveyVersion, key, { populate: ['structure'] })
  return version ? compile(version.structure, snapshot?.removed) : undefined
}
