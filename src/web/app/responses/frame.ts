import { assertFew } from '../../../domain/response/filter/filter.ts'
import { findSnapshot } from '../../../domain/survey/queries.ts'
import type { SurveySnapshot } from '../../../domain/survey/snapshot.ts'
import type { SurveyRequest } from '../surveys/frame.ts'
import type { Telling } from './answer.ts'
import { type ListQuery, readAsked } from './list-query.ts'

/** A request about the responses to a survey. */
export interface ResponsesRequest extends SurveyRequest {
  snapshot: SurveySnapshot
  asked: ListQuery
  telling: Telling
  /** Where the responses' pages begin. */
  top: string
}

/** Reads what every page about responses needs. @throws {Problem} `survey_not_found`, `forbidden`, `invalid_request` */
export async function aboutResponses(request: SurveyRequest): Promise<ResponsesRequest> {
  const snapshot = await findSnapshot(request.context, request.survey.id, 'Analyze')
  const asked = readAsked(request.ctx.querystring)
  assertFew(asked.conditions)
  const { questionnaire: q } = snapshot
  const language = q.languages.find(({ code }) => code === asked.language)?.code ?? q.defaultLanguage
  return { ...request, snapshot, asked, telling: { q, language }, top: `${request.root}responses/` }
}
