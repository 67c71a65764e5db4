// Fuzzes both contracts, side by side, each against a server of its own on a throw-away database: every check and phase
// of Schemathesis, good and bad data, with credentials. Two ways:
//   FUZZ_MINUTES=10   for so long (make fuzz)
//   FUZZ_EXAMPLES=4   so many for each operation: once with a seed that never changes, once with the commit's (make test)
// FUZZ_SEED repeats a run, FUZZ_ONLY=v2 takes one version, FUZZ_LOG names a file for everything that was excused.
import { execFileSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { type Run, runAgainst } from './fuzz/run.ts'
import { findSchemathesis } from './fuzz/schemathesis.ts'

const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '')
const versions = ['v2', 'v3'].filter((version) => !process.env.FUZZ_ONLY || process.env.FUZZ_ONLY === version)
const examples = process.env.FUZZ_EXAMPLES
const minutes = Number(process.env.FUZZ_MINUTES ?? 10)

/** A seed that is another one with each commit, and the same for whoever tests that commit again; outside git, any. */
function seedOfCommit(): number {
  try {
    const commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8', stdio: 'pipe' })
    return Number.parseInt(commit.slice(0, 7), 16)
  } catch {
    return randomInt(2 ** 31)
  }
}

const drawn = () => (examples ? seedOfCommit() : randomInt(2 ** 31))
const chosen = process.env.FUZZ_SEED ? Number(process.env.FUZZ_SEED) : drawn()

/** The seed of the run that is always the same. */
const FIXED = 20261121
/** What a seed changes; examples and limits are the same with every seed. */
const RANDOM_PHASES = 'fuzzing,stateful'
const ALL_PHASES = 'examples,coverage,fuzzing,stateful'

const runs: Run[] = examples
  ? [
      { seed: FIXED, phases: ALL_PHASES, limit: ['--max-examples', examples] },
      { seed: chosen, phases: RANDOM_PHASES, limit: ['--max-examples', examples] },
    ]
  : [{ seed: chosen, phases: ALL_PHASES, limit: ['--max-time', String(Math.max(10, Math.round(minutes * 60)))] }]

const tool = await findSchemathesis(root)
console.log(
  `fuzz: ${versions.join(' and ')}, ${runs.map(({ seed, phases }) => `${phases} with seed ${seed}`).join(', then ')}; ` +
    `${examples ? `${examples} examples for each operation` : `${minutes} minutes`}`,
)
const outcomes = await Promise.all(
  versions.map(async (version) => {
    const failed: number[] = []
    for (const run of runs) if ((await runAgainst(tool, root, version, run)) !== 0) failed.push(run.seed)
    const again = `${examples ? `FUZZ_EXAMPLES=${examples} ` : ''}FUZZ_ONLY=${version} FUZZ_SEED=`
    return failed.map((seed) => `fuzz: ${version} failed with seed ${seed}; ${again}${seed} make fuzz tries it again`)
  }),
)
for (const line of outcomes.flat()) console.error(line)
if (outcomes.flat().length > 0) process.exitCode = 1
else console.log('fuzz: passed')
