import type { Client } from 'pg'
import type { InspectedConfig } from '../../config.ts'
import { connectionsOf, readConnectionLimit } from '../../db/orm.ts'
import type { Findings } from './finding.ts'

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
export async function checkServerSettings(
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
