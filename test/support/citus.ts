import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { distribute } from '../../src/db/citus/distribute.ts'
import { migrate } from '../../src/db/migrate.ts'

/** A node of the cluster. */
export interface CitusNode {
  url: string
  isWorker: boolean
}

/**
 * Returns the nodes of the cluster, the coordinator first.
 * @param coordinator the URL of a database on the coordinator in which all nodes are registered (CITUS_URL)
 */
export async function citusNodes(coordinator: string): Promise<CitusNode[]> {
  return withClient(coordinator, async (client) => {
    const { rows } = await client.query<{ host: string; port: number; group: number }>(
      `select nodename as host, nodeport as port, groupid as group from pg_dist_node where noderole = 'primary' order by groupid`,
    )
    if (rows.length < 2) throw new Error('CITUS_URL: the cluster needs a coordinator and at least one worker')
    return rows.map(({ host, port, group }) => ({
      url: Object.assign(new URL(coordinator), { host: `${host}:${port}` }).href,
      isWorker: group !== 0,
    }))
  })
}

/**
 * The number of shards of each table. It is enough for every node to store some shards. By default, Citus creates 32
 * shards, which takes longer.
 */
const SHARDS = 8

/** A database of a cluster. */
export interface ClusterDatabase {
  /** Its URL on the coordinator. */
  url: string
  drop(): Promise<void>
}

/**
 * Creates a migrated and distributed database on all nodes.
 * @param shards the number of shards of each table
 */
export async function createDistributedDatabase(coordinator: string, shards = SHARDS): Promise<ClusterDatabase> {
  const database = await createClusterDatabase(coordinator, shards)
  await migrate(database.url)
  await distribute(database.url, () => undefined)
  return database
}

/**
 * Creates an empty database with the extension `citus` on each node, and registers the workers with the coordinator.
 */
export async function createClusterDatabase(coordinator: string, shards = SHARDS): Promise<ClusterDatabase> {
  const nodes = await citusNodes(coordinator)
  const name = `t_${randomBytes(6).toString('hex')}`
  const urls = nodes.map(({ url }) => Object.assign(new URL(url), { pathname: `/${name}` }))
  await Promise.all(
    nodes.map(async ({ url }, index) => {
      await withClient(url, (client) => client.query(`create database ${name}`))
      await withClient(urls[index]!.href, (client) => client.query('create extension citus'))
    }),
  )
  const [first, ...workers] = urls
  await withClient(first!.href, async (client) => {
    await client.query(`alter database ${name} set citus.shard_count = ${shards}`)
    await client.query('select citus_set_coordinator_host($1, $2)', [first!.hostname, Number(first!.port)])
    for (const { hostname, port } of workers)
      await client.query('select citus_add_node($1, $2)', [hostname, Number(port)])
  })
  return {
    url: first!.href,
    async drop() {
      for (const { url } of nodes)
        await withClient(url, (client) => client.query(`drop database if exists ${name} with (force)`))
    },
  }
}

/** Removes a drained worker from the cluster, creates its database again, and adds it as a new worker. */
export async function replaceNode(coordinator: string, { url }: CitusNode): Promise<void> {
  const { hostname, port, pathname } = new URL(url)
  const name = pathname.slice(1)
  const address = [hostname, Number(port)]
  await withClient(coordinator, async (client) => {
    // Deletes old copies of shards that were moved. Otherwise Citus would try to delete the copies on the removed node,
    // and would move no other shard until it succeeds.
    await client.query('call citus_cleanup_orphaned_resources()')
    await client.query('select citus_remove_node($1, $2)', address)
  })
  await withClient(Object.assign(new URL(url), { pathname: '/postgres' }).href, async (client) => {
    await client.query(`drop database ${name} with (force)`)
    await client.query(`create database ${name}`)
  })
  await withClient(url, (client) => client.query('create extension citus'))
  await withClient(coordinator, (client) => client.query('select citus_add_node($1, $2)', address))
}

/** Runs a statement on a new connection. @returns its rows */
export const queryNode = <Row extends object>(url: string, statement: string, values: unknown[] = []): Promise<Row[]> =>
  withClient(url, async (client) => (await client.query<Row>(statement, values)).rows)

async function withClient<Result>(url: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: url, options: '-c client_min_messages=warning' })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
