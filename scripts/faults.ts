// What the service loses when parts fail under load, and how soon it recovers. node scripts/faults.ts [name ...] --seed=1 --short
// --json prints results for a program. Everything runs on loopback, in temporary folders that are removed.
import { parseArgs } from 'node:util'
import { deletion } from './faults/deletion.ts'
import { emails } from './faults/email.ts'
import { postmaster } from './faults/postmaster.ts'
import { type Options, printRows, printTable, type Result } from './faults/report.ts'
import { restarts } from './faults/restart.ts'
import { rolling } from './faults/rolling.ts'
import { silence } from './faults/silence.ts'

const errors: Readonly<Record<string, (options: Options) => Promise<Result[]>>> = {
  restarts,
  postmaster,
  silence,
  rolling,
  emails,
  deletion,
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: 'string' }, short: { type: 'boolean' }, json: { type: 'boolean' } },
})
const unknown = positionals.find((name) => !errors[name])
if (unknown !== undefined) {
  console.error(`There is no fault "${unknown}", only ${Object.keys(errors).join(', ')}: make faults ARGS="restarts"`)
  process.exit(2)
}
const options: Options = { seed: Number(values.seed ?? 1), short: values.short ?? false }
const results: Result[] = []
// One after the other: each has the machine for itself.
for (const name of positionals.length ? positionals : Object.keys(errors)) {
  if (!values.json) console.log(`${name} …`)
  try {
    const found = await errors[name]!(options)
    results.push(...found)
    if (!values.json) printRows(found)
  } catch (error) {
    const { message } = error as Error
    results.push({ fault: name, writes: '–', lost: 0, doubled: 0, problems: [`it could not be run: ${message}`] })
  }
}
if (values.json) console.log(JSON.stringify(results))
else printTable(results, options)
process.exit(results.some(({ problems }) => problems.length > 0) ? 1 : 0)
