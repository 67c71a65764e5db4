import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'
import type { Tables } from './tables.ts'

/** Rows per statement, for short locks of some tens of milliseconds. */
export const BATCH_ROWS = 5_000

/**
 * Returns the rows of a query as the right side of a comparison. PostgreSQL evaluates the query first and then looks rows up by
 * key, regardless of its statistics of the table.
 */
export const anyOfRows = <Key>(rows: SelectQueryBuilder<Tables, keyof Tables, Record<string, Key>>): RawBuilder<Key> =>
  sql<Key>`any(array(${rows}))`

/**
 * Deletes rows in batches until a batch is incomplete or the signal is aborted.
 * @returns the number of deleted rows
 */
export async function deleteInBatches(
  signal: AbortSignal,
  batch: () => Promise<{ numDeletedRows: bigint }>,
): Promise<number> {
  for (let rows = 0; ; ) {
    const deleted = Number((await batch()).numDeletedRows)
    rows += deleted
    if (deleted < BATCH_ROWS || signal.aborted) return rows
  }
}
