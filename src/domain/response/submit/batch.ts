import { CompiledQuery, type Kysely } from 'kysely'
import type { Tables } from '../../tables.ts'
import { INSERT_BATCH } from './insert.sql.ts'
import type { NewResponse } from './submission-batcher.ts'

/** What the statement answers for each row it stored or found stored: its place in the batch from 1, and its id. */
export interface Stored {
  ord: number
  id: number
}

/** The members in the order of the statement's parameters. */
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

/** The statement's parameters: an array a column. */
export const parametersOf = (responses: readonly NewResponse[]): unknown[][] =>
  COLUMNS.map((read) => responses.map(read))

/** What became of each of the `count` responses handed in, in their order: see {@link Inbox.submit}. */
export function outcomesOf(rows: readonly Stored[], count: number): (number | 'stale')[] {
  const outcomes = new Array<number | 'stale'>(count).fill('stale')
  for (const { ord, id } of rows) outcomes[ord - 1] = id
  return outcomes
}

/** Stores responses inside a transaction of the caller's, with one statement: what the inbox does, for those that need more than it. */
export async function storeBatch(db: Kysely<Tables>, responses: readonly NewResponse[]): Promise<(number | 'stale')[]> {
  const { rows } = await db.executeQuery<Stored>(CompiledQuery.raw(INSERT_BATCH, parametersOf(responses)))
  return outcomesOf(rows, responses.length)
}
