import type { Client } from 'pg'
import { missingDistribution } from '../../db/citus/distribute.ts'
import { isDistributed } from '../../db/citus/distribution.ts'
import { connectionTo, DatabaseClient } from '../../lib/postgres-client.ts'
import { type Findings, reasonOf } from './finding.ts'

/**
 * Selects the failed connections between nodes, in both directions. `result` is null if the node that would open the
 * connection cannot be reached.
 */
const FAILED_CONNECTIONS = `select from_nodename || ':' || from_nodeport as "from", to_nodename || ':' || to_nodeport as "to"
  from citus_check_cluster_node_health() where result is not true order by result nulls last`

/** The version of the extension and a setting of each worker. */
const WORKERS = `select nodename || ':' || nodeport as name, split_part(result, ' ', 1) as version,
    split_part(result, ' ', 2)::integer as prepared
  from run_command_on_workers($$select extversion || ' ' || current_setting('max_prepared_transactions')
    from pg_extension where extname = 'citus'$$) where success`

const COORDINATOR = `select installed_version as version, default_version as program,
    current_setting('max_prepared_transactions')::integer as prepared
  from pg_available_extensions where name = 'citus'`

/**
 * The interval in milliseconds after which the coordinator ends the transactions that a failed node has left prepared.
 */
const RECOVERY = `select setting::integer as interval from pg_settings where name = 'citus.recover_2pc_interval'`
/** Maximum value of this interval: until it ends, responses to the surveys of such a transaction have to wait. */
const MAX_RECOVERY_INTERVAL_MS = 10_000

/** Shards that no active node contains. */
const LOST_SHARDS = `select shard.logicalrelid::text as "table", count(*)::integer as shards from pg_dist_shard shard
  where not exists (
    select from pg_dist_placement placement join pg_dist_node node on node.groupid = placement.groupid
    where placement.shardid = shard.shardid and node.isactive)
  group by 1 order by 1`

interface Node {
  name: string
  version: string
  prepared: number
}

/** Checks the nodes of a distributed database. On one PostgreSQL there is nothing to check. */
export async function checkNodes(client: Client, found: Findings): Promise<void> {
  if (!(await isDistributed(client))) return
  if (await checkConnections(client, found)) await checkVersions(client, found)
  await checkRecovery(client, found)
  const { rows: lost } = await client.query<{ table: string; shards: number }>(LOST_SHARDS)
  for (const { table, shards } of lost)
    found.error(
      'shards',
      `Shards of ${table} that no active node has: ${shards}. Their responses cannot be read.`,
      'Start the nodes that have them ("select * from citus_nodes"), or restore a backup into a new database.',
    )
  if (!lost.length) found.ok('shards', 'every shard is on an active node')
  const missing = await missingDistribution(client)
  const names = [...missing.tables, ...missing.references, ...missing.functions]
  if (names.length)
    found.error(
      'tables',
      `Not distributed: ${names.join(', ')}.`,
      'Stop all servers and workers, and run "canvass distribute".',
    )
  else found.ok('tables', 'all tables and functions of responses are distributed')
}

async function checkConnections(client: Client, found: Findings): Promise<boolean> {
  const { rows: failed } = await client.query<{ from: string; to: string }>(FAILED_CONNECTIONS)
  for (const { from, to } of failed)
    found.error(
      'nodes',
      `The node ${from} does not reach ${to}.`,
      `Start ${to}, and check pg_hba.conf of ${to} and .pgpass of ${from}. Requests for surveys on an unreachable node fail.`,
    )
  if (!failed.length) found.ok('nodes', 'all nodes reach each other')
  return !failed.length
}

async function checkRecovery(client: Client, found: Findings): Promise<void> {
  const { rows } = await client.query<{ interval: number }>(RECOVERY)
  const interval = rows[0]!.interval
  if (interval >= 0 && interval <= MAX_RECOVERY_INTERVAL_MS)
    return found.ok('recovery', `transactions of failed nodes end within ${interval / 1000} seconds`)
  found.warning(
    'recovery',
    interval < 0
      ? 'The coordinator does not end the transactions that a failed node left prepared: its surveys accept no responses.'
      : `After a node fails, its surveys can accept no responses for ${interval / 1000} seconds.`,
    "Run on the coordinator: alter system set citus.recover_2pc_interval = '5s'; select pg_reload_conf();",
  )
}

async function checkVersions(client: Client, found: Findings): Promise<void> {
  const { rows: own } = await client.query<Omit<Node, 'name'> & { program: string }>(COORDINATOR)
  const { version, program, prepared } = own[0]!
  const { rows: workers } = await client.query<Node>(WORKERS)
  const update = 'Run "alter extension citus update" in this database on every node, the coordinator first.'
  if (version !== program)
    found.error('citus', `The extension is version ${version}, and the installed program is ${program}.`, update)
  else {
    const other = workers.filter((worker) => worker.version !== version)
    for (const worker of other)
      found.error(
        'citus',
        `The coordinator has version ${version} of the extension, and ${worker.name} has ${worker.version}.`,
        `Install the same version of Citus on all nodes. ${update}`,
      )
    if (!other.length) found.ok('citus', `all nodes have version ${version} of the extension`)
  }
  for (const { name } of [{ name: 'the coordinator', prepared }, ...workers].filter((node) => node.prepared === 0))
    found.error(
      'prepared transactions',
      `max_prepared_transactions is 0 on ${name}: changes that affect several nodes fail.`,
      'Set it to at least max_connections in postgresql.conf, and restart the node.',
    )
}

/** Lag in seconds from which a replica hardly ever answers a request. */
const MAX_LAG_SECONDS = 10

const LAG = `select pg_is_in_recovery() as is_replica,
  case when pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() then 0
    else coalesce(extract(epoch from now() - pg_last_xact_replay_timestamp()), 0) end::float8 as lag`

/** Checks that each server of `DATABASE_REPLICA_URL` is a replica, and that it is not far behind. */
export async function checkReplicas(urls: readonly string[], found: Findings): Promise<void> {
  for (const url of urls) {
    const client = new DatabaseClient(
      connectionTo(url, { application_name: 'canvass-doctor', connectionTimeoutMillis: 5_000, query_timeout: 5_000 }),
    )
    const name = `${client.host}:${client.port}`
    try {
      await client.connect()
      const { rows } = await client.query<{ is_replica: boolean; lag: number }>(LAG)
      const { is_replica, lag } = rows[0]!
      if (!is_replica)
        found.error(
          'replica',
          `${name} is not a replica.`,
          'Remove it from DATABASE_REPLICA_URL, or set it up as a standby.',
        )
      else if (lag > MAX_LAG_SECONDS)
        found.warning(
          'replica',
          `${name} is ${Math.round(lag)} seconds behind: the primary server answers its requests.`,
          'Check the network between the servers, the load of the replica, and long queries on it (pg_stat_activity).',
        )
      else found.ok('replica', `${name} is ${lag.toFixed(1)} seconds behind`)
    } catch (error) {
      found.error(
        'replica',
        `${name} does not answer: ${reasonOf(error)}.`,
        'Start it, or remove it from DATABASE_REPLICA_URL. Until then, the primary server answers its requests.',
      )
    } finally {
      await client.end().catch(() => undefined)
    }
  }
}
