// Speed of the hot paths, ours against the least that could do the same, both in the same run on this machine.
// Each line of numbers names its goal where there is one. node scripts/bench.ts [name ...]; without names, all.
import { benchSubmit } from './bench/submit.ts'

const benchmarks: Readonly<Record<string, () => Promise<void>>> = { submit: () => benchSubmit() }

const named = process.argv.slice(2)
const unknown = named.find((name) => !benchmarks[name])
if (unknown !== undefined)
  throw new Error(`There is no benchmark "${unknown}", only ${Object.keys(benchmarks).join(', ')}.`)
for (const name of named.length ? named : Object.keys(benchmarks)) await benchmarks[name]!()
