import { Semaphore, type SemaphoreInterface, withTimeout } from 'async-mutex'
import type { CompiledQuery } from 'kysely'
import { escapeLiteral, type Pool, type PoolClient, type QueryResultRow } from 'pg'
import { type CopyToStreamQuery, to } from 'pg-copy-streams'
import { MAX_EXPORT_STALL_MS } from '../../../lib/deadlines.ts'
import { problems } from '../../problem.ts'

/** A query with its bound values. */
export type Query = Pick<CompiledQuery, 'sql' | 'parameters'>

/** Queries in one snapshot on a separate connection. */
export interface ExportSession {
  /** Returns the rows of a small query. */
  select<Row extends QueryResultRow>(query: Query): Promise<Row[]>
  /**
   * Prepares a binary `COPY` of the rows of a query.
   * @returns a function that starts the stream. A chunk of the stream can end in the middle of a row.
   */
  copy(query: Query): Promise<() => CopyToStreamQuery>
  /** Commits and gives the connection back to the pool. Call it after all rows have been read. */
  finish(): Promise<void>
  /** Closes the connection, which stops the query. Idempotent. */
  abort(): void
}

/**
 * Statements that open a read-only transaction with one snapshot. The settings have these effects:
 * - If the service closes the connection because the client of the export has disconnected, PostgreSQL stops the query
 *   within a second, even if the query has not found any row yet.
 * - PostgreSQL reads the rows in order of the primary key instead of sorting them.
 * - While the client of the export pauses, PostgreSQL does not close the connection, from which the service then does
 *   not read. A service that pauses does not look different from a lost one, so PostgreSQL waits longer than the service
 *   waits for the client.
 */
const BEGIN = `begin isolation level repeatable read read only;
  select set_config('client_connection_check_interval', '1000', true), set_config('enable_sort', 'off', true),
    set_config('tcp_user_timeout', '${MAX_EXPORT_STALL_MS + 10_000}', true)`

/** Maximum time that an export waits for another export to end. */
const MAX_WAIT_MS = 10_000

const semaphores = new WeakMap<Pool, SemaphoreInterface>()

/**
 * Limits the number of exports to half of the connections, so that connections remain for submissions if clients read
 * slowly.
 */
function semaphoreOf(pool: Pool): SemaphoreInterface {
  const semaphore = semaphores.get(pool) ?? withTimeout(new Semaphore(Math.max(1, pool.options.max >> 1)), MAX_WAIT_MS)
  semaphores.set(pool, semaphore)
  return semaphore
}

/**
 * Opens a session. The caller must call `finish` or `abort`.
 * @throws {Problem} `too_many_exports` if too many exports are running and none ends in time
 */
export async function openSession(pool: Pool): Promise<ExportSession> {
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
    return {
      select: async <Row extends QueryResultRow>({ sql, parameters }: Query) =>
        (await client.query<Row>(sql, [...parameters])).rows,
      copy: async (query) => {
        const statement = await prepareCopy(client, query)
        return () => start(client, statement)
      },
      finish: async () => {
        await client.query('commit')
        release(false)
      },
      abort: () => release(true),
    }
  } catch (error) {
    release(true)
    throw error
  }
}

/** Connection errors need no handler, because they reject the pending query. */
const ignore = () => {}

function start(client: PoolClient, copy: string): CopyToStreamQuery {
  const rows = client.query(to(copy))
  // `abort` closes the connection, which emits an error here.
  rows.on('error', ignore)
  return rows
}

/** Name of the prepared statement, which is deallocated before the export starts. */
const STATEMENT_NAME = 'export_rows'

/**
 * Replaces the parameters of a query by literals, because `COPY` does not support parameters. The driver quotes the
 * values. Each value is cast to the type that PostgreSQL infers for the parameter. (Settings of the transaction cannot
 * be used instead: the planner and the other nodes of a distributed database would not know their values.)
 * @param types the types of the parameters in order, from `pg_prepared_statements`
 * @param values the values in PostgreSQL's text format
 */
export function replaceParameters(text: string, types: readonly string[], values: readonly (string | null)[]): string {
  return text.replace(/'(?:[^']|'')*'|"(?:[^"]|"")*"|\$(\d+)/g, (match, number: string | undefined) => {
    if (number === undefined) return match
    const type = types[Number(number) - 1]
    if (type === undefined) throw new Error(`the query has no parameter ${match}`)
    const value = values[Number(number) - 1] ?? null
    return `${value === null ? 'null' : escapeLiteral(value)}::${type}`
  })
}

/** Returns a bound value in PostgreSQL's text format; null for SQL null. */
export function valueText(value: unknown): string | null {
  if (value === null || value === undefined) return null
  if (value instanceof Date) return value.toISOString()
  if (Buffer.isBuffer(value)) return `\\x${value.toString('hex')}`
  if (Array.isArray(value)) return `{${value.map(arrayElement).join(',')}}`
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

const arrayElement = (value: unknown): string => {
  const text = valueText(value)
  return text === null ? 'null' : `"${text.replace(/["\\]/g, '\\$&')}"`
}

/**
 * Builds the `COPY` statement of a query.
 * @returns the statement that sends the rows in binary format
 */
async function prepareCopy(
  client: PoolClient,
  { sql, parameters }: Pick<CompiledQuery, 'sql' | 'parameters'>,
): Promise<string> {
  const values = parameters.map(valueText)
  await client.query(`prepare ${STATEMENT_NAME} as ${sql}`)
  const { rows } = await client.query<{ types: string[] }>(
    'select parameter_types::text[] as types from pg_prepared_statements where name = $1',
    [STATEMENT_NAME],
  )
  await client.query(`deallocate ${STATEMENT_NAME}`)
  return `copy (${replaceParameters(sql, rows[0]!.types, values)}) to stdout (format binary)`
}
