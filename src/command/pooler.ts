import type { Client } from 'pg'
import { connectionTo, DatabaseClient } from '../lib/postgres-client.ts'

const LIMIT_MS = 5_000

/**
 * Returns whether a client keeps its session of PostgreSQL. A connection pooler in transaction mode gives each
 * transaction any free session: while another client is in a transaction, the first client gets a different one.
 * @param client an open connection to the URL
 */
export async function keepsSession(client: Client, url: string): Promise<boolean> {
  const other = new DatabaseClient(
    connectionTo(url, {
      application_name: 'canvass-start',
      connectionTimeoutMillis: LIMIT_MS,
      query_timeout: LIMIT_MS,
    }),
  )
  other.on('error', () => undefined)
  try {
    const before = await sessionOf(client)
    await other.connect()
    await other.query('begin')
    await sessionOf(other)
    return (await sessionOf(client)) === before
  } catch (error) {
    // A pooler in statement mode.
    if (/transaction blocks? not allowed/i.test((error as Error).message)) return false
    throw error
  } finally {
    await other.end().catch(() => undefined)
  }
}

async function sessionOf(client: Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  return rows[0]!.pid
}
