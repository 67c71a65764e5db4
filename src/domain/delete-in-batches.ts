import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'
import type { Tables } from './tables.ts'

/** Maximum number of rows per statement, so that rows are locked for some tens of milliseconds only. */
export const DELETE_BATCH_ROWS = 5_000

/**
 * Returns the rows of a query as the right side of a comparison. PostgreSQL then evaluates the query first and looks up
 * rows by key, whatever the planner statistics of the table say.
 */
export const anyOfRows = <Key>(rows: SelectQueryBuilder<Tables, keyof Tables, Record<string, Key>>): RawBuilder<Key> =>
  sql<Key>`any(array(${rows}))`

/**
 * Deletes rows in batches until a batch is smaller than the limit or the signal is aborted.
 * @returns the number of deleted rows
 */
export async function deleteInBatches(
  signal: AbortSignal,
  batch: () => Promise<{ numDeletedRows: bigint }>,
): Promise<number> {
  for (let total = 0; ; ) {
    const deleted = Number((await batch()).numDeletedRows)
    total += deleted
    if (deleted < DELETE_BATCH_ROWS || signal.aborted) return total
  }
}
