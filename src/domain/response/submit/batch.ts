import { CompiledQuery, type Kysely } from 'kysely'
import type { Context } from '../../context.ts'
import type { Tables } from '../../tables.ts'
import { INSERT_BATCH } from './insert.sql.ts'
import type { NewResponse, SubmissionBatcher } from './submission-batcher.ts'

/** A row returned by `INSERT_BATCH` for a stored response. */
export interface InsertedRow {
  /** Position in the batch, from 1. */
  ord: number
  id: number
}

/** Readers of the parameters of `INSERT_BATCH`, in order. */
const COLUMNS: readonly ((response: NewResponse) => unknown)[] = [
  (r) => r.surveyId,
  (r) => r.revision,
  (r) => r.collectorId,
  (r) => r.key,
  (r) => r.completed,
  (r) => r.answers,
  (r) => r.createdAt,
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
  (r) => r.updatedAt ?? r.createdAt,
]

/** Returns the parameters of `INSERT_BATCH`: one array per column. */
export const parametersOf = (responses: readonly NewResponse[]): unknown[][] =>
  COLUMNS.map((read) => responses.map(read))

/** Returns the outcomes of a batch in order, see {@link SubmissionBatcher.submit}. */
export function outcomesOf(rows: readonly InsertedRow[], count: number): (number | 'stale')[] {
  const outcomes = new Array<number | 'stale'>(count).fill('stale')
  for (const { ord, id } of rows) outcomes[ord - 1] = id
  return outcomes
}

/**
 * Stores responses with one statement in the caller's transaction.
 * @returns as {@link SubmissionBatcher.submit}
 */
export async function storeBatch(db: Kysely<Tables>, responses: readonly NewResponse[]): Promise<(number | 'stale')[]> {
  const { rows } = await db.executeQuery<InsertedRow>(CompiledQuery.raw(INSERT_BATCH, parametersOf(responses)))
  return outcomesOf(rows, responses.length)
}

/** Returns a context whose responses are stored in the transaction of its entity manager instead of a shared batch. */
export function withinTransaction(context: Context): Context {
  const submissionBatcher: SubmissionBatcher = {
    submit: async (response) => (await storeBatch(context.em.getKysely<Tables>(), [response]))[0]!,
    close: async () => {},
  }
  return { ...context, services: { ...context.services, submissionBatcher } }
}
