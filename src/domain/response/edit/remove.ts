import { type ExpressionBuilder, sql } from 'kysely'
import type { Context } from '../../context.ts'
import { problems } from '../../problem.ts'
import { recordActivity } from '../../security/record.ts'
import { appendChanges, lockFeed } from '../../survey/feed.ts'
import { findSnapshot } from '../../survey/queries.ts'
import type { Tables } from '../../tables.ts'
import type { Filter } from '../filter/filter.ts'
import { whereResponses } from '../filter/where.ts'
import { noteChange } from './coding-change.ts'
import { REVISION } from './history.ts'

/**
 * Moves all given responses to the trash (trash.ts) with their categories, or none. Appends to the change feed and releases quota slots. Call it
 * in a transaction.
 * @throws {Problem} `survey_not_found`; `response_not_found` naming unknown ids
 */
export async function deleteResponses(
  context: Context,
  surveyId: number,
  ids: readonly number[],
  reason?: string,
): Promise<void> {
  const { id } = await findSnapshot(context, surveyId, 'Delete')
  const deleted = await removeRows(context, id, ids, { reason })
  const unknown = ids.filter((responseId) => !deleted.has(responseId))
  if (unknown.length) throw problems.responsesNotFound(unknown)
  if (deleted.size > 0) await recordActivity(context, surveyId, 'responses_deleted', { count: deleted.size })
}

/**
 * Moves those of the given responses that exist and pass every filter to the trash. Appends to the change feed and
 * releases quota slots. The caller has checked the permission for the survey. Call it in a transaction.
 * @returns the ids of the deleted responses
 */
export async function removeRows(
  { em, now, actor }: Pick<Context, 'em' | 'now'> & { actor?: Context['actor'] },
  surveyId: number,
  ids: readonly number[],
  { filters = [], reason }: { filters?: readonly Filter[]; reason?: string | undefined } = {},
): Promise<Set<number>> {
  const db = em.getKysely<Tables>()
  await lockFeed(db, surveyId)
  const isGiven = (eb: ExpressionBuilder<Tables, 'response'>) =>
    eb.and([whereResponses(surveyId, filters)(eb), eb('response.id', '=', eb.fn.any(eb.val([...ids])))])
  await db
    .insertInto('response_revision')
    .columns(['survey_id', 'response_id', 'kind', 'at', 'account_id', 'reason', 'before'])
    .expression((eb) =>
      eb
        .selectFrom('response')
        .where(isGiven)
        .select([
          sql<number>`${surveyId}::bigint`.as('survey_id'),
          'id',
          sql<number>`${REVISION.deleted}::smallint`.as('kind'),
          sql<Date>`${now}::timestamptz`.as('at'),
          sql<number>`${actor?.id ?? null}::bigint`.as('account_id'),
          sql<string | null>`${reason ?? null}::text`.as('reason'),
          sql`jsonb_build_object('row', to_jsonb(response), 'quotas', array(
            select quota from response_quota slot where slot.survey_id = ${surveyId} and slot.response_id = response.id),
            'codings', array(select to_jsonb(coding) - 'survey_id' - 'response_id' from response_coding coding
              where coding.survey_id = ${surveyId} and coding.response_id = response.id))`.as('before'),
        ]),
    )
    .execute()
  const rows = await db.deleteFrom('response').where(isGiven).returning(['id', 'collector_id as collectorId']).execute()
  const deleted = rows.sort((a, b) => a.id - b.id)
  const deletedIds = deleted.map(({ id }) => id)
  for (const table of ['response_quota', 'response_coding'] as const) {
    const { numDeletedRows } = await db
      .deleteFrom(table)
      .where('survey_id', '=', surveyId)
      .where((eb) => eb('response_id', '=', eb.fn.any(eb.val(deletedIds))))
      .executeTakeFirstOrThrow()
    if (table === 'response_coding' && numDeletedRows > 0n) await noteChange(db, surveyId)
  }
  await appendChanges(db, surveyId, deleted, 'deleted', now)
  return new Set(deletedIds)
}
