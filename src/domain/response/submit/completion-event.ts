import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../tables.ts'

/** SQL expressions over completed responses. */
interface CompletedRows {
  /** Row source with the columns of `response`. */
  from: string
  /** Alias of the responses in `from`. */
  response: string
  id: string
  /** The answers as jsonb. */
  answers: string
  /** Id of the account that owns the survey; can refer to `survey`. */
  owner: string
}

/**
 * Builds the statement that inserts a delivery of the event `response_complete` for every subscribed webhook
 * (docs/specification.md 11.3). The caller appends `where`. The delivery is due at the time of the last change.
 */
export const insertCompletionEvents = ({ from, response, id, answers, owner }: CompletedRows): string => `
  insert into webhook_delivery (webhook_id, event, facts, next_attempt_at, created_at)
  select webhook.id, webhook.event, jsonb_build_object(
    'id', ${id}, 'key', encode(${response}.key, 'hex'), 'score', ${response}.weighted_score,
    'language', ${response}.language, 'referrer', ${response}.referrer, 'invite_email', ${response}.invite_email,
    'invite_name', ${response}.invite_name, 'created_at', ${response}.created_at, 'updated_at', ${response}.updated_at,
    'answers', ${answers}, 'survey_id', survey.id, 'survey_name', survey.name, 'slug', survey.slug,
    'username', account.username, 'version', survey.version), ${response}.updated_at, ${response}.updated_at
  from ${from}
  join survey on survey.id = ${response}.survey_id
  join account on account.id = survey.owner_id
  join webhook on webhook.account_id = ${owner} and webhook.event = 'response_complete'
    and webhook.disabled_at is null and (webhook.survey_id is null or webhook.survey_id = ${response}.survey_id)
    and (webhook.collector_id is null or webhook.collector_id = ${response}.collector_id)`

const COMPLETED_RESPONSE = insertCompletionEvents({
  from: 'response',
  response: 'response',
  id: 'response.id',
  answers: 'response.answers',
  owner: 'survey.owner_id',
})

/**
 * Enqueues the webhook event of a stored response that has become complete. If a response is already complete when it
 * is inserted, `INSERT_BATCH` enqueues its event. Call this function after the write, in the same transaction.
 */
export async function enqueueCompletionEvent(db: Kysely<Tables>, surveyId: number, id: number): Promise<void> {
  await sql`${sql.raw(COMPLETED_RESPONSE)} where response.survey_id = ${surveyId} and response.id = ${id}`.execute(db)
}
