import { setTimeout as pause } from 'node:timers/promises'
import { citusNodes, createDistributedDatabase } from '../../test/support/citus.ts'
import { localNode } from '../../test/support/citus-node.ts'
import { type Postgres, query, type Restart } from './postgres.ts'
import type { Options, Result } from './report.ts'
import { runUnderLoad, type Scenario } from './scenario.ts'

/** Maximum time until writes succeed again, in milliseconds. After this time, the service counts as down. */
const RECOVERY_LIMIT_MS = 60_000

/** A fault of a node. In addition to the faults of `Restart`, the postmaster can be killed and then started again. */
type NodeFault = Restart | 'kill'

/**
 * Creates a distributed database and returns its coordinator. A restart of the coordinator restarts PostgreSQL for all
 * its databases.
 */
export async function createCluster(coordinator: string): Promise<Postgres> {
  const { url, drop } = await createDistributedDatabase(coordinator)
  const node = await localNode(url)
  return {
    port: Number(new URL(url).port),
    url,
    restart: (mode) => inject(url, mode),
    pid: node.pid,
    isRunning: () =>
      query(url, 'select').then(
        () => true,
        () => false,
      ),
    stop: drop,
  }
}

/** Injects a fault into a node. @param url the database on this node */
async function inject(url: string, fault: NodeFault): Promise<void> {
  const others = `from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`
  if (fault === 'terminate') await query(url, `select pg_terminate_backend(pid) ${others}`)
  else if (fault === 'backend') {
    const [backend] = await query<{ pid: number }>(url, `select pid ${others} limit 1`)
    process.kill(backend!.pid, 'SIGKILL')
  } else {
    const node = await localNode(url)
    await (fault === 'kill' ? node.kill() : node.restart(fault))
  }
}

const LABELS: Readonly<Record<NodeFault, string>> = {
  kill: 'killed',
  fast: 'restarted (fast)',
  immediate: 'restarted (immediate)',
  backend: 'backend killed',
  terminate: 'sessions terminated',
}

/** Injects faults into the worker node of Citus that stores the responses of the load. */
export async function workers(options: Options): Promise<Result[]> {
  const results: Result[] = []
  for (const fault of ['kill', 'fast', 'immediate', 'backend', 'terminate'] as const)
    results.push(await runUnderLoad(options, {}, (scenario) => failWorker(scenario, fault)))
  return results
}

async function failWorker({ options, postgres, target, load }: Scenario, fault: NodeFault) {
  const worker = await workerOf(postgres.url, target.id)
  const recoveries: number[] = []
  const times = options.short ? 1 : 3
  while (recoveries.length < times && recoveries.at(-1) !== Number.POSITIVE_INFINITY) {
    const from = performance.now()
    await inject(worker, fault)
    recoveries.push(await load.recovered(from, performance.now(), RECOVERY_LIMIT_MS))
    await pause(options.short ? 300 : 1_500)
  }
  return { fault: `worker ${LABELS[fault]} ×${recoveries.length}`, recoveries }
}

/** Returns the URL of the database on the worker node that stores the responses to a survey. */
async function workerOf(coordinator: string, survey: number): Promise<string> {
  const [placement] = await query<{ host: string }>(
    coordinator,
    `select nodename || ':' || nodeport as host from pg_dist_shard_placement
      where shardid = get_shard_id_for_distribution_column('response', $1::bigint)`,
    [survey],
  )
  return (await citusNodes(coordinator)).find(({ url }) => new URL(url).host === placement!.host)!.url
}
