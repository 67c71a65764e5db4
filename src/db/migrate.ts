import { Client, type DatabaseError, escapeIdentifier } from 'pg'
import { installJobs } from './jobs.ts'
import { createMigrationOrm, NO_STATEMENT_LIMIT } from './orm.ts'

/** The key of the advisory lock that a migration holds. */
const LOCK_KEY = `hashtext('canvass-migrate')`
/** SQLSTATE of a database that does not exist. */
const INVALID_CATALOG_NAME = '3D000'
/** SQLSTATEs of an existing database; the second occurs when two sessions create it at the same time. */
const ALREADY_EXISTS = new Set(['42P04', '23505'])

/**
 * Creates the database if it does not exist, and migrates it. If several servers start at the same time, the others wait
 * for the first. Statements have no time limit.
 * @param log receives one line per step
 * @returns the names of the migrations that ran
 */
export async function migrate(url: string, log: (line: string) => void = () => undefined): Promise<string[]> {
  const session = await connect(url)
  const connectionLost = new Promise<never>((_, reject) => session.on('error', reject))
  connectionLost.catch(() => undefined)
  try {
    // Held by the session: a transaction would be idle during the migrations.
    const { rows } = await session.query<{ locked: boolean }>(`select pg_try_advisory_lock(${LOCK_KEY}) as locked`)
    if (!rows[0]!.locked) {
      log('Another server is migrating the database; waiting until it has finished')
      await session.query(`select pg_advisory_lock(${LOCK_KEY})`)
    }
    return await Promise.race([runMigrations(url, log), connectionLost])
  } finally {
    await session.end().catch(() => undefined)
  }
}

async function connect(url: string): Promise<Client> {
  const client = new Client({ connectionString: url, ...NO_STATEMENT_LIMIT })
  try {
    await client.connect()
    return client
  } catch (error) {
    await client.end()
    if ((error as DatabaseError).code !== INVALID_CATALOG_NAME) throw error
    await createDatabase(url, client.database!)
    return connect(url)
  }
}

/** Creates a database from `postgres`, which exists in every cluster. */
async function createDatabase(url: string, name: string): Promise<void> {
  const { href } = Object.assign(new URL(url), { pathname: '/postgres' })
  const client = new Client({ connectionString: href, ...NO_STATEMENT_LIMIT })
  await client.connect()
  try {
    await client.query(`create database ${escapeIdentifier(name)}`)
  } catch (error) {
    if (!ALREADY_EXISTS.has((error as DatabaseError).code ?? '')) throw error
  } finally {
    await client.end()
  }
}

async function runMigrations(url: string, log: (line: string) => void): Promise<string[]> {
  const orm = await createMigrationOrm(url)
  try {
    orm.migrator.on('migrated', ({ name }) => log(`migrated ${name}`))
    const ran = await orm.migrator.up()
    await installJobs(url)
    return ran.map(({ name }) => name)
  } finally {
    await orm.close(true)
  }
}
