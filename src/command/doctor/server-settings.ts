import type { Client } from 'pg'
import type { InspectedConfig } from '../../config.ts'
import { connectionsNeeded } from '../processes.ts'
import type { Findings } from './finding.ts'

interface ServerSettings {
  fsync: boolean
  full_page_writes: boolean
  synchronous_commit: string
  max_connections: number
  reserved: number
  others: number
  encoding: string
  lower: string
  collation_changed: boolean
}

const SETTINGS = `select
  current_setting('fsync')::boolean as fsync,
  current_setting('full_page_writes')::boolean as full_page_writes,
  current_setting('synchronous_commit') as synchronous_commit,
  current_setting('max_connections')::integer as max_connections,
  current_setting('superuser_reserved_connections')::integer as reserved,
  (select count(*)::integer from pg_stat_activity
    where backend_type = 'client backend' and coalesce(application_name, '') not like 'canvass%') as others,
  pg_encoding_to_char(encoding) as encoding,
  lower('É') as lower,
  coalesce(datcollversion <> pg_database_collation_actual_version(oid), false) as collation_changed
  from pg_database where datname = current_database()`

/** Checks the settings of PostgreSQL: durability, encoding and locale, and the number of connections. */
export async function checkServerSettings(
  client: Client,
  config: InspectedConfig | undefined,
  found: Findings,
): Promise<void> {
  const { rows } = await client.query<ServerSettings>(SETTINGS)
  const settings = rows[0]!
  checkDurability(settings, found)
  checkText(settings, found)
  if (config) checkConnections(settings, config, found)
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

function checkConnections(settings: ServerSettings, config: InspectedConfig, found: Findings): void {
  const { max_connections, reserved, others } = settings
  const available = max_connections - reserved - others
  const needed = connectionsNeeded(config)
  if (needed > available)
    found.warning(
      'connections',
      `One server opens up to ${needed} connections, but PostgreSQL has ${available} for it (max_connections ${max_connections}).`,
      `Run in psql: alter system set max_connections = ${max_connections + needed - available}; Then restart PostgreSQL. Or set PROCESSES to a smaller number. Add the same number for each further server.`,
    )
  else found.ok('connections', `one server opens up to ${needed} of the ${available} available connections`)
}
