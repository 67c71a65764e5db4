import { type Kysely, sql } from 'kysely'
import type { Tables } from '../tables.ts'
import { truncateToHour } from './anonymity.ts'
import { appendChanges, type ChangedResponse, lockFeed } from './feed.ts'

/**
 * Truncates a time to its hour, in UTC. The time zone is not an argument of `date_trunc`, because Citus requires
 * immutable functions, and `date_trunc` with a time zone is not immutable.
 */
const hourOf = (column: string) => sql`date_trunc('hour', ${sql.ref(column)} at time zone 'UTC') at time zone 'UTC'`

/**
 * Erases the identity of the respondents of some collectors: names, addresses, invitations and completion times.
 * Truncates all other times to the hour. Used invitations remain used. Call it inside a transaction.
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
  const { rows: used } = await sql<{
    code: string
    day: string
  }>`select invite_code as code, max(updated_at)::date::text as day
    from response where survey_id = ${surveyId} and invite_code is not null group by invite_code`.execute(db)
  await sql`update invite set used_on = used.day
    from unnest(${used.map(({ code }) => code)}::text[], ${used.map(({ day }) => day)}::date[]) as used (code, day)
    where invite.survey_id = ${surveyId} and invite.collector_id = ${collectors} and invite.code = used.code
    and invite.used_on is null`.execute(db)
  await sql`update invite set viewed_at = null
    where survey_id = ${surveyId} and collector_id = ${collectors} and viewed_at is not null`.execute(db)
  const { rows } =
    await sql<ChangedResponse>`update response set username = '', ip_address = '', get_variables = null, referrer = null, invite_code = null,
      invite_email = null, invite_name = null, completion_time = null, active_seconds = null,
      created_at = ${hourOf('created_at')}, updated_at = ${hourOf('updated_at')}
    where survey_id = ${surveyId} and collector_id = ${collectors}
    returning id, collector_id as "collectorId"`.execute(db)
  await sql`update response_change set at = ${hourOf('at')}
    where survey_id = ${surveyId} and at <> ${hourOf('at')}`.execute(db)
  const changed = rows.sort((a, b) => a.id - b.id)
  await appendChanges(db, surveyId, changed, 'edited', truncateToHour(now))
  // The rollup contains exact times, so it must be rebuilt.
  await db.deleteFrom('response_rollup').where('survey_id', '=', surveyId).execute()
}
