import cluster from 'node:cluster'
import { join } from 'node:path'
import type { Client, DatabaseError } from 'pg'
import { type BackupSettings, type Config, ConfigError, MIN_CONNECTIONS } from '../config.ts'
import { startEmbedded } from '../db/embedded/embedded.ts'
import { migrate } from '../db/migrate.ts'
import { type ConnectionUse, connectionsOf, fittingConnections, readConnectionLimit } from '../db/orm.ts'
import { acceptNextSecretKey, assertSecretKey, storeSecretKey } from '../db/secret-key.ts'
import { connectionTo, DatabaseClient } from '../lib/postgres-client.ts'
import { parsePostgresUrl, withDatabase } from '../lib/postgres-url.ts'
import { limitStop, type StopReason } from './stop.ts'

/** The URL of a database that a command can use, and the function that ends the use. */
export interface OpenDatabase {
  url: string
  stop(): Promise<void>
}

interface OpenOptions {
  /** Ends waiting for other servers and for locks. */
  signal?: AbortSignal
  /** Whether the database is used with the secret key from now on, even if it was used with another one. */
  acceptsSecretKey?: boolean
}

/** A database with the number of connections that a process can open. */
interface FittedDatabase extends OpenDatabase {
  databaseConnections: number
}

/** Name of the database inside the embedded cluster. */
export const DATABASE_NAME = 'canvass'

/** The oldest supported major version of PostgreSQL. */
const MIN_POSTGRESQL_VERSION = 15

const TRANSACTION_POOLER =
  'a connection pooler gives each transaction another session, so locks, prepared statements and notifications would be lost. Set the pooler to session mode (pool_mode = session in PgBouncer), or connect to PostgreSQL directly. docs/postgresql.md describes both.'

/** Timeout of the connection and of each query in milliseconds. */
const CONNECT_TIMEOUT_MS = 10_000

/** SQLSTATE of a database that does not exist; the migration creates it. */
const INVALID_CATALOG_NAME = '3D000'

/**
 * Opens the database of `DATABASE_URL`, or starts the embedded database in the data folder. Then migrates the database
 * and prints each step.
 * @throws {ConfigError} when the database cannot be reached, is read-only, was used with another secret key, or its
 *   PostgreSQL is too old
 */
export async function openDatabase(config: Config, options: OpenOptions = {}): Promise<OpenDatabase> {
  const database = config.databaseUrl ? await openExternal(config.databaseUrl) : await openEmbedded(config)
  return migrateOrStop(database, config, options)
}

/**
 * Opens and migrates the database for a server or worker.
 * @param signalled resolves with the first reason to stop
 * @param use the processes that share the connections
 * @returns undefined if the process has to stop while it waits for another server or for a lock
 */
export async function openUntilSignal(
  config: Config,
  signalled: Promise<StopReason>,
  use: ConnectionUse = config,
): Promise<FittedDatabase | undefined> {
  const stopping = new AbortController()
  let isOpen = false
  void signalled.then(() => {
    if (isOpen) return
    limitStop()
    stopping.abort()
  })
  try {
    const database = await openDatabase(config, { signal: stopping.signal })
    return { ...database, databaseConnections: await fitConnections(database, use) }
  } catch (error) {
    if (stopping.signal.aborted) return undefined
    throw error
  } finally {
    isOpen = true
  }
}

/**
 * Opens and migrates an existing database.
 * @throws {ConfigError} as {@link openDatabase}; also when the database of `DATABASE_URL` does not exist
 */
export async function openExistingDatabase(config: Config): Promise<OpenDatabase> {
  if (!config.databaseUrl) return openDatabase(config)
  return migrateOrStop(await openExternal(config.databaseUrl, 'must exist'), config)
}

/**
 * Opens a database for a backup or restore, without migrating it. The database of `DATABASE_URL` need not exist.
 * @throws {ConfigError} as {@link openDatabase}
 */
export const openUnmigrated = ({ databaseUrl, dataDir }: BackupSettings): Promise<OpenDatabase> =>
  databaseUrl ? openExternal(databaseUrl) : openEmbedded({ dataDir })

/** Returns the number of connections for each process, and prints why if it is smaller than the setting. */
async function fitConnections(database: OpenDatabase, use: ConnectionUse): Promise<number> {
  const client = new DatabaseClient(connectionTo(database.url, { application_name: 'canvass-start' }))
  try {
    await client.connect()
    const limit = await readConnectionLimit(client)
    const fitting = fittingConnections(use, limit.count)
    if (fitting < MIN_CONNECTIONS) {
      const needed = connectionsOf({ ...use, databaseConnections: MIN_CONNECTIONS })
      throw new ConfigError(
        `DATABASE_URL: ${limit.by} allows ${limit.count} connections, but this server needs at least ${needed}. Run in psql: ${limit.raise(connectionsOf(use))}`,
      )
    }
    if (fitting < use.databaseConnections && cluster.isPrimary)
      console.log(
        `${limit.by.replace(/^t/, 'T')} allows ${limit.count} connections: each process opens at most ${fitting} instead of ${use.databaseConnections} (DATABASE_CONNECTIONS). For more: ${limit.raise(connectionsOf(use))}`,
      )
    return fitting
  } catch (error) {
    await database.stop()
    throw error
  } finally {
    await client.end().catch(() => undefined)
  }
}

