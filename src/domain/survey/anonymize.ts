import { type Kysely, sql } from 'kysely'
import type { Context } from '../context.ts'
import type { SurveyLocation } from '../survey-address.ts'
import type { Tables } from '../tables.ts'
import { hasField } from '../webhook-form.ts'
import { ERASED_IDENTITY, truncateToHour } from './anonymity.ts'
import { appendChanges, type ChangedResponse, lockFeed } from './feed.ts'
import { useOwnIds } from './response-ids.ts'
import type { Survey } from './survey.ts'

/** Returns whether a survey has responses. */
export async function hasResponses({ em }: Context, surveyId: number): Promise<boolean> {
  const feed = await em
    .getKysely<Tables>()
    .selectFrom('survey_feed')
    .select('responses')
    .where('survey_id', '=', surveyId)
    .executeTakeFirst()
  return (feed?.responses ?? 0) > 0
}

/**
 * Makes all collectors of a survey anonymous: erases the identity of earlier respondents, and removes the setting
 * `anonymous` with which a collector overrides the survey. Call it inside the transaction that stores the setting
 * `anonymous` of the survey and so increments the revision of the survey.
 */
export async function anonymizeSurvey(context: Context, survey: Survey): Promise<void> {
  await useOwnIds(context, survey)
  const db = context.em.getKysely<Tables>()
  // The provider's descriptions of failures may name respondents.
  await db.deleteFrom('provider_failure').where('survey_id', '=', survey.id).execute()
  const collectors = await db
    .updateTable('collector')
    .set({ settings: sql`settings - 'anonymous'` })
    .where('survey_id', '=', survey.id)
    .returning('id')
    .execute()
  await anonymizeCollectors(
    context,
    survey,
    collectors.map(({ id }) => id),
  )
}

/** Erases the identity of the respondents of some collectors. Call it inside a transaction. */
export async function anonymizeCollectors(
  { em, now }: Context,
  survey: Survey,
  collectorIds: readonly number[],
): Promise<void> {
  const db = em.getKysely<Tables>()
  await anonymizeResponses(db, survey.id, collectorIds, now)
  const { username } = await db
    .selectFrom('account')
    .select('username')
    .where('id', '=', survey.owner.id)
    .executeTakeFirstOrThrow()
  const { id, slug } = survey
  await anonymizeDeliveries(db, { id, slug, username, ownerId: survey.owner.id })
}

/** What replaces the identity in the row of a response in the trash. */
const ERASED_ROW = JSON.stringify({ ...ERASED_IDENTITY, completion_time: null, active_seconds: null })

const WITHOUT_IDENTITY = JSON.stringify({ referrer: null, invite_email: null, invite_name: null })

/** Truncates a time in JSON to its hour. Uses only immutable functions, because Citus requires them in an update. */
const hourIn = (member: string) =>
  sql`regexp_replace((facts->${member}::text)::text, ':\\d\\d:\\d\\d(\\.\\d+)?', ':00:00')::jsonb`

/**
 * Erases the identity of the respondents of a survey from the webhook deliveries of its owner: removes the identity
 * from pending deliveries, and deletes finished deliveries. Call it inside a transaction.
 */
async function anonymizeDeliveries(
  db: Kysely<Tables>,
  { id, ownerId, username, slug }: SurveyLocation & { id: number; ownerId: number },
): Promise<void> {
  const own = sql`webhook_id in (select webhook.id from webhook where account_id = ${ownerId}) and event = 'response_complete'`
  const survey = hasField(`/surveys/${username}/${slug}/`, 'end')
  await sql`delete from webhook_delivery where ${own} and facts is null and ${survey}`.execute(db)
  await sql`update webhook_delivery set body = null, traceparent = null,
      created_at = date_trunc('hour', created_at at time zone 'UTC') at time zone 'UTC',
      facts = jsonb_set(jsonb_set(facts || ${WITHOUT_IDENTITY}::jsonb, '{created_at}', ${hourIn('created_at')}),
        '{updated_at}', ${hourIn('updated_at')})
    where ${own} and (facts->>'survey_id')::bigint = ${id}`.execute(db)
}

/**
 * Truncates a time to its hour, in UTC. The time zone is not an argument of `date_trunc`, because Citus requires
 * immutable functions, and `date_trunc` with a time zone is not immutable.
 */
const hourOf = (column: string) => sql`date_trunc('hour', ${sql.ref(column)} at time zone 'UTC') at time zone 'UTC'`

/** Truncates a time of a response in the trash to its hour, with immutable functions. */
const hourOfTrash = (column: string) =>
  sql`regexp_replace(before->'row'->>${column}::text, ':\\d\\d:\\d\\d(\\.\\d+)?', ':00:00')`

/**
 * Erases the identity of the respondents of some collectors: names, addresses, invitations and completion times.
 * Truncates all other times to the hour. Used invitations remain used. Call it inside a transaction.
 */
async function anonymizeResponses(
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
  await sql`update response_revision set at = ${hourOf('at')}, before = case when before ? 'row' then
      jsonb_set(before, '{row}', before->'row' || ${ERASED_ROW}::jsonb || jsonb_build_object(
        'created_at', ${hourOfTrash('created_at')}, 'updated_at', ${hourOfTrash('updated_at')})) else before end
    where survey_id = ${surveyId}
      and (before ? 'row' is not true or (before#>>'{row,collector_id}')::bigint = ${collectors})`.execute(db)
  await sql`update response_change set at = ${hourOf('at')}
    where survey_id = ${surveyId} and at <> ${hourOf('at')}`.execute(db)
  const changed = rows.sort((a, b) => a.id - b.id)
  await appendChanges(db, surveyId, changed, 'edited', truncateToHour(now))
  // The rollup contains exact times, so it must be rebuilt.
  await db.deleteFrom('response_rollup').where('survey_id', '=', surveyId).execute()
}
