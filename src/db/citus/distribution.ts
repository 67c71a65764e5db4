import type { Client, Pool } from 'pg'

type Db = Pick<Client | Pool, 'query'>

/** Returns whether the database has the extension Citus, so that it can be distributed. */
export async function hasCitus(db: Db): Promise<boolean> {
  const { rows } = await db.query(`select to_regclass('pg_catalog.pg_dist_partition') is not null as exists`)
  return rows[0].exists
}

/**
 * Returns whether the tables of responses are distributed over several nodes.
 * @param db a connection, or a pool
 */
export async function isDistributed(db: Db): Promise<boolean> {
  if (!(await hasCitus(db))) return false
  const { rows } = await db.query(
    `select from pg_dist_partition where logicalrelid = to_regclass('survey_feed') and partmethod = 'h'`,
  )
  return rows.length > 0
}
