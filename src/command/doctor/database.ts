import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Client } from 'pg'
import type { InspectedConfig } from '../../config.ts'
import { startEmbedded } from '../../db/embedded.ts'
import { migrationNames } from '../../db/migrate.ts'
import { missingPrivileges } from '../../db/privileges.ts'
import { connectionTo, DatabaseClient } from '../../lib/postgres-client.ts'
import { PROGRAM_VERSION } from '../../lib/program-version.ts'
import { DATABASE_NAME, openExternal } from '../database.ts'
import { checkEncryption } from './encryption.ts'
import { type Findings, reasonOf } from './finding.ts'
import { checkServerSettings } from './server-settings.ts'

/** Differences of the clocks, in milliseconds, that cause a warning or an error. */
const CLOCK_WARNING_MS = 2_000
const CLOCK_ERROR_MS = 60_000

/** The extensions that the migrations create. */
const EXTENSIONS = ['btree_gin', 'pg_trgm']

/** An open database. */
export interface CheckedDatabase {
  url: string
  client: Client
  /** Whether the schema is that of this program. */
  isCurrent: boolean
  stop(): Promise<void>
}

/**
 * Checks the database of `DATABASE_URL`, or the embedded database. Does not create or migrate it.
 * @returns undefined if the database does not exist or cannot be queried
 */
export async function checkDatabase(config: InspectedConfig, found: Findings): Promise<CheckedDatabase | undefined> {
  const opened = await open(config, found)
  if (!opened) return undefined
  const client = new DatabaseClient(connectionTo(opened.url, { application_name: 'canvass-doctor' }))
  client.on('error', () => undefined)
  const stop = async () => {
    await client.end().catch(() => undefined)
    await opened.stop()
  }
  try {
    await client.connect()
    const { rows } = await client.query<{ version: string }>(`select current_setting('server_version') as version`)
    found.ok('connection', `PostgreSQL ${rows[0]!.version} responds and accepts writes`)
    await checkEncryption(client, opened.url, found)
    await checkPrivileges(client, found)
    await checkServerSettings(client, config, found)
    await checkClock(client, found)
    return { url: opened.url, client, isCurrent: await checkSchema(client, found), stop }
  } catch (error) {
    found.error('connection', `A query failed: ${reasonOf(error)}.`, 'Read the log of PostgreSQL.')
    await stop()
    return undefined
  }
}

async function open(
  { databaseUrl, dataDir }: InspectedConfig,
  found: Findings,
): Promise<Omit<CheckedDatabase, 'client' | 'isCurrent'> | undefined> {
  const folder = join(dataDir, 'postgres')
  try {
    if (databaseUrl) return await openExternal(databaseUrl, 'must exist')
    if (!existsSync(folder)) {
      found.ok('connection', `there is no database yet: the first start creates it in ${folder}`)
      return undefined
    }
    const cluster = await startEmbedded(folder)
    return { url: cluster.url(DATABASE_NAME), stop: cluster.stop }
  } catch (error) {
    found.explained('connection', reasonOf(error), `Read the log ${folder}.log.`)
    return undefined
  }
}

/** Compares the clock of this machine with that of PostgreSQL, because both set due times and compare them. */
async function checkClock(client: Client, found: Findings): Promise<void> {
  const before = Date.now()
  const { rows } = await client.query<{ now: number }>(
    'select extract(epoch from clock_timestamp())::float8 * 1000 as now',
  )
  const after = Date.now()
  // PostgreSQL read its clock at some time between these two readings.
  const difference = Math.max(rows[0]!.now - after, before - rows[0]!.now, 0)
  if (difference < CLOCK_WARNING_MS) return found.ok('clock', 'the clocks of this machine and of PostgreSQL agree')
  found[difference < CLOCK_ERROR_MS ? 'warning' : 'error'](
    'clock',
    `The clocks of this machine and of PostgreSQL differ by ${Math.round(difference / 1000)} seconds: emails are sent at wrong times, and links expire too early or too late.`,
    'Run a time service such as chrony on both machines.',
  )
}

async function checkPrivileges(client: Client, found: Findings): Promise<void> {
  const missing = await missingPrivileges(client)
  for (const { message, mend } of missing) found.error('privileges', message, mend)
  if (!missing.length) found.ok('privileges', 'the role may create and alter tables, schemas and extensions')
}

async function checkSchema(client: Client, found: Findings): Promise<boolean> {
  const { rows: tables } = await client.query<{ exists: boolean }>(
    `select to_regclass('migration') is not null as exists`,
  )
  const { rows } = tables[0]!.exists ? await client.query<{ name: string }>('select name from migration') : { rows: [] }
  const executed = new Set(rows.map(({ name }) => name))
  const pending = migrationNames.filter((name) => !executed.delete(name))
  if (executed.size) {
    found.error(
      'schema',
      `A newer version of Canvass has migrated the database (${[...executed].at(-1)}); this is version ${PROGRAM_VERSION}.`,
      'Start the newer version, or read "Downgrade" in docs/operations.md.',
    )
    return false
  }
  if (pending.length) {
    found.warning(
      'schema',
      `${pending.length} of ${migrationNames.length} migrations have not run.`,
      'Make a backup, then run "canvass migrate", or start the server, which does the same.',
    )
    return false
  }
  found.ok('schema', `the schema is that of version ${PROGRAM_VERSION}`)
  await checkExtensions(client, found)
  return true
}

async function checkExtensions(client: Client, found: Findings): Promise<void> {
  const { rows } = await client.query<{ extname: string }>('select extname from pg_extension where extname = any($1)', [
    EXTENSIONS,
  ])
  const missing = EXTENSIONS.filter((name) => !rows.some(({ extname }) => extname === name))
  if (missing.length)
    found.error(
      'extensions',
      `The database lacks ${missing.join(' and ')}: searches are slow or fail.`,
      `Run in psql as a superuser: ${missing.map((name) => `create extension ${name};`).join(' ')}`,
    )
  else found.ok('extensions', `${EXTENSIONS.join(' and ')} are installed`)
}
