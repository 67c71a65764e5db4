// Speed of the hot paths, ours against the least that could do the same, both in the same run on this machine.
// Each ratio names its goal where there is one. node scripts/bench.ts [name ...]; without names, all.
// SIZE is the number of responses that lists and exports are measured with.
import { benchCsv } from './bench/csv.ts'
import { benchHostile } from './bench/hostile.ts'
import { benchList } from './bench/list.ts'
import { benchReport } from './bench/report.ts'
import { seededDatabase } from './bench/seeded.ts'
import { benchStart } from './bench/start.ts'
import { benchSubmit } from './bench/submit.ts'

const size = Number(process.env.SIZE ?? 1_000_000)
if (!(Number.isSafeInteger(size) && size >= 1_000)) throw new Error('SIZE must be a whole number from 1000 on.')

let seeding: ReturnType<typeof seededDatabase> | undefined
/** Filled once, for all that want it. */
const seeded = () => (seeding ??= seededDatabase(size))

const benchmarks: Readonly<Record<string, () => Promise<void>>> = {
  start: benchStart,
  submit: () => benchSubmit(),
  hostile: benchHostile,
  list: async () => benchList(await seeded()),
  report: async () => benchReport(await seeded()),
  csv: async () => benchCsv(await seeded()),
}

const named = process.argv.slice(2)
const unknown = named.find((name) => !benchmarks[name])
if (unknown !== undefined) {
  console.error(
    `There is no benchmark "${unknown}", only ${Object.keys(benchmarks).join(', ')}: make bench ARGS="list csv"`,
  )
  process.exit(2)
}
const began = performance.now()
try {
  for (const name of named.length ? named : Object.keys(benchmarks)) await benchmarks[name]!()
} finally {
  await (await seeding)?.stop()
}
console.log(`${Math.round((performance.now() - began) / 1000)} seconds in all`)
