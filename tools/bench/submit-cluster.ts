import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import autocannon from 'autocannon'
import { citusNodes, createDistributedDatabase, queryNode } from '../../test/support/citus.ts'
import { localNode } from '../../test/support/citus-node.ts'
import { line, median, printStep } from './figures.ts'
import { AUTHORIZATION, createSurvey, type Running, startService } from './servers.ts'

const CONNECTIONS = 64
const SURVEYS = 16
const WARM_UP_SECONDS = 2
/** All servers of an installation have the same key. */
const SETTINGS = { SECRET_KEY: randomBytes(24).toString('hex') }
/** The number of shards that Citus creates by default. */
const SHARDS = 32
/** The number of clock ticks per second. A clock tick is the unit of processor times in `/proc`. */
const TICKS = 100

interface Body {
  structure: { title: string; form: object }
  form: string
}

/** The work of a node during a measurement. */
interface NodeLoad {
  name: string
  responses: number
  cpuSeconds: number
}

/**
 * Measures submissions to many surveys of a distributed database, through one server and through two servers. Prints
 * the rate and the load of each node.
 */
export async function benchSubmitCluster(coordinator: string, body: Body, seconds: number, rounds: number) {
  const database = await createDistributedDatabase(coordinator, SHARDS)
  try {
    const paths = await createSurveys(database.url, body)
    for (const servers of [1, 2]) {
      const rates: number[] = []
      let loads: NodeLoad[] = []
      for (let round = 0; round < rounds; round += 1) {
        printStep(`submit, ${servers} servers, round ${round + 1} of ${rounds}`)
        const measured = await measure(database.url, servers, paths, body.form, seconds)
        rates.push(measured.rate)
        loads = measured.loads
      }
      console.log(`submit: 12 answers, ${CONNECTIONS} connections, ${SURVEYS} surveys, servers: ${servers}`)
      line('all servers', `${median(rates).toFixed(0)}/s`)
      for (const { name, responses, cpuSeconds } of loads)
        line(name, `${(cpuSeconds / seconds).toFixed(2)} cores`, `${responses} responses in the last round`)
    }
  } finally {
    await database.drop()
  }
}

async function createSurveys(url: string, { structure }: Body): Promise<string[]> {
  const service = await startService(url, undefined, SETTINGS)
  try {
    const paths: string[] = []
    while (paths.length < SURVEYS)
      paths.push(`/api/v3/surveys/${(await createSurvey(service.base, structure)).id}/responses/`)
    return paths
  } finally {
    await service.stop()
  }
}

async function measure(url: string, servers: number, paths: readonly string[], form: string, seconds: number) {
  const running: Running[] = []
  try {
    while (running.length < servers) running.push(await startService(url, undefined, SETTINGS))
    const submit = async (duration: number): Promise<number> => {
      const results = await Promise.all(
        running.map(({ base }) =>
          autocannon({
            url: base,
            connections: CONNECTIONS / servers,
            duration,
            requests: paths.map((path) => ({
              method: 'POST',
              path,
              headers: { authorization: AUTHORIZATION, 'content-type': 'application/x-www-form-urlencoded' },
              body: form,
            })),
          }),
        ),
      )
      const failed = results.reduce((sum, { non2xx, errors }) => sum + non2xx + errors, 0)
      if (failed) throw new Error(`${failed} requests failed`)
      return results.reduce((sum, { requests }) => sum + requests.total, 0) / duration
    }
    await submit(WARM_UP_SECONDS)
    const before = await loadsOf(url)
    const rate = await submit(seconds)
    const after = await loadsOf(url)
    const loads = after.map(({ name, responses, cpuSeconds }, index) => ({
      name,
      responses: responses - before[index]!.responses,
      cpuSeconds: cpuSeconds - before[index]!.cpuSeconds,
    }))
    return { rate, loads }
  } finally {
    for (const server of running) await server.stop()
  }
}

async function loadsOf(coordinator: string): Promise<NodeLoad[]> {
  const rows = await queryNode<{ port: string; responses: number }>(
    coordinator,
    `select nodeport::text as port, sum(result::integer)::integer as responses
      from run_command_on_placements('response', 'select count(*) from %s') group by nodeport`,
  )
  const nodes = await citusNodes(coordinator)
  return Promise.all(
    nodes.map(async ({ url, isWorker }) => {
      const { host, port } = new URL(url)
      const postmaster = (await localNode(url)).pid()
      const responses = rows.find((row) => row.port === port)?.responses ?? 0
      return { name: `${isWorker ? 'worker' : 'coordinator'} ${host}`, responses, cpuSeconds: cpuSecondsOf(postmaster) }
    }),
  )
}

/**
 * Returns the processor time of a postmaster, including the processes that it has started, whether or not they have
 * ended.
 */
function cpuSecondsOf(postmaster: number): number {
  let ticks = 0
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const fields = statOf(pid)
    if (!fields) continue
    if (Number(pid) === postmaster) ticks += sum(fields.slice(11, 15))
    else if (Number(fields[1]) === postmaster) ticks += sum(fields.slice(11, 13))
  }
  return ticks / TICKS
}

/** Returns the fields of `/proc/<pid>/stat` after the name; undefined if the process has ended. */
function statOf(pid: string): string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return text.slice(text.lastIndexOf(')') + 2).split(' ')
  } catch {
    return undefined
  }
}

const sum = (fields: readonly string[]): number => fields.reduce((total, field) => total + Number(field), 0)
