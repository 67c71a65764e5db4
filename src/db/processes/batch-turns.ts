import { Pool, type PoolConfig } from 'pg'
import type { BatchTurns } from '../../domain/response/submit/new-response.ts'
import type { DatabaseOptions } from '../../lib/postgres-client.ts'

/** The first number of the advisory locks. The second number identifies the survey. */
const LOCK_CLASS = 1_129_665_366
const MAX_INT = 2 ** 31
/** Maximum wait for a turn in milliseconds. A batch takes a few milliseconds. */
const MAX_WAIT_MS = 1_000
/**
 * Time in milliseconds in which no turns are taken after an error, for example because another process has stopped
 * during its turn.
 */
const PAUSE_MS = 60_000

const TAKE = 'select pg_advisory_lock($1, survey) from unnest($2::integer[]) as survey'
const END = 'select pg_advisory_unlock_all()'

/** Connection errors need no handler, because they reject the next query. */
const ignore = () => undefined

/**
 * Creates the turns of one process: advisory locks of one database session. A process waits for its turn before it
 * forms its batch, instead of waiting for the lock of the change feed afterwards. The batch then contains every
 * response that arrives in the meantime. Turns only influence the size of the batches: if no turn is possible, for
 * example because the connection is lost or another process does not end its turn, the batch is stored without a turn.
 * @param session the options of the connection
 */
export function createBatchTurns(session: DatabaseOptions): BatchTurns & { close(): Promise<void> } {
  const settings = { ...session.settings, lock_timeout: `${MAX_WAIT_MS}ms` }
  const pool = new Pool({ ...session, settings, max: 1 } as PoolConfig)
  // The next turn will open another connection.
  pool.on('error', ignore)
  let pausedUntil = 0
  return {
    async take(surveyIds) {
      if (performance.now() < pausedUntil) return () => undefined
      try {
        const client = await pool.connect()
        try {
          // All processes lock in the same order, so that they cannot deadlock.
          const keys = [...new Set([...surveyIds].map((id) => id % MAX_INT))].sort((a, b) => a - b)
          await client.query({ name: 'take_turn', text: TAKE, values: [LOCK_CLASS, keys] })
        } catch (error) {
          // Closes the session, which releases any lock that it has.
          client.release(true)
          throw error
        }
        return () =>
          void client.query({ name: 'end_turn', text: END }).then(
            () => client.release(),
            () => client.release(true),
          )
      } catch {
        pausedUntil = performance.now() + PAUSE_MS
        return () => undefined
      }
    },
    close: () => pool.end(),
  }
}
