import type { Client, Pool } from 'pg'

/**
 * Returns whether the tables of responses are distributed over several nodes.
 * @param db a connection, or a pool
 */
export async function isDistributed(db: Pick<Client | Pool, 'query'>): Promise<boolean> {
  const { rows: catalogue } = await db.query(`select to_regclass('pg_catalog.pg_dist_partition') is not null as exists`)
  if (!catalogue[0].exists) return false
  const { rows } = await db.query(
    `select from pg_dist_partition where logicalrelid = to_regclass('survey_feed') and partmethod = 'h'`,
  )
  return rows.length > 0
}
