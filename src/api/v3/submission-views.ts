import type { ResponseChange } from '../../domain/response/feed/changes.ts'
import type { SubmittedResponse } from '../../domain/response/submit/submit.ts'
import type { Services } from '../../domain/services.ts'
import { surveyUrl } from '../../domain/survey-address.ts'
import type { Schemas } from './operation.ts'

export function createdResponseView(
  { baseUrl }: Services,
  { id, key, snapshot }: SubmittedResponse,
): Schemas['CreatedResponse'] {
  const survey = surveyUrl(baseUrl, { username: snapshot.ownerUsername, slug: snapshot.slug })
  return { url: `${survey}${key}/`, id, key }
}

export const changeView = (
  { baseUrl }: Services,
  surveyId: number,
  { seq, kind, responseId, at }: ResponseChange,
): Schemas['ResponseChange'] => ({
  seq,
  kind,
  response_id: responseId,
  at: at.toISOString(),
  response_uri: `${baseUrl}/api/v3/surveys/${surveyId}/responses/${responseId}/`,
})
