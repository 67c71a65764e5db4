import type { Context } from '../../context.ts'
import { problems } from '../../problem.ts'
import { appendChanges, lockFeed } from '../../survey/feed.ts'
import { findSnapshot } from '../../survey/queries.ts'
import type { Tables } from '../../tables.ts'
import type { Filter } from '../filter/filter.ts'
import { whereResponses } from '../filter/where.ts'

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
  const deleted = await removeRows(context, id, ids)
  const unknown = ids.filter((responseId) => !deleted.has(responseId))
  if (unknown.length) throw problems.responsesNotFound(unknown)
}

/**
 * Deletes those of the given responses that exist and pass every filter. Appends to the change feed and releases quota
 * slots. The caller has checked the permission for the survey. Call it in a transaction.
 * @returns the ids of the deleted responses
 */
export async function removeRows(
  { em, now }: Context,
  surveyId: number,
  ids: readonly number[],
  filters: readonly Filter[] = [],
): Promise<Set<number>> {
  const db = em.getKysely<Tables>()
  await lockFeed(db, surveyId)
  const deleted = await db
    .deleteFrom('response')
    .where(whereResponses(surveyId, filters))
    .where((eb) => eb('response.id', '=', eb.fn.any(eb.val([...ids]))))
    .returning(['id', 'collector_id'])
    .execute()
  const changed = deleted.map((row) => ({ id: row.id, collectorId: row.collector_id })).sort((a, b) => a.id - b.id)
  const deletedIds = changed.map(({ id }) => id)
  for (const table of ['response_quota', 'uploaded_file'] as const)
    await db
      .deleteFrom(table)
      .where('survey_id', '=', surveyId)
      .where((eb) => eb('response_id', '=', eb.fn.any(eb.val(deletedIds))))
      .execute()
  await appendChanges(db, surveyId, changed, 'deleted', now)
  return new Set(deletedIds)
}
