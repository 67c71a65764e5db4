import { setTimeout as pause } from 'node:timers/promises'
import type { Client, DatabaseError } from 'pg'
import { isDistributed } from '../db/distribution.ts'
import { NO_STATEMENT_LIMIT } from '../db/orm.ts'
import { connectionTo, DatabaseClient } from '../lib/postgres-client.ts'

/**
 * Maximum time in milliseconds for which an attempt waits for the lock, and the pause between two attempts. While an
 * attempt waits, writes wait behind it.
 */
const LOCK_LIMIT_MS = 2_000
const LOCK_PAUSE_MS = 1_000
const LOCK_ATTEMPTS = 30
/** SQLSTATEs of a lock that was not granted in time, and of a deadlock. */
const LOCK_ERRORS = new Set(['55P03', '40P01'])

/**
 * Begins a transaction in which all queries see the database as of one moment.
 *
 * On a distributed database, each node has a snapshot of its own. Every change of responses locks a row of survey_feed
 * first, so a lock on this table keeps all responses unchanged until each node has its snapshot: a few milliseconds.
 * @param client a connection to the database of the URL
 */
export async function beginSnapshot(client: Client, url: string): Promise<void> {
  const begin = () => client.query('begin isolation level repeatable read read only')
  if (!(await isDistributed(client))) {
    await begin()
    return
  }
  const blocker = new DatabaseClient(connectionTo(url, { ...NO_STATEMENT_LIMIT, application_name: 'canvass-backup' }))
  blocker.on('error', () => undefined)
  await blocker.connect()
  try {
    await lockResponses(blocker)
    await begin()
    // There is one connection per node, because each connection has a separate snapshot.
    await client.query('set local citus.max_adaptive_executor_pool_size = 1')
    await client.query('select count(*) from survey_feed')
  } finally {
    await blocker.end()
  }
}

async function lockResponses(client: Client): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await client.query(`begin; set local lock_timeout = ${LOCK_LIMIT_MS}; lock table survey_feed in exclusive mode`)
      return
    } catch (error) {
      await client.query('rollback')
      if (!LOCK_ERRORS.has((error as DatabaseError).code ?? '') || attempt === LOCK_ATTEMPTS) throw error
      await pause(LOCK_PAUSE_MS)
    }
  }
}
