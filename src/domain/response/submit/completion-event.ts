import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../tables.ts'

/**
 * Builds the `from` clause that passes the trace spans of requests to the function `enqueue_completion_events`, in a
 * setting that lasts until the end of the transaction.
 * @param parameter the placeholder of the query parameter that has the result of {@link traceparentsOf}
 */
export const tracesFrom = (parameter: string): string =>
  `from (select set_config('canvass.traceparents', ${parameter}, true)) as traces`

/**
 * Returns a JSON object with the trace span of each traced request, by the key of the response in hexadecimal;
 * undefined if no request is traced.
 */
export function traceparentsOf(
  responses: readonly { key: Buffer; traceparent?: string | undefined }[],
): string | undefined {
  const traced = responses.filter(({ traceparent }) => traceparent !== undefined)
  if (!traced.length) return undefined
  return JSON.stringify(Object.fromEntries(traced.map(({ key, traceparent }) => [key.toString('hex'), traceparent])))
}

/**
 * Enqueues the webhook event of a stored response that has become complete (docs/specification.md 11.3). If a response
 * is already complete when it is inserted, `store_batch` enqueues its event. Call this function after the write, in the
 * same transaction.
 * @param response `traceparent` is the span of the request; it is undefined if the request is not traced or the
 *   response is anonymous
 */
export async function enqueueCompletionEvent(
  db: Kysely<Tables>,
  surveyId: number,
  response: { id: number; key: Buffer; traceparent: string | undefined },
): Promise<void> {
  const traceparents = traceparentsOf([response])
  const traces = traceparents
    ? sql`from (select set_config('canvass.traceparents', ${traceparents}, true)) as traces`
    : sql``
  await sql`select enqueue_completion_events(${surveyId}, ${[response.id]}::bigint[]) ${traces}`.execute(db)
}
