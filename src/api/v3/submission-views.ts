import type { ResponseChange } from '../../domain/response/changes.ts'
import type { Submitted } from '../../domain/response/submit.ts'
import type { Site } from '../../domain/site.ts'
import type { Schemas } from './operation.ts'

export function createdResponseView({ baseUrl }: Site, { id, key, snapshot }: Submitted): Schemas['CreatedResponse'] {
  const survey = `${encodeURIComponent(snapshot.ownerUsername)}/${encodeURIComponent(snapshot.slug)}`
  return { url: `${baseUrl}/surveys/${survey}/${key}/`, id, key }
}

export const changeView = (
  { baseUrl }: Site,
  surveyId: number,
  { seq, kind, responseId, at }: ResponseChange,
): Schemas['ResponseChange'] => ({
  seq,
  kind,
  response_id: responseId,
  at: at.toISOString(),
  response_uri: `${baseUrl}/api/v3/surveys/${surveyId}/responses/${responseId}/`,
})
