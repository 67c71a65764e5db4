import { listChanges } from '../../domain/response/changes.ts'
import * as commands from '../../domain/response/commands.ts'
import { deleteResponse as removeResponse } from '../../domain/response/remove.ts'
import { submitResponse } from '../../domain/response/submit.ts'
import { sliceOf } from '../../lib/paging.ts'
import type { Operation } from './operation.ts'
import { changeView, createdResponseView } from './submission-views.ts'

export const createResponse: Operation<'createResponse'> = async ({ context, path, body }) => {
  const submitted = await submitResponse(context, path.survey_id, body)
  return { status: 201, body: createdResponseView(context.site, submitted) }
}

export const updateResponse: Operation<'updateResponse'> = async ({ context, path, body }) => {
  await commands.updateResponse(context, path.survey_id, path.response_id, body)
  return { status: 202, body: 'OK' }
}

export const deleteResponse: Operation<'deleteResponse'> = async ({ context, path }) => {
  await removeResponse(context, path.survey_id, path.response_id)
  return { status: 200, body: 'OK' }
}

export const listResponseChanges: Operation<'listResponseChanges'> = async ({ context, path, query }) => {
  const { limit } = sliceOf({ limit: query.page_size, default: 100, max: 1000 })
  const { changes, cursor, more } = await listChanges(context, path.survey_id, { since: query.since, limit })
  const results = changes.map((change) => changeView(context.site, path.survey_id, change))
  return { status: 200, body: { results, next_cursor: cursor, more } }
}
