import type { Client } from 'pg'

/** A table that exists in a database while a restore fills it, so that no server uses an incomplete database. */
const MARKER = 'public.unfinished_restore'

/** Marks the database as incomplete. */
export const markRestore = (client: Client): Promise<unknown> => client.query(`create table if not exists ${MARKER} ()`)

/** Marks the database as complete. */
export const unmarkRestore = (client: Client): Promise<unknown> => client.query(`drop table if exists ${MARKER}`)

/** Returns whether a restore has begun and not finished. */
export async function isRestoreUnfinished(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ marked: boolean }>(`select to_regclass('${MARKER}') is not null as marked`)
  return rows[0]!.marked
}
