// Measures how fast the most frequent requests are, compared with minimal servers in the same run on this machine.
// Prints the ratios with their goals. Run: make bench ARGS="list csv"; without names, all benchmarks run. The environment
// variable SIZE sets the number of responses for the benchmarks `list`, `report`, `analysis` and `csv`.
import { benchAnalysis } from './analysis.ts'
import { benchBackground } from './background.ts'
import { benchBuilder } from './builder.ts'
import { benchCsv } from './csv.ts'
import { stopWith, wholeNumber } from './figures.ts'
import { benchHostile } from './hostile.ts'
import { benchList } from './list.ts'
import { benchOverload } from './overload.ts'
import { benchRehearsal } from './rehearsal.ts'
import { benchReport } from './report.ts'
import { seededDatabase } from './seeded.ts'
import { benchStart } from './start.ts'
import { benchSubmit } from './submit.ts'

const size = wholeNumber('SIZE', 1_000_000, 1_000)

let seeding: ReturnType<typeof seededDatabase> | undefined
/** Fills the database once, for all benchmarks. */
const seeded = () => (seeding ??= seededDatabase(size))

const benchmarks: Readonly<Record<string, () => Promise<void>>> = {
  start: benchStart,
  builder: benchBuilder,
  rehearsal: benchRehearsal,
  submit: () => benchSubmit(),
  overload: benchOverload,
  hostile: benchHostile,
  background: benchBackground,
  list: async () => benchList(await seeded()),
  report: async () => benchReport(await seeded()),
  analysis: async () => benchAnalysis(await seeded()),
  csv: async () => benchCsv(await seeded()),
}

const names = process.argv.slice(2)
const unknown = names.find((name) => !benchmarks[name])
if (unknown !== undefined)
  stopWith(
    `Unknown benchmark: ${unknown}. Use one or more of ${Object.keys(benchmarks).join(', ')}, as in: make bench ARGS="list csv"`,
  )
const start = performance.now()
try {
  for (const name of names.length ? names : Object.keys(benchmarks)) {
    await benchmarks[name]!().catch((error: Error) => {
      console.error(`${name} failed: ${error.message}`)
      process.exitCode = 1
    })
  }
} finally {
  await (await seeding?.catch(() => undefined))?.stop()
}
console.log(`${Math.round((performance.now() - start) / 1000)} seconds in total`)
