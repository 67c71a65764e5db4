import { join } from 'node:path'
import { Client, type DatabaseError } from 'pg'
import { type Config, ConfigError } from '../config.ts'
import { startEmbedded } from '../db/embedded.ts'
import { migrate } from '../db/migrate.ts'

/** A database that is up to date, wherever it runs. */
export interface OpenDatabase {
  url: string
  stop(): Promise<void>
}

/** Name of the database inside the embedded cluster. */
const DATABASE_NAME = 'canvass'

/** The oldest major version of PostgreSQL that has all we use. */
const MIN_POSTGRESQL_VERSION = 15

/** How long the first connection may take, in milliseconds. */
const CONNECT_TIMEOUT_MS = 10_000

/** PostgreSQL's code for a database that does not exist: migrating makes it. */
const INVALID_CATALOG_NAME = '3D000'

/**
 * Opens the database of the settings, or starts the embedded one in the data folder; then migrates, telling each step.
 * @throws ConfigError when DATABASE_URL leads nowhere, or to a PostgreSQL that is too old or read-only
 */
export async function openDatabase(config: Config): Promise<OpenDatabase> {
  const database = config.databaseUrl ? await openExternal(config.databaseUrl) : await openEmbedded(config)
  return migrateOrStop(database)
}

/**
 * Opens and migrates a database that exists.
 * @throws ConfigError when DATABASE_URL leads nowhere, or names a database that does not exist
 */
export async function openExistingDatabase(config: Config): Promise<OpenDatabase> {
  if (!config.databaseUrl) return openDatabase(config)
  return migrateOrStop(await openExternal(config.databaseUrl, 'must exist'))
}

async function migrateOrStop(database: OpenDatabase): Promise<OpenDatabase> {
  try {
    await migrate(database.url, (line) => console.log(line))
  } catch (error) {
    await database.stop()
    throw error
  }
  return database
}

async function openExternal(url: string, missing: 'must exist' | 'is created' = 'is created'): Promise<OpenDatabase> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT_MS })
  const { host, port } = client
  try {
    await client.connect()
    await checkServer(client)
  } catch (error) {
    if (error instanceof ConfigError) throw error
    const { code, message } = error as DatabaseError
    if (code === INVALID_CATALOG_NAME && missing === 'must exist')
      throw new ConfigError(
        `DATABASE_URL: ${message} at ${host}:${port}. Check the name, or run "migrate" to create it.`,
      )
    if (code !== INVALID_CATALOG_NAME)
      throw new ConfigError(`DATABASE_URL: there is no way into the database at ${host}:${port}: ${message || code}`)
    // It is created from within `postgres`, by the same server.
    await openExternal(Object.assign(new URL(url), { pathname: '/postgres' }).href)
  } finally {
    await client.end()
  }
  return { url, stop: async () => undefined }
}

/** @throws ConfigError for a server that is too old, or that takes no writes */
async function checkServer(client: Client): Promise<void> {
  const { rows } = await client.query<{ number: number; version: string; read_only: boolean }>(
    `select current_setting('server_version_num')::integer as number, current_setting('server_version') as version,
      current_setting('transaction_read_only')::boolean as read_only`,
  )
  const { number, version, read_only } = rows[0]!
  const at = `at ${client.host}:${client.port}`
  if (number < MIN_POSTGRESQL_VERSION * 10_000)
    throw new ConfigError(
      `DATABASE_URL: PostgreSQL ${version} ${at} is too old: use ${MIN_POSTGRESQL_VERSION} or newer.`,
    )
  if (read_only)
    throw new ConfigError(
      `DATABASE_URL: the database ${at} is read-only (a standby, or default_transaction_read_only is on). Use one that can be written to.`,
    )
}

async function openEmbedded({ dataDir }: Config): Promise<OpenDatabase> {
  const cluster = await startEmbedded(join(dataDir, 'postgres'), {
    log: (line) => console.log(line),
    onLost: ({ message }) => {
      console.error(message)
      process.exit(1)
    },
  })
  return { url: cluster.url(DATABASE_NAME), stop: cluster.stop }
}
