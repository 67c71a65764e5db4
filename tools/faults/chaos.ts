// Measures lost writes and recovery times when parts of the service fail under load.
// Run: make chaos ARGS="restarts --seed=1 --short". --json prints the results as JSON. Everything runs on loopback, in
// temporary folders. With CITUS_URL, PostgreSQL is a Citus cluster on this machine.
import { parseArgs } from 'node:util'
import { aborts } from './aborts.ts'
import { workers } from './cluster.ts'
import { deletion } from './deletion.ts'
import { disk } from './disk.ts'
import { edits } from './edits.ts'
import { emails } from './email.ts'
import { exports } from './exports.ts'
import { frozen } from './frozen.ts'
import { network } from './network.ts'
import { overload } from './overload.ts'
import { postmaster } from './postmaster.ts'
import { type Options, printRows, printTable, type Result } from './report.ts'
import { restarts } from './restart.ts'
import { rolling } from './rolling.ts'
import { servers } from './servers.ts'
import { slowAccount } from './slow-account.ts'
import { slowMail } from './slow-mail.ts'
import { stalledConnections } from './stalled-connections.ts'
import { stalledMail } from './stalled-mail.ts'
import { webhooks } from './webhooks.ts'

const faults: Readonly<Record<string, (options: Options) => Promise<Result[]>>> = {
  servers,
  restarts,
  postmaster,
  stalled: stalledConnections,
  network,
  frozen,
  disk,
  rolling,
  aborts,
  edits,
  deletion,
  overload,
  exports,
  emails,
  mail: stalledMail,
  webhooks,
  accounts: async (options) => [await slowAccount(options), await slowMail(options)],
  workers,
}

/** Faults that need a single PostgreSQL whose files and processes this program controls, and not a cluster. */
const ONE_POSTGRESQL = ['postmaster', 'frozen', 'disk']
/** Faults that need a Citus cluster. */
const CLUSTER = ['workers']
const applicable = Object.keys(faults).filter(
  (name) => !(process.env.CITUS_URL ? ONE_POSTGRESQL : CLUSTER).includes(name),
)

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: 'string' }, short: { type: 'boolean' }, json: { type: 'boolean' } },
})
const unknown = positionals.find((name) => !applicable.includes(name))
if (unknown !== undefined) {
  console.error(
    `Unknown fault: ${unknown}. Use one or more of ${applicable.join(', ')}, as in: make chaos ARGS="restarts"`,
  )
  process.exit(2)
}
const options: Options = { seed: Number(values.seed ?? 1), short: values.short ?? false }
const results: Result[] = []
// The faults run in sequence, so that each fault has the whole machine.
for (const name of positionals.length ? positionals : applicable) {
  if (!values.json) console.log(`${name} …`)
  try {
    const outcome = await faults[name]!(options)
    results.push(...outcome)
    if (!values.json) printRows(outcome)
  } catch (error) {
    const { message } = error as Error
    results.push({ fault: name, writes: '–', lost: 0, doubled: 0, problems: [`could not be run: ${message}`] })
  }
}
if (values.json) console.log(JSON.stringify(results))
else printTable(results, options)
process.exit(results.some(({ problems }) => problems.length > 0) ? 1 : 0)
