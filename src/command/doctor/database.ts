import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Client } from 'pg'
import type { InspectedConfig } from '../../config.ts'
import { startEmbedded } from '../../db/embedded/embedded.ts'
import { migrationNames } from '../../db/migrate.ts'
import { connectionsOf, readConnectionLimit } from '../../db/orm.ts'
import { missingPrivileges } from '../../db/privileges.ts'
import { isLoopbackHost } from '../../lib/network.ts'
import { connectionTo, DatabaseClient } from '../../lib/postgres-client.ts'
import { parsePostgresUrl } from '../../lib/postgres-url.ts'
import { PROGRAM_VERSION } from '../../lib/program-version.ts'
import { DATABASE_NAME, openExternal } from '../database.ts'
import { type Findings, reasonOf } from './finding.ts'

/** Differences of the clocks, in milliseconds, that cause a warning or an error. */
const CLOCK_WARNING_MS = 2_000
const CLOCK_ERROR_MS = 60_000

/** The extensions that the migrations create. */
const EXTENSIONS = ['btree_gin', 'pg_trgm']

/** An open database. */
interface CheckedDatabase {
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
  if (pending.length === migrationNames.length) {
    found.ok('schema', 'the database is empty: the first start creates the tables')
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

const VERIFICATION: Readonly<Record<string, string>> = {
  'verify-ca': 'and the authority of its certificate is verified',
  'verify-full': 'and its certificate is verified',
}

/** Reports whether connections to the database are encrypted, from PostgreSQL itself. */
async function checkEncryption(client: Client, url: string, found: Findings): Promise<void> {
  const { rows } = await client.query<{ ssl: boolean; version: string | null; cipher: string | null }>(
    'select ssl, version, cipher from pg_stat_ssl where pid = pg_backend_pid()',
  )
  const { ssl = false, version = '', cipher = '' } = rows[0] ?? {}
  const { sslmode } = parsePostgresUrl(url)
  const { host } = client
  if (ssl)
    found.ok(
      'encryption',
      `connections are encrypted (sslmode=${sslmode}, ${version}, ${cipher}), ${VERIFICATION[sslmode] ?? 'and the server is not verified'}`,
    )
  else if (host.startsWith('/') || isLoopbackHost(host))
    found.ok('encryption', `connections stay on this machine and are not encrypted (sslmode=${sslmode})`)
  else
    found.warning(
      'encryption',
      `Connections to ${host} are not encrypted (sslmode=${sslmode}): others on the network can read passwords and answers.`,
      'Set ssl = on in PostgreSQL, and add ?sslmode=verify-full&sslrootcert=FILE to DATABASE_URL. Behind a pooler, this shows its own connection to PostgreSQL.',
    )
}

interface ServerSettings {
  fsync: boolean
  full_page_writes: boolean
  synchronous_commit: string
  others: number
  encoding: string
  lower: string
  collation_changed: boolean
}

const SETTINGS = `select
  current_setting('fsync')::boolean as fsync,
  current_setting('full_page_writes')::boolean as full_page_writes,
  current_setting('synchronous_commit') as synchronous_commit,
  (select count(*)::integer from pg_stat_activity
    where backend_type = 'client backend' and coalesce(application_name, '') not like 'canvass%') as others,
  pg_encoding_to_char(encoding) as encoding,
  lower('É') as lower,
  coalesce(datcollversion <> pg_database_collation_actual_version(oid), false) as collation_changed
  from pg_database where datname = current_database()`

/** Checks the settings of PostgreSQL: durability, encoding and locale, and the number of connections. */
async function checkServerSettings(
  client: Client,
  config: InspectedConfig | undefined,
  found: Findings,
): Promise<void> {
  const { rows } = await client.query<ServerSettings>(SETTINGS)
  const settings = rows[0]!
  checkDurability(settings, found)
  checkText(settings, found)
  if (config) await checkConnections(client, settings, config, found)
}

function checkDurability({ fsync, full_page_writes, synchronous_commit }: ServerSettings, found: Findings): void {
  const off = Object.entries({ fsync, full_page_writes }).flatMap(([name, isOn]) => (isOn ? [] : [name]))
  if (off.length)
    found.error(
      'durability',
      `${off.join(' and ')} ${off.length > 1 ? 'are' : 'is'} off: a power failure can destroy the database.`,
      `Run in psql: ${off.map((name) => `alter system set ${name} = on;`).join(' ')} select pg_reload_conf();`,
    )
  else if (synchronous_commit === 'off')
    found.warning(
      'durability',
      'synchronous_commit is off: a crash of PostgreSQL loses responses that the server has confirmed.',
      'Run in psql: alter system set synchronous_commit = on; select pg_reload_conf(); If the setting stays off, reset it with alter role or alter database.',
    )
  else found.ok('durability', `fsync and full_page_writes are on, synchronous_commit is ${synchronous_commit}`)
}

function checkText({ encoding, lower, collation_changed }: ServerSettings, found: Findings): void {
  if (encoding !== 'UTF8')
    found.error(
      'text',
      `The encoding of the database is ${encoding}: it cannot store every text.`,
      "Create a database with: create database canvass encoding 'UTF8' template template0; Then copy the data with pg_dump.",
    )
  else if (collation_changed)
    found.error(
      'text',
      'The operating system sorts text differently than when the indexes were built: searches can miss rows.',
      'Stop the servers. Run in psql: reindex database; Then: alter database <name> refresh collation version;',
    )
  else if (lower !== 'é')
    found.warning(
      'text',
      'The locale of the database lower-cases only ASCII letters: searches for names such as “Éva” are case-sensitive.',
      "Create a database with another locale: create database canvass locale 'C.UTF-8' template template0; Then copy the data with pg_dump.",
    )
  else found.ok('text', 'the encoding is UTF8, and the locale knows letters beyond ASCII')
}

async function checkConnections(
  client: Client,
  { others }: ServerSettings,
  config: InspectedConfig,
  found: Findings,
): Promise<void> {
  const limit = await readConnectionLimit(client)
  const needed = connectionsOf(config)
  const available = limit.count - others
  if (needed > available)
    found.warning(
      'connections',
      `One server opens up to ${needed} connections, but ${limit.by} allows ${limit.count}, and other programs use ${others} of them.`,
      `Run in psql: ${limit.raise(needed + others)} Or set DATABASE_CONNECTIONS or PROCESSES to a smaller number. Add the same number for each further server.`,
    )
  else found.ok('connections', `one server opens up to ${needed} of the ${available} available connections`)
}
