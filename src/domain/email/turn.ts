import type { Pool } from 'pg'

/**
 * Works while nobody else, in any process, does for the same e-mail. The turn is a lock of the database session, so it ends
 * with a process that dies.
 * @returns false, without having worked, when somebody else has the turn
 */
export async function withTurn(pool: Pool, emailId: number, work: () => Promise<void>): Promise<boolean> {
  const client = await pool.connect()
  const key = [`send-email ${emailId}`]
  let broken = false
  const breaks = () => {
    broken = true
  }
  client.on('error', breaks)
  try {
    const { rows } = await client.query('select pg_try_advisory_lock(hashtextextended($1, 0)) as taken', key)
    if (!rows[0].taken) return false
    try {
      await work()
    } finally {
      await client.query('select pg_advisory_unlock(hashtextextended($1, 0))', key).catch(breaks)
    }
    return true
  } finally {
    client.off('error', breaks)
    client.release(broken)
  }
}
