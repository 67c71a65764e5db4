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
const NAME = 'canvass'

/** PostgreSQL's code for a database that does not exist: migrating makes it. */
const MISSING = '3D000'

/**
 * Opens the database of the settings, or starts the embedded one in the data folder; then migrates, telling each step.
 * @throws ConfigError when DATABASE_URL leads nowhere
 */
export async function openDatabase(config: Config): Promise<OpenDatabase> {
  const database = config.databaseUrl ? await reached(config.databaseUrl) : await embedded(config)
  return migrated(database)
}

/**
 * Opens and migrates a database that exists.
 * @throws ConfigError when DATABASE_URL leads nowhere, or names a database that does not exist
 */
export async function openExistingDatabase(config: Config): Promise<OpenDatabase> {
  if (!config.databaseUrl) return openDatabase(config)
  return migrated(await reached(config.databaseUrl, 'must exist'))
}

async function migrated(database: OpenDatabase): Promise<OpenDatabase> {
  try {
    await migrate(database.url, (line) => console.log(line))
  } catch (error) {
    await database.stop()
    throw error
  }
  return database
}

async function reached(url: string, missing: 'must exist' | 'is created' = 'is created'): Promise<OpenDatabase> {
  const client = new Client({ connectionString: url })
  try {
    await client.connect()
  } catch (error) {
    const { code, message } = error as DatabaseError
    const { host, port } = client
    if (code === MISSING && missing === 'must exist')
      throw new ConfigError(
        `DATABASE_URL: ${message} at ${host}:${port}. Check the name, or run "migrate" to create it.`,
      )
    if (code !== MISSING)
      throw new ConfigError(`DATABASE_URL: there is no way into the database at ${host}:${port}: ${message || code}`)
  } finally {
    await client.end()
  }
  return { url, stop: async () => undefined }
}

async function embedded({ dataDir }: Config): Promise<OpenDatabase> {
  const cluster = await startEmbedded(join(dataDir, 'postgres'), {
    log: (line) => console.log(line),
    onLost: ({ message }) => {
      console.error(message)
      process.exit(1)
    },
  })
  return { url: cluster.url(NAME), stop: cluster.stop }
}
