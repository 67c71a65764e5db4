import { type Client, escapeIdentifier, escapeLiteral } from 'pg'
import { hasCitus, isDistributed } from '../db/citus/distribution.ts'
import { isRestoreUnfinished } from '../db/migrate.ts'
import { NO_STATEMENT_LIMIT } from '../db/orm.ts'
import { JOB_SCHEMA } from '../lib/job-queue.ts'
import { connectionTo, DatabaseClient } from '../lib/postgres-client.ts'
import { parsePostgresUrl, withDatabase } from '../lib/postgres-url.ts'
import { BackupError } from './format.ts'

/** The database that a restore fills. */
export interface RestoreTarget {
  /** The database to fill: empty, and not in use. */
  url: string
  /** Whether it belongs to a Citus cluster. */
  isCluster: boolean
  /** Replaces the existing database with the filled one. */
  finish(): Promise<void>
  /** Removes the data of the restore. The existing database remains as it was. */
  discard(): Promise<void>
}

interface State {
  exists: boolean
  /** Whether it contains accounts; false if a restore has not finished. */
  used: boolean
  /** Whether it belongs to a Citus cluster, and whether its tables are distributed. */
  isCluster: boolean
  isDistributed: boolean
  /** The role of the connection, as SQL. */
  role: string
  canCreate: boolean
  /** Programs that are connected. */
  sessions: string[]
}

/**
 * Prepares the database of a URL for a restore. The backup is loaded into a new database, which then takes the name of
 * the existing one, so that a failed restore changes nothing. If the role cannot create databases, or the database
 * belongs to a Citus cluster, the database must contain no accounts. It is then emptied and filled directly.
 * @param replace whether a database with accounts may be replaced
 * @throws {BackupError} when the database contains accounts and must not be replaced, is in use, or cannot be replaced
 */
export async function prepareTarget(url: string, replace: boolean): Promise<RestoreTarget> {
  const name = parsePostgresUrl(url).database
  const state = await inspect(url, name)
  if (state.isDistributed)
    throw new BackupError(
      `The database ${name} is distributed over several nodes, and a restore cannot replace it. Create another database with the extension Citus on every node, as in docs/scaling.md, and set DATABASE_URL to it. Run "canvass restore", then "canvass distribute".`,
    )
  if (state.used && !replace)
    throw new BackupError(
      `The database ${name} already contains accounts. To replace it with the backup, add --replace; its current content is then deleted.`,
    )
  assertUnused(name, state.sessions)
  if (state.isCluster && state.used)
    throw new BackupError(
      `The database ${name} belongs to a Citus cluster, and a restore cannot replace it. Create an empty database with the extension Citus on every node, as in docs/scaling.md, and set DATABASE_URL to it.`,
    )
  if (state.canCreate && !state.isCluster) return prepareDraft(url, name, state.exists)
  if (!state.exists)
    throw new BackupError(
      `The database ${name} does not exist, and this role cannot create databases. Create it first.`,
    )
  if (state.used)
    throw new BackupError(
      `This role cannot create databases, so it cannot replace ${name} in one step. Run in psql as a superuser: alter role ${state.role} createdb; Or leave the role as it is: Create an empty database and set DATABASE_URL to it.`,
    )
  await empty(url)
  return { url, isCluster: state.isCluster, finish: async () => undefined, discard: () => empty(url) }
}

async function inspect(url: string, name: string): Promise<State> {
  const state = await withMaintenance(url, async (client) => {
    const { rows } = await client.query<Pick<State, 'exists' | 'role' | 'canCreate' | 'sessions'>>(
      `select exists (select from pg_database where datname = $1) as exists, quote_ident(current_user) as role,
        (select rolcreatedb or rolsuper from pg_roles where rolname = current_user) as "canCreate",
        array(select coalesce(nullif(application_name, ''), 'unnamed') from pg_stat_activity
          where datname = $1 and pid <> pg_backend_pid() and backend_type = 'client backend'
            -- Sessions that the nodes of a Citus cluster keep.
            and application_name not like 'citus%' order by 1) as sessions`,
      [name],
    )
    return rows[0]!
  })
  if (!state.exists) return { ...state, used: false, isCluster: false, isDistributed: false }
  return withClient(url, async (client) => {
    const found = { ...state, isCluster: await hasCitus(client), isDistributed: await isDistributed(client) }
    const { rows } = await client.query(`select from pg_class where oid = to_regclass('public.account')`)
    if (!rows.length || (await isRestoreUnfinished(client))) return { ...found, used: false }
    const { rows: accounts } = await client.query('select from public.account limit 1')
    return { ...found, used: accounts.length > 0 }
  })
}

