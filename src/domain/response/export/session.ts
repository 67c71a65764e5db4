import { Semaphore, type SemaphoreInterface, withTimeout } from 'async-mutex'
import type { Pool, PoolClient } from 'pg'
import { type CopyToStreamQuery, to } from 'pg-copy-streams'
import { problems } from '../../problem.ts'
import { prepareCopy } from './statement.ts'

/** The rows of a query, as they are at one moment, on a connection of their own. */
export interface Session {
  /** Starts sending; each piece is part of the binary COPY stream, cut anywhere. */
  rows(): CopyToStreamQuery
  /** All rows have been read: the connection goes back to the pool. */
  finish(): Promise<void>
  /** The rows are no longer wanted: the connection is closed, and with it PostgreSQL stops. Harmless when done twice. */
  abandon(): void
}

/**
 * Opens a session in a read-only transaction with one snapshot. The settings: an export whose reader has gone stops
 * within a second even while it finds no row to send, and rows come in order of the key instead of being sorted first.
 */
const BEGIN = `begin isolation level repeatable read read only`
const SETTINGS = `select set_config('client_connection_check_interval', '1000', true), set_config('enable_sort', 'off', true)`

/** How long an export waits for its turn, in milliseconds. */
const MAX_WAIT_MS = 10_000

const semaphores = new WeakMap<Pool, SemaphoreInterface>()

/** Exports may hold half of the connections: readers that are slow must not keep responses from coming in. */
function semaphoreOf(pool: Pool): SemaphoreInterface {
  const semaphore = semaphores.get(pool) ?? withTimeout(new Semaphore(Math.max(1, pool.options.max >> 1)), MAX_WAIT_MS)
  semaphores.set(pool, semaphore)
  return semaphore
}

/**
 * @throws {Problem} `too_many_exports` when none of those under way ends in time
 * @throws the database's error when the query cannot be run; the connection is then gone
 */
export async function openSession(
  pool: Pool,
  query: { sql: string; parameters: readonly unknown[] },
): Promise<Session> {
  const [, leave] = await semaphoreOf(pool)
    .acquire()
    .catch(() => {
      throw problems.tooManyExports()
    })
  const client = await pool.connect().catch((error) => {
    leave()
    throw error
  })
  let held = true
  const release = (broken: boolean) => {
    if (!held) return
    held = false
    client.release(broken)
    leave()
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

/** What breaks a connection reaches whoever waits for its rows. */
const ignore = () => {}

function start(client: PoolClient, copy: string): CopyToStreamQuery {
  const rows = client.query(to(copy))
  // After the reader has left, the end of the connection is still reported here.
  rows.on('error', ignore)
  return rows
}
