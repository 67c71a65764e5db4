import { checkConditionCount } from '../../../domain/response/filter/filter.ts'
import { findSnapshot } from '../../../domain/survey/queries.ts'
import type { FilterPage } from '../../filter/filter-page.ts'
import { firstPage, formatListQuery, parseListQuery } from '../../filter/list-query.ts'
import { textContextOf } from '../../filter/text-context.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'

/** A request for a page about the responses to a survey; `listPath` is the path of the list of responses. */
export interface ResponsesRequest extends SurveyRequest, FilterPage {}

/**
 * Extends a request with the data that every page about responses needs.
 * @throws {Problem} `survey_not_found`, `forbidden`, `invalid_request`
 */
export async function readResponsesRequest(request: SurveyRequest): Promise<ResponsesRequest> {
  const snapshot = await findSnapshot(request.context, request.survey.id, 'Analyze')
  const listQuery = parseListQuery(request.ctx.querystring)
  checkConditionCount(listQuery.conditions)
  const textContext = textContextOf(snapshot.questionnaire, listQuery.language)
  return { ...request, snapshot, listQuery, textContext, listPath: `${request.root}responses/` }
}

/** Returns the query string that the page of one response needs to keep the filter and the columns of the list. */
export const listSearch = ({ listQuery }: FilterPage): string => formatListQuery(firstPage(listQuery))
