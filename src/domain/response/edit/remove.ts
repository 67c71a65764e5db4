import type { Context } from '../../context.ts'
import { problems } from '../../problem.ts'
import { appendChanges, lockFeed } from '../../survey/feed.ts'
import { findSnapshot } from '../../survey/queries.ts'
import type { Tables } from '../../tables.ts'

/**
 * Deletes a response. Call it in a transaction.
 * @throws {Problem} `survey_not_found`, `response_not_found`
 */
export const deleteResponse = (context: Context, surveyId: number, responseId: number): Promise<void> =>
  deleteResponses(context, surveyId, [responseId])

/**
 * Deletes all given responses or none. Appends to the change feed and releases quota slots. Call it in a transaction.
 * @throws {Problem} `survey_not_found`; `response_not_found` naming unknown ids
 */
export async function deleteResponses(context: Context, surveyId: number, ids: readonly number[]): Promise<void> {
  const { id } = await findSnapshot(context, surveyId, 'Analyze')
  const db = context.em.getKysely<Tables>()
  await lockFeed(db, id)
  const deleted = await db
    .deleteFrom('response')
    .where('survey_id', '=', id)
    .where((eb) => eb('id', '=', eb.fn.any(eb.val([...ids]))))
    .returning(['id', 'collector_id'])
    .execute()
  const deletedIds = new Set(deleted.map((row) => row.id))
  const unknown = ids.filter((responseId) => !deletedIds.has(responseId))
  if (unknown.length) throw problems.responsesNotFound(unknown)
  await db
    .deleteFrom('response_quota')
    .where('survey_id', '=', id)
    .where((eb) => eb('response_id', '=', eb.fn.any(eb.val([...ids]))))
    .execute()
  await db
    .deleteFrom('uploaded_file')
    .where('survey_id', '=', id)
    .where((eb) => eb('response_id', '=', eb.fn.any(eb.val([...ids]))))
    .execute()
  const changed = deleted.map((row) => ({ id: row.id, collectorId: row.collector_id })).sort((a, b) => a.id - b.id)
  await appendChanges(db, id, changed, 'deleted', context.now)
}
