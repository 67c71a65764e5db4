import { Client, type DatabaseError, escapeIdentifier } from 'pg'
import { installJobs } from './jobs.ts'
import { createMigrationOrm, NO_STATEMENT_LIMIT } from './orm.ts'

/** The advisory lock of whoever migrates. */
const LOCK_KEY = `hashtext('canvass-migrate')`
/** PostgreSQL's code for a database that does not exist. */
const INVALID_CATALOG_NAME = '3D000'
/** Its codes for one that exists already; the second is answered when two sessions create it at the same moment. */
const ALREADY_EXISTS = new Set(['42P04', '23505'])

/**
 * Creates a database unless it exists, and brings it up to the newest schema. Several servers may do so at once: the others
 * wait for the first, and find nothing to do. No statement has a time limit.
 * @param say takes one line for each step
 * @returns the names of the migrations that ran
 */
export async function migrate(url: string, say: (line: string) => void = () => undefined): Promise<string[]> {
  const session = await connect(url)
  const lost = new Promise<never>((_, reject) => session.on('error', reject))
  lost.catch(() => undefined)
  try {
    // Held by a session and not by a transaction, which would be idle for as long as the migrations take.
    const { rows } = await session.query<{ locked: boolean }>(`select pg_try_advisory_lock(${LOCK_KEY}) as locked`)
    if (!rows[0]!.locked) {
      say('another server migrates the database: waiting until it is done')
      await session.query(`select pg_advisory_lock(${LOCK_KEY})`)
    }
    return await Promise.race([runMigrations(url, say), lost])
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

/** Creates a database from within `postgres`, which every cluster has. */
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

async function runMigrations(url: string, say: (line: string) => void): Promise<string[]> {
  const orm = await createMigrationOrm(url)
  try {
    orm.migrator.on('migrated', ({ name }) => say(`migrated ${name}`))
    const ran = await orm.migrator.up()
    await installJobs(url)
    return ran.map(({ name }) => name)
  } finally {
    await orm.close(true)
  }
}
