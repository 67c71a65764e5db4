import { CompiledQuery, type Kysely, sql } from 'kysely'
import type { Context } from '../../context.ts'
import type { Tables } from '../../tables.ts'
import type { NewResponse, SubmissionBatcher } from './new-response.ts'

/**
 * Builds the `from` clause that passes the trace spans of requests to the function `enqueue_completion_events`, in a
 * setting that lasts until the end of the transaction.
 * @param parameter the placeholder of the query parameter that has the result of {@link traceparentsOf}
 */
const tracesFrom = (parameter: string): string =>
  `from (select set_config('canvass.traceparents', ${parameter}, true)) as traces`

/**
 * Returns a JSON object with the trace span of each traced request, by the key of the response in hexadecimal;
 * undefined if no request is traced.
 */
function traceparentsOf(responses: readonly { key: Buffer; traceparent?: string | undefined }[]): string | undefined {
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

/**
 * The row that `store_batch` returns: the ids of the responses in their order. The id is null if a response must be
 * validated again.
 */
interface StoredRow {
  ids: (string | null)[]
}

/** A statement that stores responses of one survey or several. */
interface BatchStatement {
  /** Name of the prepared statement. */
  name: string
  text: string
  values: unknown[]
  /**
   * Returns the result for each response, in the order of the responses: the id or `stale`, as {@link
   * SubmissionBatcher.submit} does.
   */
  outcomesOf(rows: readonly StoredRow[]): (number | 'stale')[]
}

/**
 * The last parameters of `store_batch`, in order. Each parameter is an array with one value for each response. Each
 * function returns the value of a response for one parameter.
 */
const COLUMNS: readonly ((response: NewResponse) => unknown)[] = [
  (r) => r.revision,
  (r) => r.collectorId,
  (r) => r.key,
  (r) => r.completed,
  (r) => r.answers,
  (r) => r.createdAt,
  (r) => r.updatedAt ?? r.createdAt,
  (r) => r.locale,
  (r) => r.completionTime,
  (r) => r.weightedScore,
  (r) => r.language,
  (r) => r.username,
  (r) => r.ipAddress,
  (r) => r.getVariables,
  (r) => r.referrer,
  (r) => r.pagepath,
  (r) => r.inviteCode,
  (r) => r.inviteEmail,
  (r) => r.inviteName,
]
/** Number of parameters before those of {@link COLUMNS}. */
const FIRST_PARAMETERS = 6
const PLACEHOLDERS = Array.from({ length: FIRST_PARAMETERS + COLUMNS.length }, (_, index) => `$${index + 1}`)
const STORE = `select store_batch(${PLACEHOLDERS.join(', ')}) as ids`
const STORE_TRACED = `${STORE} ${tracesFrom(`$${PLACEHOLDERS.length + 1}`)}`

/**
 * Returns the first five parameters of `store_batch`:
 * - the id of the first survey in the list that follows
 * - a list of the ids of all surveys, in ascending order
 * - for each survey, the number of its responses in the batch
 * - for each response, the position of its survey in the list
 * - for each response, its position among the responses of the batch to the same survey
 */
function surveyParameters(responses: readonly NewResponse[]): unknown[] {
  const surveys = [...new Set(responses.map(({ surveyId }) => surveyId))].sort((a, b) => a - b)
  const positions = new Map(surveys.map((surveyId, index) => [surveyId, index + 1]))
  const totals = surveys.map(() => 0)
  const surveyPositions = responses.map(({ surveyId }) => positions.get(surveyId)!)
  const feedPositions = surveyPositions.map((position) => ++totals[position - 1]!)
  return [surveys[0], surveys, totals, surveyPositions, feedPositions]
}

/**
 * Builds the statement that stores a batch: appends to the change feed, updates the counters and enqueues the webhook
 * events of complete responses, in one commit.
 *
 * Responses are skipped if the survey is deleted or has another revision; callers then validate again. If a response
 * with the key exists, the submission is a repetition: the id of the stored response is returned and nothing is
 * written. The function `store_batch` first locks the row of `survey_feed` until the commit. Therefore the numbers of
 * the feed follow the order of commits, and neither the survey nor a collector is deleted before the commit
 * (survey/feed.ts, lockFeed). Surveys are locked in order of id, so that batches cannot deadlock.
 *
 * @param responses at least one; on a distributed database, all to the same survey
 * @param ids the ids of the responses; absent: the function takes them from the sequence
 */
export function batchStatement(responses: readonly NewResponse[], ids?: readonly number[]): BatchStatement {
  const traceparents = traceparentsOf(responses.filter(({ completed }) => completed === 1))
  return {
    name: traceparents ? 'store_batch_traced' : 'store_batch',
    text: traceparents ? STORE_TRACED : STORE,
    values: [
      ...surveyParameters(responses),
      ids ?? null,
      ...COLUMNS.map((read) => responses.map(read)),
      ...(traceparents ? [traceparents] : []),
    ],
    outcomesOf: ([row]) => responses.map((_, index) => (row?.ids[index] == null ? 'stale' : Number(row.ids[index]))),
  }
}

/**
 * Stores responses with one statement in the caller's transaction.
 * @returns as {@link SubmissionBatcher.submit}
 */
export async function storeBatch(db: Kysely<Tables>, responses: readonly NewResponse[]): Promise<(number | 'stale')[]> {
  const { text, values, outcomesOf } = batchStatement(responses)
  const { rows } = await db.executeQuery<StoredRow>(CompiledQuery.raw(text, values))
  return outcomesOf(rows)
}

/** Returns a context that stores responses in the transaction of its entity manager, and not in a batch. */
export function withinTransaction(context: Context): Context {
  const submissionBatcher: SubmissionBatcher = {
    submit: async (response) => (await storeBatch(context.em.getKysely<Tables>(), [response]))[0]!,
    close: async () => {},
  }
  return { ...context, services: { ...context.services, submissionBatcher } }
}