function assertUnused(name: string, sessions: readonly string[]): void {
  if (sessions.length)
    throw new BackupError(
      `Programs are connected to the database ${name} (${[...new Set(sessions)].join(', ')}). Stop all servers and workers, then restore.`,
    )
}

async function prepareDraft(url: string, name: string, exists: boolean): Promise<RestoreTarget> {
  const draft = `${name}_restore`
  await withMaintenance(url, async (client) => {
    // An interrupted restore may have left such a database.
    await client.query(`drop database if exists ${escapeIdentifier(draft)}`)
    await client.query(`create database ${escapeIdentifier(draft)}${exists ? await localeOf(client, name) : ''}`)
    if (exists) await copySettings(client, name, draft)
  })
  const drop = (client: Client, database: string) =>
    client.query(`drop database if exists ${escapeIdentifier(database)}`)
  return {
    url: withDatabase(url, draft),
    isCluster: false,
    finish: () =>
      withMaintenance(url, async (client) => {
        const old = `${name}_replaced`
        await drop(client, old)
        await client.query('begin')
        if (exists) await client.query(`alter database ${escapeIdentifier(name)} rename to ${escapeIdentifier(old)}`)
        await client.query(`alter database ${escapeIdentifier(draft)} rename to ${escapeIdentifier(name)}`)
        await client.query('commit')
        await drop(client, old)
      }),
    discard: () => withMaintenance(url, async (client) => void (await drop(client, draft))),
  }
}

/** Returns the clauses that give a new database the encoding and locale of an existing one. */
async function localeOf(client: Client, name: string): Promise<string> {
  const { rows } = await client.query<{ clauses: string }>(
    `select format(' template template0 encoding %L lc_collate %L lc_ctype %L', pg_encoding_to_char(encoding), datcollate, datctype)
      || case datlocprovider when 'i' then format(' locale_provider icu icu_locale %L', locale)
        when 'b' then format(' locale_provider builtin builtin_locale %L', locale) else ' locale_provider libc' end as clauses
     from pg_database d, lateral (select coalesce(to_jsonb(d) ->> 'datlocale', to_jsonb(d) ->> 'daticulocale') as locale) l
     where datname = $1`,
    [name],
  )
  return rows[0]!.clauses
}

/** Copies the settings of `alter database … set`. */
async function copySettings(client: Client, from: string, to: string): Promise<void> {
  const { rows } = await client.query<{ setting: string }>(
    `select unnest(s.setconfig) as setting from pg_db_role_setting s join pg_database d on d.oid = s.setdatabase
     where d.datname = $1 and s.setrole = 0`,
    [from],
  )
  for (const { setting } of rows) {
    const [key = '', ...value] = setting.split('=')
    const name = key.split('.').map(escapeIdentifier).join('.')
    await client.query(`alter database ${escapeIdentifier(to)} set ${name} to ${escapeLiteral(value.join('='))}`)
  }
}

/** Deletes the tables, functions and jobs of a database that contains no accounts. */
async function empty(url: string): Promise<void> {
  await withClient(url, async (client) => {
    const { rows } = await client.query<{ drop: string }>(
      `select format('drop table if exists %s cascade', c.oid::regclass) as drop from pg_class c
         where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition and not exists
           (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
       union all select format('drop %s if exists %s cascade', case prokind when 'p' then 'procedure' else 'function' end, p.oid::regprocedure)
         from pg_proc p where p.pronamespace = 'public'::regnamespace and not exists
           (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
       union all select 'drop schema if exists ${JOB_SCHEMA} cascade'`,
    )
    await client.query('begin')
    for (const { drop } of rows) await client.query(drop)
    await client.query('commit')
  })
}

const withMaintenance = <Result>(url: string, work: (client: Client) => Promise<Result>): Promise<Result> =>
  withClient(withDatabase(url, 'postgres'), work)

async function withClient<Result>(url: string, work: (client: Client) => Promise<Result>): Promise<Result> {
  const client = new DatabaseClient(connectionTo(url, NO_STATEMENT_LIMIT))
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end().catch(() => undefined)
  }
}
