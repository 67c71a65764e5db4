import type { Context } from '../../context.ts'
import { problems } from '../../problem.ts'
import { appendChanges, lockFeed } from '../../survey/feed.ts'
import { findSnapshot } from '../../survey/queries.ts'
import type { Tables } from '../../tables.ts'

/**
 * Deletes one response. Call it inside a transaction.
 * @throws {Problem} `survey_not_found`, `response_not_found`
 */
export const deleteResponse = (context: Context, surveyId: number, responseId: number): Promise<void> =>
  deleteResponses(context, surveyId, [responseId])

/**
 * Deletes responses, all or none. Appends each to the change feed and frees the places in quotas. Call it inside a
 * transaction.
 * @throws {Problem} `survey_not_found`; `response_not_found` naming those that do not exist
 */
export async function deleteResponses(context: Context, surveyId: number, ids: readonly number[]): Promise<void> {
  const { id } = await findSnapshot(context, surveyId, 'Analyze')
  const db = context.em.getKysely<Tables>()
  await lockFeed(db, id)
  const gone = await db
    .deleteFrom('response')
    .where('survey_id', '=', id)
    .where((eb) => eb('id', '=', eb.fn.any(eb.val([...ids]))))
    .returning(['id', 'collector_id'])
    .execute()
  const found = new Set(gone.map((row) => row.id))
  const unknown = ids.filter((wanted) => !found.has(wanted))
  if (unknown.length) throw problems.responsesNotFound(unknown)
  await db
    .deleteFrom('response_quota')
    .where('survey_id', '=', id)
    .where((eb) => eb('response_id', '=', eb.fn.any(eb.val([...ids]))))
    .execute()
  const changed = gone.map((row) => ({ id: row.id, collectorId: row.collector_id })).sort((a, b) => a.id - b.id)
  await appendChanges(db, id, changed, 'deleted', context.now)
}
