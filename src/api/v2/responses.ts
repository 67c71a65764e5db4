import * as commands from '../../domain/response/edit/commands.ts'
import * as removal from '../../domain/response/edit/remove.ts'
import { importResponses } from '../../domain/response/import/import.ts'
import * as queries from '../../domain/response/list/queries.ts'
import { responseView } from '../../domain/response/list/response-view.ts'
import { submitAnswers } from '../../domain/response/submit/submit.ts'
import { sliceOf } from '../../lib/paging.ts'
import { EXPORT_PARAMETERS, exportReply } from '../export.ts'
import { idsOf } from '../paging.ts'
import type { Operation } from './operation.ts'

/** Query parameters of the list. All other parameters are filters (docs/specification.md 7.7). */
const LIST_PARAMETERS: ReadonlySet<string> = new Set(['offset', 'limit', 'filter', 'include_labels', 'expand_GET'])

export const listResponses: Operation<'listResponses'> = async ({ context, path, query, search }) => {
  const slice = sliceOf({ offset: query.offset, limit: query.limit, default: 50, max: 200 })
  const listQuery = { search, mode: 'lenient', parameters: LIST_PARAMETERS, filter: query.filter } as const
  const { snapshot, total, rows } = await queries.searchResponses(context, path.survey_id, listQuery, slice)
  const responses = rows.map((row) => responseView(context.services, snapshot, row, query))
  return { status: 200, body: { total, count: responses.length, responses } }
}

export const getResponse: Operation<'getResponse'> = async ({ context, path, query }) => {
  const { snapshot, row } = await queries.findResponse(context, path.survey_id, path.response_id)
  return {
    status: 200,
    body: { total: 1, count: 1, responses: [responseView(context.services, snapshot, row, query)] },
  }
}

export const createResponse: Operation<'createResponse'> = async ({ context, path, query, body }) => {
  if (typeof body === 'string') {
    const { imported, skipped, otherCollectors } = await importResponses(context, path.survey_id, body, query.values)
    return { status: 200, body: { success: true, imported, skipped, default_collector: otherCollectors } }
  }
  const submit = body._key ? commands.resubmitAnswers : submitAnswers
  const { id, key } = await submit(context, path.survey_id, body)
  return { status: 200, body: { success: true, id, key } }
}

export const deleteResponses: Operation<'deleteResponses'> = async ({ context, path, query, body }) => {
  await removal.deleteResponses(context, path.survey_id, idsOf('response_ids', query.response_ids ?? body.response_ids))
  return { status: 200, body: { success: true } }
}

export const updateResponse: Operation<'updateResponse'> = async ({ context, path, query }) => {
  const { completed, collector } = query
  await commands.updateResponseMeta(context, path.survey_id, path.response_id, { completed, collectorId: collector })
  return { status: 200, body: { success: true } }
}

export const exportCsv: Operation<'exportCsv'> = ({ path, query, search, ...request }) =>
  exportReply({
    ...request,
    surveyId: path.survey_id,
    query,
    search: { search, mode: 'lenient', parameters: EXPORT_PARAMETERS, filter: query.filter },
  })
