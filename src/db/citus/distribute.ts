import { type Client, escapeIdentifier, escapeLiteral } from 'pg'
import { DISTRIBUTED_FUNCTIONS, DISTRIBUTED_TABLES, REFERENCE_TABLES } from '../../domain/tables.ts'
import { connectionTo, DatabaseClient } from '../../lib/postgres-client.ts'
import { NO_STATEMENT_LIMIT } from '../orm.ts'
import { isDistributed } from './distribution.ts'

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
async function assertDistributable(client: Client): Promise<void> {
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

type Log = (line: string) => void

/**
 * The foreign key from a distributed table to a reference table. It is dropped before Citus distributes the tables, and
 * created again afterwards.
 */
const ROLLUP_KEY = {
  name: 'response_rollup_survey_id_fkey',
  definition: 'foreign key (survey_id) references survey (id) on delete cascade',
}

/**
 * The tables that have an identity column `id` and that Citus manages after the distribution, directly or because of
 * foreign keys.
 */
const IDENTITY_TABLES = ['response', 'webhook_delivery', 'session', 'oauth_grant']

/**
 * Makes a transaction use one connection per node. Otherwise it could not modify a reference table after a query across
 * surveys.
 */
const SEQUENTIAL = 'citus.multi_shard_modify_mode'

/**
 * Distributes the tables of responses over the nodes of a Citus cluster, in one transaction: a failure changes nothing.
 * @param url the database on the coordinator, with the schema of this program
 * @param log receives one line per step
 * @returns whether the database has changed; false if it was already distributed
 * @throws {DistributionError} if the cluster is not ready; the message says what to do
 */
export const distribute = (url: string, log: Log): Promise<boolean> =>
  inTransaction(url, async (client) => {
    await assertDistributable(client)
    // A later version can add tables and functions to a distributed database.
    const { references, tables, functions } = await missingDistribution(client)
    const [first] = DISTRIBUTED_TABLES
    const isNew = tables.includes(first)
    if (isNew) await prepareTables(client)
    for (const table of references) {
      log(`copying ${table} to every node`)
      await client.query(`select create_reference_table(${escapeLiteral(table)})`)
    }
    for (const table of tables) {
      log(`distributing ${table}`)
      await client.query(`select create_distributed_table($1, 'survey_id', colocate_with => $2)`, [
        table,
        table === first ? 'none' : first,
      ])
    }
    if (isNew) {
      await client.query(`alter table response_rollup add constraint ${ROLLUP_KEY.name} ${ROLLUP_KEY.definition}`)
      await client.query(`alter database ${await databaseName(client)} set ${SEQUENTIAL} = 'sequential'`)
      // The nodes insert deliveries into this table of the coordinator, which has no foreign key to a reference table.
      await client.query(`select citus_add_local_table_to_metadata('webhook_delivery')`)
    }
    for (const name of functions)
      await client.query(
        `select create_distributed_function(oid::regprocedure, 'of_survey', colocate_with => $2) from pg_proc where proname = $1`,
        [name, first],
      )
    return references.length + tables.length + functions.length > 0
  })

/** Returns the tables and functions that should be distributed, or copied to every node, but are not. */
export async function missingDistribution(client: Client): Promise<{
  tables: string[]
  references: string[]
  functions: string[]
}> {
  const { rows: tables } = await client.query<{ name: string }>('select table_name::text as name from citus_tables')
  const { rows: functions } = await client.query<{ name: string }>(
    `select proname::text as name from pg_dist_object join pg_proc on pg_proc.oid = objid
      where classid = 'pg_proc'::regclass and distribution_argument_index is not null`,
  )
  const missing = (names: readonly string[], known: readonly { name: string }[]) =>
    names.filter((wanted) => !known.some(({ name }) => name === wanted))
  return {
    tables: missing(DISTRIBUTED_TABLES, tables),
    references: missing(REFERENCE_TABLES, tables),
    functions: missing(DISTRIBUTED_FUNCTIONS, functions),
  }
}

/**
 * Moves all rows back to the coordinator, in one transaction: a failure changes nothing.
 * @returns whether the database has changed; false if it was not distributed
 * @throws {DistributionError} if servers or workers use the database, or the cluster is not ready
 */
export const undistribute = (url: string, log: Log): Promise<boolean> =>
  inTransaction(url, async (client) => {
    if (!(await isDistributed(client))) return false
    await assertDistributable(client)
    for (const table of [...REFERENCE_TABLES, ...DISTRIBUTED_TABLES, 'webhook_delivery']) {
      const { rows } = await client.query('select from citus_tables where table_name = to_regclass($1)', [table])
      // Citus moves a table together with all tables that foreign keys connect with it, so this table may already have
      // been moved.
      if (!rows.length) continue
      log(`moving ${table} and the tables that refer to it`)
      await client.query('select undistribute_table($1, cascade_via_foreign_keys => true)', [table])
    }
    for (const table of IDENTITY_TABLES) await replaceIdentity(client, table, 'identity')
    for (const name of DISTRIBUTED_FUNCTIONS) await recreateFunction(client, name)
    await client.query(`alter database ${await databaseName(client)} reset ${SEQUENTIAL}`)
    return true
  })

/** Replaces the parts of the schema that Citus cannot distribute. */
async function prepareTables(client: Client): Promise<void> {
  await client.query(`alter table response_rollup drop constraint ${ROLLUP_KEY.name}`)
  for (const table of IDENTITY_TABLES) await replaceIdentity(client, table, 'default')
}

/**
 * Makes the column `id` of a table take its default value from an ordinary sequence instead of an identity, or the
 * reverse. The sequence keeps its name and its last value. Citus cannot move tables with an identity column back to the
 * coordinator.
 */
async function replaceIdentity(client: Client, table: string, by: 'default' | 'identity'): Promise<void> {
  const sequence = `${table}_id_seq`
  const { rows } = await client.query<{ last: string; called: boolean }>(
    `select last_value as last, is_called as called from ${sequence}`,
  )
  const { last, called } = rows[0]!
  if (by === 'default')
    await client.query(`alter table ${table} alter column id drop identity;
      create sequence ${sequence} owned by ${table}.id;
      alter table ${table} alter column id set default nextval('${sequence}')`)
  else
    await client.query(`alter table ${table} alter column id drop default;
      drop sequence ${sequence};
      alter table ${table} alter column id add generated by default as identity`)
  await client.query('select setval($1, $2, $3)', [sequence, last, called])
}

/** Returns the quoted name of the database. */
async function databaseName(client: Client): Promise<string> {
  const { rows } = await client.query<{ name: string }>('select quote_ident(current_database()) as name')
  return rows[0]!.name
}

/** Deletes a function of the database and creates it again, because Citus cannot end the distribution of a function. */
async function recreateFunction(client: Client, name: string): Promise<void> {
  const { rows } = await client.query<{ definition: string; comment: string | null }>(
    `select pg_get_functiondef(oid) as definition, obj_description(oid, 'pg_proc') as comment from pg_proc where proname = $1`,
    [name],
  )
  const { definition, comment } = rows[0]!
  await client.query(`drop function ${escapeIdentifier(name)}`)
  await client.query(definition)
  if (comment) await client.query(`comment on function ${escapeIdentifier(name)} is ${escapeLiteral(comment)}`)
}

async function inTransaction(url: string, work: (client: Client) => Promise<boolean>): Promise<boolean> {
  const client = new DatabaseClient(
    connectionTo(url, { ...NO_STATEMENT_LIMIT, application_name: 'canvass-distribute' }),
  )
  await client.connect()
  try {
    await client.query(`begin; set local client_min_messages = warning`)
    const changed = await work(client)
    await client.query('commit')
    return changed
  } finally {
    await client.end()
  }
}
