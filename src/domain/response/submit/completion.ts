import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../tables.ts'

/**
 * Tells that a stored response has become complete to every webhook that waits for it (specification, "Events"): the
 * rows that the inserting statement writes by itself for a response that is complete from the start. Call it after the
 * write, in the same transaction.
 */
export async function tellCompletion(db: Kysely<Tables>, surveyId: number, id: number, now: Date): Promise<void> {
  await sql`
    insert into webhook_delivery (webhook_id, event, facts, next_attempt_at, created_at)
    select webhook.id, webhook.event, jsonb_build_object('id', r.id, 'key', encode(r.key, 'hex'),
      'score', r.weighted_score, 'language', r.language, 'referrer', r.referrer, 'invite_email', r.invite_email,
      'invite_name', r.invite_name, 'created_at', r.created_at, 'updated_at', r.updated_at, 'answers', r.answers,
      'survey_id', r.survey_id, 'survey_name', survey.name, 'slug', survey.slug, 'username', account.username,
      'version', survey.version), ${now}::timestamptz, ${now}::timestamptz
    from response r
    join survey on survey.id = r.survey_id
    join account on account.id = survey.owner_id
    join webhook on webhook.account_id = survey.owner_id and webhook.event = 'response_complete'
      and webhook.disabled_at is null and (webhook.survey_id is null or webhook.survey_id = r.survey_id)
      and (webhook.collector_id is null or webhook.collector_id = r.collector_id)
    where r.survey_id = ${surveyId} and r.id = ${id}`.execute(db)
}
