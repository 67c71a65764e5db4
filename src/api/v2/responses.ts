import * as commands from '../../domain/response/commands.ts'
import { importResponses } from '../../domain/response/import/import.ts'
import { deleteResponses as removeResponses } from '../../domain/response/remove.ts'
import { submitAnswers } from '../../domain/response/submit.ts'
import { idsOf } from '../ids.ts'
import type { Operation } from './operation.ts'

export const createResponse: Operation<'createResponse'> = async ({ context, path, body }) => {
  if (typeof body === 'string') {
    const imported = await importResponses(context, path.survey_id, body)
    return { status: 200, body: { success: true, imported } }
  }
  const submit = body._key ? commands.resubmitAnswers : submitAnswers
  const { id, key } = await submit(context, path.survey_id, body)
  return { status: 200, body: { success: true, id, key } }
}

export const deleteResponses: Operation<'deleteResponses'> = async ({ context, path, query, body }) => {
  await removeResponses(context, path.survey_id, idsOf('response_ids', query.response_ids ?? body.response_ids))
  return { status: 200, body: { success: true } }
}

export const updateResponse: Operation<'updateResponse'> = async ({ context, path, query }) => {
  const { completed, collector } = query
  await commands.amendResponse(context, path.survey_id, path.response_id, { completed, collectorId: collector })
  return { status: 200, body: { success: true } }
}
