import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'
import type { Tables } from './tables.ts'

/** Rows that one statement deletes: some tens of milliseconds, so that nobody waits for its locks. */
export const BATCH_ROWS = 5_000

/**
 * The rows of a query, as the right side of a comparison: they are looked up first and then by key, whatever the
 * planner thinks of the table (a million rows that stay are never read for a few that go).
 */
export const anyOfRows = <Key>(rows: SelectQueryBuilder<Tables, keyof Tables, Record<string, Key>>): RawBuilder<Key> =>
  sql<Key>`any(array(${rows}))`

/** Deletes a batch at a time until less than a whole one is found, or until it is told to stop. @returns how many rows */
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
