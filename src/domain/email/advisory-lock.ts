import { type Expression, type RawBuilder, sql } from 'kysely'
import type { Pool } from 'pg'

/**
 * Runs work for an email, unless another process is running work for the same email. The lock belongs to a database
 * session, so it ends when the process of the session ends.
 * @param work receives a signal that aborts if the session is lost, because the lock is lost with it
 * @returns false if another session holds the lock; then `work` is not called
 */
export async function withAdvisoryLock(
  pool: Pool,
  emailId: number,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<boolean> {
  const client = await pool.connect()
  const key = [`send-email ${emailId}`]
  const connectionLost = new AbortController()
  const onError = () => connectionLost.abort()
  client.on('error', onError)
  try {
    const { rows } = await client.query('select pg_try_advisory_lock(hashtextextended($1, 0)) as acquired', key)
    if (!rows[0].acquired) return false
    try {
      await work(connectionLost.signal)
    } finally {
      await client.query('select pg_advisory_unlock(hashtextextended($1, 0))', key).catch(onError)
    }
    return true
  } finally {
    client.off('error', onError)
    client.release(connectionLost.signal.aborted)
  }
}

/** Returns a condition: no session holds the lock of this email. */
export const isUnlocked = (emailId: Expression<number>): RawBuilder<boolean> => sql`not exists (
  select from pg_locks
  where locktype = 'advisory' and objsubid = 1
    and database = (select oid from pg_database where datname = current_database())
    and (classid::bigint << 32 | objid::bigint) = hashtextextended('send-email ' || ${emailId}, 0))`