async function migrateOrStop(
  database: OpenDatabase,
  { secretKey }: Config,
  { signal, acceptsSecretKey }: OpenOptions = {},
): Promise<OpenDatabase> {
  try {
    // With another key, the service would revoke the API key of the administrator, and write what nobody can read.
    if (!acceptsSecretKey) await assertSecretKey(database.url, secretKey)
    await migrate(database.url, { log: (line) => console.log(line), signal })
    if (acceptsSecretKey) await acceptNextSecretKey(database.url)
    await storeSecretKey(database.url, secretKey)
  } catch (error) {
    await database.stop()
    throw error
  }
  return database
}

/**
 * Verifies that the database of `DATABASE_URL` can be used.
 * @param missing whether a database that does not exist is an error, or is created later
 * @throws {ConfigError} when it cannot be reached, is missing, is read-only, or its PostgreSQL is too old
 */
export async function openExternal(
  url: string,
  missing: 'must exist' | 'is created' = 'is created',
): Promise<OpenDatabase> {
  const client = new DatabaseClient(
    connectionTo(url, {
      application_name: 'canvass-start',
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: CONNECT_TIMEOUT_MS,
    }),
  )
  const at = addressesOf(url)
  try {
    await client.connect()
    await checkServer(client)
    if (!(await keepsSession(client, url))) throw new ConfigError(`DATABASE_URL: ${TRANSACTION_POOLER}`)
  } catch (error) {
    if (error instanceof ConfigError) throw error
    const { code, message } = error as DatabaseError
    if (code === INVALID_CATALOG_NAME && missing === 'must exist')
      throw new ConfigError(`DATABASE_URL: ${message} at ${at}. Check the name, or run "canvass migrate" to create it.`)
    if (code !== INVALID_CATALOG_NAME)
      throw new ConfigError(
        `DATABASE_URL: cannot connect to the database at ${at}: ${message || code}. ${adviceFor(code)}`,
      )
    // The database does not exist yet, so check the server through `postgres`, which always exists.
    await openExternal(withDatabase(url, 'postgres'))
  } finally {
    await client.end()
  }
  return { url, stop: async () => undefined }
}

/** Returns the hosts and ports of a URL, for messages. */
const addressesOf = (url: string): string =>
  [...new Set(parsePostgresUrl(url).candidates.map(({ host, port }) => `${host}:${port}`))].join(', ')

/** Returns what to do about an error of a connection. */
function adviceFor(code = ''): string {
  if (/CERT|^UNABLE_TO_|^ERR_TLS|^ERR_SSL|^ERR_OSSL/.test(code))
    return 'Add sslrootcert=FILE with the certificate of the authority to DATABASE_URL, and check the host name; sslmode=require encrypts without verifying the server.'
  if (code === '53300')
    return 'Raise the limit of connections of the role, the database or the server. docs/postgresql.md says how many connections are needed.'
  if (code === '08P01') return 'If this is a pooler, see docs/postgresql.md.'
  if (!code) return 'Check that PostgreSQL is running; a pooler needs a free connection (see docs/postgresql.md).'
  if (code === '28000') return 'Check the rules in pg_hba.conf of PostgreSQL, and sslmode in DATABASE_URL.'
  return 'Check that PostgreSQL is running, and check the host, user and password.'
}

/**
 * Verifies the version of the server, and that the server accepts writes.
 * @throws {ConfigError}
 */
async function checkServer(client: Client): Promise<void> {
  const { rows } = await client.query<{ number: number; version: string; read_only: boolean }>(
    `select current_setting('server_version_num')::integer as number, current_setting('server_version') as version,
      current_setting('transaction_read_only')::boolean as read_only`,
  )
  const { number, version, read_only } = rows[0]!
  const at = `at ${client.host}:${client.port}`
  if (number < MIN_POSTGRESQL_VERSION * 10_000)
    throw new ConfigError(
      `DATABASE_URL: PostgreSQL ${version} ${at} is too old. Use version ${MIN_POSTGRESQL_VERSION} or newer.`,
    )
  if (read_only)
    throw new ConfigError(
      `DATABASE_URL: the database ${at} is read-only (a standby, or default_transaction_read_only is on). Use a primary server that accepts writes.`,
    )
}

async function openEmbedded({ dataDir }: Pick<Config, 'dataDir'>): Promise<OpenDatabase> {
  const cluster = await startEmbedded(join(dataDir, 'postgres'), {
    log: (line) => console.log(line),
    onLost: ({ message }) => {
      console.error(message)
      process.exit(1)
    },
  })
  return { url: cluster.url(DATABASE_NAME), stop: cluster.stop }
}

const LIMIT_MS = 5_000

/**
 * Returns whether a client keeps its session of PostgreSQL. A connection pooler in transaction mode gives each
 * transaction any free session: while another client is in a transaction, the first client gets a different one.
 * @param client an open connection to the URL
 */
async function keepsSession(client: Client, url: string): Promise<boolean> {
  const other = new DatabaseClient(
    connectionTo(url, {
      application_name: 'canvass-start',
      connectionTimeoutMillis: LIMIT_MS,
      query_timeout: LIMIT_MS,
    }),
  )
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
