import { CompiledQuery, type Kysely } from 'kysely'
import type { Context } from '../../context.ts'
import type { Tables } from '../../tables.ts'
import { traceparentsOf, tracesFrom } from './completion-event.ts'
import type { NewResponse, SubmissionBatcher } from './submission-batcher.ts'

/** A row that `store_responses` returns: the ids in order, null for each response to validate again. */
interface StoredRow {
  ids: (string | null)[] | null
}

/** A statement that stores responses of one survey or several. */
export interface BatchStatement {
  /** Name of the prepared statement. */
  name: string
  text: string
  values: unknown[]
  /** Returns the outcomes in the order of the responses, see {@link SubmissionBatcher.submit}. */
  outcomesOf(rows: readonly StoredRow[]): (number | 'stale')[]
}

/** Readers of the parameters of `store_responses` after the survey and the ids, in order. */
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
const PARAMETERS = COLUMNS.length + 2

/**
 * Builds the statement that stores a batch: appends to the change feed, updates the counters and enqueues the webhook events
 * of complete responses, in one commit.
 *
 * Responses are skipped if the survey is deleted or has another revision; callers then validate again. If a response with
 * the key exists, the submission is a repetition: the id of the stored response is returned and nothing is written. The
 * function `store_responses` locks the row of survey_feed first, until the commit, so that the numbers of the feed follow
 * the order of commits, and neither the survey nor a collector is deleted before the commit (survey/feed.ts, lockFeed). Surveys are locked in order of id, so that batches cannot deadlock.
 *
 * @param ids the ids of the responses; absent: the node that stores them takes them from its sequence
 */
export function batchStatement(responses: readonly NewResponse[], ids?: readonly number[]): BatchStatement {
  const positions = responses.map((_, position) => position)
  const groups = [...Map.groupBy(positions, (position) => responses[position]!.surveyId)].sort(([a], [b]) => a - b)
  const traceparents = traceparentsOf(responses.filter(({ completed }) => completed === 1))
  const traces = traceparents ? tracesFrom(`$${groups.length * PARAMETERS + 1}`) : ''
  const calls = groups.map((_, group) => {
    const parameters = Array.from({ length: PARAMETERS }, (_, index) => `$${group * PARAMETERS + index + 1}`)
    return `select store_responses(${parameters.join(', ')}) as ids ${traces}`
  })
  const values = groups.flatMap(([surveyId, members]) => [
    surveyId,
    ids ? members.map((position) => ids[position]) : null,
    ...COLUMNS.map((read) => members.map((position) => read(responses[position]!))),
  ])
  return {
    name: `store_responses_${groups.length}${traceparents ? '_traced' : ''}`,
    text: calls.join(' union all '),
    values: traceparents ? [...values, traceparents] : values,
    outcomesOf(rows) {
      const outcomes = new Array<number | 'stale'>(responses.length).fill('stale')
      for (const [group, [, members]] of groups.entries())
        for (const [index, position] of members.entries()) {
          const id = rows[group]?.ids?.[index]
          if (id !== null && id !== undefined) outcomes[position] = Number(id)
        }
      return outcomes
    },
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

/** Returns a context whose responses are stored in the transaction of its entity manager instead of a shared batch. */
export function withinTransaction(context: Context): Context {
  const submissionBatcher: SubmissionBatcher = {
    submit: async (response) => (await storeBatch(context.em.getKysely<Tables>(), [response]))[0]!,
    close: async () => {},
  }
  return { ...context, services: { ...context.services, submissionBatcher } }
}
