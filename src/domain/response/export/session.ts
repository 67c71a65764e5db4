import { Semaphore, type SemaphoreInterface, withTimeout } from 'async-mutex'
import type { Pool, PoolClient } from 'pg'
import { type CopyToStreamQuery, to } from 'pg-copy-streams'
import { problems } from '../../problem.ts'
import { prepareCopy } from './statement.ts'

/** A query in one snapshot, on a connection of its own. */
export interface Session {
  /** Starts the binary COPY stream; its chunks end anywhere. */
  rows(): CopyToStreamQuery
  /** Returns the connection to the pool, after all rows have been read. */
  finish(): Promise<void>
  /** Closes the connection, which stops the query. Idempotent. */
  abandon(): void
}

/**
 * Statements that open a read-only transaction with one snapshot. By its settings the query of a disconnected client stops
 * within a second even while it finds no row, and rows are read in order of the key instead of being sorted.
 */
const BEGIN = `begin isolation level repeatable read read only`
const SETTINGS = `select set_config('client_connection_check_interval', '1000', true), set_config('enable_sort', 'off', true)`

/** Time that an export waits for a free slot. */
const MAX_WAIT_MS = 10_000

const semaphores = new WeakMap<Pool, SemaphoreInterface>()

/** Limits exports to half of the connections, so that slow clients do not block submissions. */
function semaphoreOf(pool: Pool): SemaphoreInterface {
  const semaphore = semaphores.get(pool) ?? withTimeout(new Semaphore(Math.max(1, pool.options.max >> 1)), MAX_WAIT_MS)
  semaphores.set(pool, semaphore)
  return semaphore
}

/**
 * Opens a session for a query.
 * @throws {Problem} `too_many_exports` if no slot becomes free in time
 * @throws {Error} the database's error if the query fails; the connection is closed then
 */
export async function openSession(
  pool: Pool,
  query: { sql: string; parameters: readonly unknown[] },
): Promise<Session> {
  const [, releaseSlot] = await semaphoreOf(pool)
    .acquire()
    .catch(() => {
      throw problems.tooManyExports()
    })
  const client = await pool.connect().catch((error) => {
    releaseSlot()
    throw error
  })
  let isOpen = true
  const release = (broken: boolean) => {
    if (!isOpen) return
    isOpen = false
    client.release(broken)
    releaseSlot()
    if (!broken) client.off('error', ignore)
  }
  client.on('error', ignore)
  try {
    await client.query(BEGIN)
    await client.query(SETTINGS)
    const copy = await prepareCopy(client, query)
    return {
      rows: () => start(client, copy),
      finish: async () => {
        await client.query('commit')
        release(false)
      },
      abandon: () => release(true),
    }
  } catch (error) {
    release(true)
    throw error
  }
}

/** Errors of the connection reject the pending query. */
const ignore = () => {}

function start(client: PoolClient, copy: string): CopyToStreamQuery {
  const rows = client.query(to(copy))
  // Closing the connection emits an error here after the client has disconnected.
  rows.on('error', ignore)
  return rows
}
