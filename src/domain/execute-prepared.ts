import type { Kysely, RawBuilder } from 'kysely'
import { prepare } from '../lib/postgres-client.ts'
import type { Tables } from './tables.ts'

/** Executes a statement that {@link prepare} prepares. Use it for long statements that run often. */
export async function executePrepared<Row>(db: Kysely<Tables>, statement: RawBuilder<unknown>): Promise<Row[]> {
  const query = statement.compile(db)
  prepare(query.sql)
  const { rows } = await db.executeQuery(query)
  return rows as Row[]
}
