import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { distribute } from '../../src/db/distribute.ts'
import { migrate } from '../../src/db/migrate.ts'

/** A node of the cluster. */
export interface CitusNode {
  url: string
  isWorker: boolean
}

/** Returns the nodes of the cluster, the coordinator first. CITUS_URL names a database of the coordinator that knows all nodes. */
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
 * Creates a migrated and distributed database on all nodes.
 * @returns its URL on the coordinator, and a function that drops it
 */
export async function createDistributedDatabase(coordinator: string): Promise<{ url: string; drop(): Promise<void> }> {
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
  const { href } = first!
  await withClient(href, async (client) => {
    await client.query('select citus_set_coordinator_host($1, $2)', [first!.hostname, Number(first!.port)])
    for (const { hostname, port } of workers)
      await client.query('select citus_add_node($1, $2)', [hostname, Number(port)])
  })
  await migrate(href)
  await distribute(href, () => undefined)
  return {
    url: href,
    async drop() {
      for (const { url } of nodes) await withClient(url, (client) => client.query(`drop database ${name} with (force)`))
    },
  }
}

async function withClient<Result>(url: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: url, options: '-c client_min_messages=warning' })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
