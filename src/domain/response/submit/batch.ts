import { CompiledQuery, type Kysely } from 'kysely'
import type { Tables } from '../../tables.ts'
import { INSERT_BATCH } from './insert.sql.ts'
import type { NewResponse } from './submission-batcher.ts'

/** Result of the statement for a row that is stored now: its position in the batch from 1, and its id. */
export interface InsertedRow {
  ord: number
  id: number
}

/** Members in the order of the statement's parameters. */
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

/** Returns the parameters of the statement: one array per column. */
export const parametersOf = (responses: readonly NewResponse[]): unknown[][] =>
  COLUMNS.map((read) => responses.map(read))

/** Returns the outcome of each response, in the order of the batch: see {@link SubmissionBatcher.submit}. */
export function outcomesOf(rows: readonly InsertedRow[], count: number): (number | 'stale')[] {
  const outcomes = new Array<number | 'stale'>(count).fill('stale')
  for (const { ord, id } of rows) outcomes[ord - 1] = id
  return outcomes
}

/** Stores responses with one statement in the caller's transaction. @returns as {@link SubmissionBatcher.submit} */
export async function storeBatch(db: Kysely<Tables>, responses: readonly NewResponse[]): Promise<(number | 'stale')[]> {
  const { rows } = await db.executeQuery<InsertedRow>(CompiledQuery.raw(INSERT_BATCH, parametersOf(responses)))
  return outcomesOf(rows, responses.length)
}
