import { type Kysely, sql } from 'kysely'
import type { Tables } from '../tables.ts'
import { truncateToHour } from './anonymity.ts'
import { appendChanges, type ChangedResponse, lockFeed } from './feed.ts'

/**
 * Erases the identity of the respondents of some collectors: names, addresses, invitations and completion times.
 * Truncates every other time to the hour. Used invitations stay used. Call it inside a transaction.
 */
export async function anonymizeResponses(
  db: Kysely<Tables>,
  surveyId: number,
  collectorIds: readonly number[],
  now: Date,
): Promise<void> {
  const collectors = sql`any(${collectorIds}::bigint[])`
  await lockFeed(db, surveyId)
  // Updating a million responses takes longer than the usual statement_timeout.
  await sql`set local statement_timeout = 0`.execute(db)
  await sql`update invite set viewed_at = null, used_on = coalesce(used_on, (
      select max(r.updated_at)::date from response r where r.survey_id = invite.survey_id and r.invite_code = invite.code))
    where survey_id = ${surveyId} and collector_id = ${collectors}`.execute(db)
  const { rows } =
    await sql<ChangedResponse>`update response set username = '', ip_address = '', get_variables = null, referrer = null, invite_code = null,
      invite_email = null, invite_name = null, completion_time = null,
      created_at = date_trunc('hour', created_at, 'UTC'), updated_at = date_trunc('hour', updated_at, 'UTC')
    where survey_id = ${surveyId} and collector_id = ${collectors}
    returning id, collector_id as "collectorId"`.execute(db)
  await sql`update response_change set at = date_trunc('hour', at, 'UTC')
    where survey_id = ${surveyId} and at <> date_trunc('hour', at, 'UTC')`.execute(db)
  const changed = rows.sort((a, b) => a.id - b.id)
  await appendChanges(db, surveyId, changed, 'edited', truncateToHour(now))
  // The rollup stores exact times, so it must be rebuilt.
  await db.deleteFrom('response_rollup').where('survey_id', '=', surveyId).execute()
}
