import type { Client } from 'pg'
import { DISTRIBUTED_TABLES, REFERENCE_TABLES } from '../domain/tables.ts'

/** The database cannot be distributed. The message says what to do. */
export class DistributionError extends Error {
  override name = 'DistributionError'
}

/** The oldest supported major version of Citus. */
const MIN_CITUS_VERSION = 13
/**
 * Free space that a node needs, as a multiple of the size of its rows: for the rows and their indexes, and for the
 * write-ahead log of the copied rows.
 */
const SPACE_FACTOR = 2

interface Node {
  nodename: string
  nodeport: number
  isWorker: boolean
}

const nameOf = ({ nodename, nodeport }: Node) => `${nodename}:${nodeport}`

/**
 * Checks that a database can be distributed, or its rows moved back to the coordinator: the extension and its version,
 * the nodes, the privileges, the space, and that no server uses the database.
 * @throws {DistributionError}
 */
export async function assertDistributable(client: Client): Promise<void> {
  await checkExtension(client)
  await checkUnused(client)
  await checkPrivileges(client)
  const nodes = await checkNodes(client)
  await checkSpace(client, nodes)
}

async function checkExtension(client: Client): Promise<void> {
  const { rows } = await client.query<{ installed: string | null }>(
    `select installed_version as installed from pg_available_extensions where name = 'citus'`,
  )
  const [extension] = rows
  if (!extension)
    throw new DistributionError(
      `This PostgreSQL does not have Citus. Install Citus ${MIN_CITUS_VERSION} or newer on every node, and add it to shared_preload_libraries.`,
    )
  if (!extension.installed)
    throw new DistributionError(
      'This database does not have the extension Citus. Run "create extension citus" in the database of this name on every node.',
    )
  if (Number.parseInt(extension.installed, 10) < MIN_CITUS_VERSION)
    throw new DistributionError(
      `Citus ${extension.installed} is too old. Install Citus ${MIN_CITUS_VERSION} or newer on every node, then run "alter extension citus update".`,
    )
}

async function checkUnused(client: Client): Promise<void> {
  const { rows } = await client.query<{ sessions: number }>(
    `select count(*)::integer as sessions from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and application_name like 'canvass%'`,
  )
  const { sessions } = rows[0]!
  if (sessions)
    throw new DistributionError(
      `Servers or workers use the database (${sessions} connections). Stop all of them first, and start them again afterwards.`,
    )
}

async function checkPrivileges(client: Client): Promise<void> {
  const { rows } = await client.query<{ role: string; tables: string[] }>(
    `select current_user as role, array_agg(tablename::text) as tables from pg_tables
      where schemaname = 'public' and tablename::text = any($1) and not pg_has_role(tableowner, 'usage') group by 1`,
    [[...DISTRIBUTED_TABLES, ...REFERENCE_TABLES]],
  )
  if (rows[0])
    throw new DistributionError(
      `The role ${rows[0].role} does not own the tables ${rows[0].tables.join(', ')}. Run the command as their owner.`,
    )
}

async function checkNodes(client: Client): Promise<Node[]> {
  const { rows: nodes } = await client.query<Node & { isCoordinator: boolean }>(
    `select nodename, nodeport, groupid = 0 as "isCoordinator", groupid <> 0 and shouldhaveshards as "isWorker"
      from pg_dist_node where noderole = 'primary' and isactive`,
  )
  if (!nodes.some(({ isCoordinator }) => isCoordinator))
    throw new DistributionError(
      `The cluster does not know its coordinator. Run "select citus_set_coordinator_host('<host>', <port>)" with an address that the nodes reach.`,
    )
  if (!nodes.some(({ isWorker }) => isWorker))
    throw new DistributionError(
      `The cluster has no worker nodes. Run "select citus_add_node('<host>', <port>)" for each.`,
    )
  const { rows: replies } = await client.query<{
    nodename: string
    nodeport: number
    success: boolean
    result: string
  }>(
    `select nodename, nodeport, success, result from run_command_on_workers('select current_user') join pg_dist_node using (nodename, nodeport)`,
  )
  const failed = replies.find(({ success }) => !success)
  if (failed)
    throw new DistributionError(
      `The node ${failed.nodename}:${failed.nodeport} cannot be used: ${failed.result}. Check that it runs, and that the coordinator can sign in to it as this role (pg_hba.conf, or .pgpass of the coordinator).`,
    )
  return nodes
}

async function checkSpace(client: Client, nodes: readonly Node[]): Promise<void> {
  const workers = nodes.filter(({ isWorker }) => isWorker)
  const { rows } = await client.query<{ bytes: string }>(
    'select sum(pg_total_relation_size(to_regclass(name))) as bytes from unnest($1::text[]) as name',
    [[...DISTRIBUTED_TABLES]],
  )
  const needed = (Number(rows[0]!.bytes) / workers.length) * SPACE_FACTOR
  const { rows: free } = await client.query<Node & { available: string }>(
    `select nodename, nodeport, result as available
      from run_command_on_workers('select available_disk_size from citus_local_disk_space_stats()') where success`,
  )
  const gigabytes = (bytes: number) => `${(bytes / 1e9).toFixed(1)} GB`
  const small = free.find(({ available }) => Number(available) < needed)
  if (small)
    throw new DistributionError(
      `The node ${nameOf(small)} has ${gigabytes(Number(small.available))} of free space and needs ${gigabytes(needed)}. Free space, or add nodes.`,
    )
}
