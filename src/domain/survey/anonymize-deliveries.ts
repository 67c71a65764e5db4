import { type Kysely, sql } from 'kysely'
import type { SurveyLocation } from '../survey-address.ts'
import type { Tables } from '../tables.ts'
import { hasField } from '../webhook-form.ts'

const WITHOUT_IDENTITY = JSON.stringify({ referrer: null, invite_email: null, invite_name: null })

/** Truncates a time in JSON to its hour. Uses only immutable functions, because Citus requires them in an update. */
const hourIn = (member: string) =>
  sql`regexp_replace((facts->${member}::text)::text, ':\\d\\d:\\d\\d(\\.\\d+)?', ':00:00')::jsonb`

/**
 * Erases the identity of the respondents of a survey from the webhook deliveries of its owner: removes the identity
 * from pending deliveries, and deletes finished deliveries. Call it inside a transaction.
 */
export async function anonymizeDeliveries(
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
