import type { Client } from 'pg'

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
export interface ConnectionLimit {
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
