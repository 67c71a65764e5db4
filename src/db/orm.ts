import { MikroORM, type Options } from '@mikro-orm/postgresql'
import { type Client, type Pool, types } from 'pg'
import { connectionTo, DatabaseClient, type DatabaseOptions, PreparingClient } from '../lib/postgres-client.ts'
import config from './orm.config.ts'
import { SESSION_OPTIONS, type Sessions } from './sessions.ts'

// In the database, IDs and counts are bigint. They stay far below 2^53, so JavaScript numbers can represent them.
types.setTypeParser(types.builtins.INT8, Number)

/** Connections of the entity manager; batch inserts and exports use a separate pool (bootstrap.ts). */
const POOL_OPTIONS = { min: 0, idleTimeoutMillis: 30_000 }

/** Connection options with a time limit for statements and idle transactions. */
const DRIVER_OPTIONS = {
  ...SESSION_OPTIONS,
  application_name: 'canvass',
  settings: {
    ...SESSION_OPTIONS.settings,
    statement_timeout: '60s',
    idle_in_transaction_session_timeout: '30s',
  },
}

/** Connection options for migrations and backups, which have no time limit: rewriting a large table may take hours. */
export const NO_STATEMENT_LIMIT = {
  application_name: 'canvass-migrate',
  // A statement that waits for a lock ends when its client does.
  settings: { client_connection_check_interval: '1000' },
  connectionTimeoutMillis: 10_000,
  keepAlive: true,
}

/**
 * Opens the object-relational mapper on a database.
 * @param max the size of the pool
 * @param sessions watches the connections; absent: the connections are not watched
 */
export const createOrm = (url: string, max = 10, sessions?: Sessions): MikroORM => {
  const driverOptions = connectionTo(url, { ...DRIVER_OPTIONS, Client: sessions?.Client ?? PreparingClient })
  return openOrm(driverOptions, { ...POOL_OPTIONS, max })
}

/**
 * Connection options for the statements of migrations. While a statement waits for a lock, all later requests to the
 * table wait too. Therefore the statement soon fails, and the migration is repeated later.
 */
export const SHORT_LOCK_WAIT = {
  ...NO_STATEMENT_LIMIT,
  settings: { ...NO_STATEMENT_LIMIT.settings, lock_timeout: '2s' },
}

/** Opens the object-relational mapper for migrations, without time limits for statements. */
export async function createMigrationOrm(url: string): Promise<MikroORM> {
  const { Migrator } = await import('@mikro-orm/migrations')
  return openOrm(connectionTo(url, { ...SHORT_LOCK_WAIT, Client: DatabaseClient }), { min: 0, max: 2 }, [Migrator])
}

/**
 * Opens the mapper. `MikroORM.init` would load the packages of its extensions in every process, so this function uses
 * the constructor. MikroORM would read only a part of a connection URL, and would open a connection to create a missing
 * database.
 */
const openOrm = (driverOptions: DatabaseOptions, pool: object, extensions: Options['extensions'] = []): MikroORM =>
  new MikroORM({
    ...config,
    extensions,
    // MikroORM parses a URL in any case; `driverOptions` replace what it finds there.
    clientUrl: 'postgres://localhost/',
    dbName: driverOptions.database,
    ensureDatabase: false,
    pool,
    driverOptions,
    logger: () => undefined,
  })

/** Returns the connection pool of an entity manager. */
export const poolOf = (orm: MikroORM): Promise<Pool> =>
  (orm.em.getConnection() as unknown as { getNativeClient(): Promise<Pool> }).getNativeClient()

/** Connections of a process besides its two large pools: queue 2, notifications 2, turns 1, probe 1. */
const FIXED_CONNECTIONS = 6
/** Connections of a process that runs jobs: 3, and 1 for notifications. */
const WORKER_CONNECTIONS = 4
/** Connections for a command and a migration beside the server. */
const SPARE_CONNECTIONS = 2
/** The numbers of connections of the two large pools of a process. */
export interface PoolSizes {
  /** The entity manager: single objects and lists. */
  entities: number
  /** Batch inserts, exports, the login throttle and the advisory locks of emails. */
  hot: number
}

/** Divides the connections of a process. @param connections at least 11 */
export function poolSizesOf(connections: number): PoolSizes {
  const entities = Math.ceil(((connections - FIXED_CONNECTIONS) * 10) / 22)
  return { entities, hot: connections - FIXED_CONNECTIONS - entities }
}

/** How many connections the role of a connection can open. */
interface ConnectionLimit {
  count: number
  /** What limits it, such as `the role canvass`. */
  by: string
  /** The statement that raises it to a number. */
  raise(count: number): string
}

/** Reads the smallest of the limits of the role, the database and the server. */
export async function readConnectionLimit(client: Client): Promise<ConnectionLimit> {
  const { rows } = await client.query<{
    role: string
    database: string
    of_role: number
    of_database: number
    of_server: number
    reserved: number
  }>(
    `select quote_ident(rolname) as role, quote_ident(datname) as database,
      case when rolsuper then -1 else rolconnlimit end as of_role,
      case when rolsuper then -1 else datconnlimit end as of_database,
      current_setting('max_connections')::integer as of_server,
      case when rolsuper then 0 else current_setting('superuser_reserved_connections')::integer
        + case when to_regrole('pg_use_reserved_connections') is not null and pg_has_role(to_regrole('pg_use_reserved_connections'), 'usage')
          then 0 else coalesce(current_setting('reserved_connections', true)::integer, 0) end end as reserved
     from pg_roles, pg_database where rolname = current_user and datname = current_database()`,
  )
  const { role, database, of_role, of_database, of_server, reserved } = rows[0]!
  const limits: ConnectionLimit[] = [
    {
      count: of_server - reserved,
      by: 'PostgreSQL (max_connections)',
      raise: (count) => `alter system set max_connections = ${count + reserved}; Then restart PostgreSQL.`,
    },
  ]
  if (of_role >= 0)
    limits.push({
      count: of_role,
      by: `the role ${role}`,
      raise: (count) => `alter role ${role} connection limit ${count};`,
    })
  if (of_database >= 0)
    limits.push({
      count: of_database,
      by: `the database ${database}`,
      raise: (count) => `alter database ${database} connection limit ${count};`,
    })
  return limits.reduce((least, limit) => (limit.count < least.count ? limit : least))
}

/** The processes that share the connections of a server. */
export interface ConnectionUse {
  processes: number
  worker: boolean
  /** The number for one process. */
  databaseConnections: number
}

/** Returns how many processes have all pools, and how many connections there are besides. */
function shareOf({ processes, worker }: ConnectionUse): { processes: number; besides: number } {
  const besides = SPARE_CONNECTIONS + (worker ? WORKER_CONNECTIONS : 0)
  if (processes === 1) return { processes, besides }
  // A separate process runs the jobs, and the supervisor has no large pool.
  return { processes: processes + (worker ? 1 : 0), besides: besides + FIXED_CONNECTIONS }
}

/** Returns the number of connections that a server opens at most. */
export function connectionsOf(use: ConnectionUse): number {
  const { processes, besides } = shareOf(use)
  return processes * use.databaseConnections + besides
}

/** Returns the number of connections for each process that fits a limit. */
export function fittingConnections(use: ConnectionUse, limit: number): number {
  const { processes, besides } = shareOf(use)
  return Math.min(use.databaseConnections, Math.floor((limit - besides) / processes))
}
