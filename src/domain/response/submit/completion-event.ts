import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../tables.ts'

/**
 * Enqueues the webhook event of a stored response that has become complete (docs/specification.md 11.3). If a response is
 * already complete when it is inserted, `store_responses` enqueues its event. Call this function after the write, in the
 * same transaction.
 */
export async function enqueueCompletionEvent(db: Kysely<Tables>, surveyId: number, id: number): Promise<void> {
  await sql`select enqueue_completion_events(${surveyId}, ${[id]}::bigint[])`.execute(db)
}
