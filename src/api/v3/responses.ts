import * as commands from '../../domain/response/edit/commands.ts'
import * as removal from '../../domain/response/edit/remove.ts'
import { deleteMatchingResponses as deleteMatching } from '../../domain/response/edit/remove-matching.ts'
import { listChanges, type ResponseChange } from '../../domain/response/feed/changes.ts'
import type { NamedQuery } from '../../domain/response/filter/saved-filters.ts'
import * as filters from '../../domain/response/filter/saved-filters.ts'
import * as queries from '../../domain/response/list/queries.ts'
import { type SubmittedResponse, submitResponse } from '../../domain/response/submit/submit.ts'
import type { Services } from '../../domain/services.ts'
import { surveyUrl } from '../../domain/survey-address.ts'
import { pageOf, sliceOf } from '../../lib/paging.ts'
import { pageReply } from '../paging.ts'
import { type ResponseView, responseView } from '../response-view.ts'
import { collectionPage, type Operation, type Schemas } from './operation.ts'
import { responsesUri, surveyUri } from './urls.ts'

/** Query parameters of the list. All other parameters are filters (docs/specification.md 7.7). */
const LIST_PARAMETERS: ReadonlySet<string> = new Set(['page', 'page_size', 'filter', 'include_labels', 'expand_GET'])

/**
 * Adds the URL of a response to its view. If a question has the same name as the member for the URL, the URL is
 * returned.
 */
const withUri = (view: ResponseView, uri: string): Schemas['SurveyResponse'] =>
  Object.assign(view, { response_uri: `${uri}${view._id}/` })

export const listResponses: Operation<'listResponses'> = async ({ context, path, query, search }) => {
  const page = pageOf({ page: query.page, pageSize: query.page_size, first: 0, default: 50, max: 200 })
  const listQuery = { search, mode: 'strict', parameters: LIST_PARAMETERS, filter: query.filter } as const
  const { snapshot, total, rows } = await queries.searchResponses(context, path.survey_id, listQuery, page)
  const uri = responsesUri(context.services, path.survey_id)
  const views = rows.map((row) => withUri(responseView(context.services, snapshot, row, query), uri))
  return pageReply(uri, search, page, total, views)
}

export const getResponse: Operation<'getResponse'> = async ({ context, path, query }) => {
  const { snapshot, row } = await queries.findResponse(context, path.survey_id, path.response_id)
  const uri = responsesUri(context.services, path.survey_id)
  return { status: 200, body: withUri(responseView(context.services, snapshot, row, query), uri) }
}

export const createResponse: Operation<'createResponse'> = async ({ context, path, body }) => {
  const submitted = await submitResponse(context, path.survey_id, body)
  return { status: 201, body: createdResponseView(context.services, submitted) }
}

export const updateResponse: Operation<'updateResponse'> = async ({ context, path, body }) => {
  await commands.updateResponse(context, path.survey_id, path.response_id, body)
  return { status: 202, body: 'OK' }
}

export const deleteResponse: Operation<'deleteResponse'> = async ({ context, path }) => {
  await removal.deleteResponse(context, path.survey_id, path.response_id)
  return { status: 200, body: 'OK' }
}

export const deleteMatchingResponses: Operation<'deleteMatchingResponses'> = async ({ context, path, body }) => {
  const { created_from: createdFrom, created_to: createdTo, network, completed, expected } = body
  const conditions = { createdFrom, createdTo, network, completed }
  return { status: 200, body: await deleteMatching(context, path.survey_id, conditions, expected) }
}

export const listResponseChanges: Operation<'listResponseChanges'> = async ({ context, path, query }) => {
  const included = query.include === 'response'
  const { limit } = sliceOf({ limit: query.page_size, default: 100, max: included ? 200 : 1000 })
  const { changes, cursor, more, snapshot } = await listChanges(context, path.survey_id, { since: query.since, limit })
  const results = changes.map((change) => changeView(context.services, path.survey_id, change))
  if (included) {
    const ids = changes.map(({ responseId }) => responseId)
    const rows = await queries.findResponses(context, snapshot, ids)
    const uri = responsesUri(context.services, path.survey_id)
    for (const change of results) {
      const row = rows.get(change.response_id)
      change.response = row ? withUri(responseView(context.services, snapshot, row, {}), uri) : null
    }
  }
  return { status: 200, body: { results, next_cursor: cursor, more } }
}

function createdResponseView(
  { baseUrl }: Services,
  { id, key, snapshot }: SubmittedResponse,
): Schemas['CreatedResponse'] {
  const survey = surveyUrl(baseUrl, { username: snapshot.ownerUsername, slug: snapshot.slug })
  return { url: `${survey}${key}/`, id, key }
}

const changeView = (
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

export const listFilters: Operation<'listFilters'> = async ({ context, path, query, search }) => {
  const page = collectionPage(query)
  const { total, filters: items } = await filters.listFilters(context, path.survey_id, page)
  const results = items.map((filter) => filterView(context.services, path.survey_id, filter))
  return pageReply(`${surveyUri(context.services, path.survey_id)}filters/`, search, page, total, results)
}

export const saveFilter: Operation<'saveFilter'> = async ({ context, path, body }) => {
  const filter = await filters.saveFilter(context, path.survey_id, body)
  return { status: 201, body: filterView(context.services, path.survey_id, filter) }
}

export const removeFilter: Operation<'removeFilter'> = async ({ context, path, query, body }) => {
  await filters.removeFilter(context, path.survey_id, query.name ?? body.name)
  return { status: 200, body: 'OK' }
}

const filterView = (services: Services, surveyId: number, { name, query }: NamedQuery): Schemas['Filter'] => ({
  name,
  query,
  responses_uri: `${responsesUri(services, surveyId)}?filter=${encodeURIComponent(name)}`,
})
