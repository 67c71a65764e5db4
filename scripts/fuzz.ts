// Fuzzes all contracts in parallel, each against a separate server on a temporary database, with all checks and phases of
// Schemathesis, valid and invalid data, and credentials.
//   FUZZ_MINUTES=10   duration (make fuzz)
//   FUZZ_EXAMPLES=20  examples for each operation with two fixed seeds (make test)
//   FUZZ_SEED=1       repeats a run; with an odd seed, and in the second run of make test, requests have an access token
//   FUZZ_ONLY=v2      fuzzes one version
//   FUZZ_LOG=path     writes all excluded failures to a file
// `make fuzz ARGS=outside` uses the default settings of Schemathesis, without our hooks and exclusions. It fails on every
// failure that test/fuzz/refusals.json does not list with the section of docs/specification.md that demands it.
import { randomInt } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { type Run, runAgainst } from './fuzz/run.ts'
import { findSchemathesis } from './fuzz/schemathesis.ts'
import { versions as allVersions } from './versions.ts'

const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '')
const versions = allVersions.filter((version) => !process.env.FUZZ_ONLY || process.env.FUZZ_ONLY === version)
const examples = process.env.FUZZ_EXAMPLES
const minutes = Number(process.env.FUZZ_MINUTES ?? 10)
const outside = process.argv.includes('outside')

const runSeed = process.env.FUZZ_SEED ? Number(process.env.FUZZ_SEED) : randomInt(2 ** 31)

/** The seed of the first run of `make test`. */
const FIXED_SEED = 20261121
/** The seed of its second run. Random seeds still find rules that no schema states, so they are for `make fuzz`. */
const TOKEN_SEED = 7
/** The phases that depend on the seed. */
const RANDOM_PHASES = 'fuzzing,stateful'
const ALL_PHASES = 'examples,coverage,fuzzing,stateful'

const runs: Run[] =
  examples && !outside
    ? [
        { seed: FIXED_SEED, phases: ALL_PHASES, limit: ['--max-examples', examples] },
        {
          seed: process.env.FUZZ_SEED ? runSeed : TOKEN_SEED,
          phases: RANDOM_PHASES,
          limit: ['--max-examples', examples],
          hasToken: true,
        },
      ]
    : [
        {
          seed: runSeed,
          phases: ALL_PHASES,
          limit: examples
            ? ['--max-examples', examples]
            : ['--max-time', String(Math.max(10, Math.round(minutes * 60)))],
          outside,
          hasToken: runSeed % 2 === 1,
        },
      ]

const tool = await findSchemathesis(root, !outside)
console.log(
  `fuzz: ${versions.join(' and ')}, ${runs.map(({ seed, phases }) => `${phases} with seed ${seed}`).join(', then ')}; ` +
    `${examples ? `${examples} examples for each operation` : `${minutes} minutes`}`,
)
const outcomes = await Promise.all(
  versions.map(async (version) => {
    const failed: number[] = []
    for (const run of runs) if ((await runAgainst(tool, root, version, run)) !== 0) failed.push(run.seed)
    const command = `${examples ? `FUZZ_EXAMPLES=${examples} ` : ''}FUZZ_ONLY=${version} FUZZ_SEED=`
    return failed.map(
      (seed) =>
        `fuzz: ${version} failed with seed ${seed}; ${command}${seed} make fuzz${outside ? ' ARGS=outside' : ''} repeats the run`,
    )
  }),
)
for (const line of outcomes.flat()) console.error(line)
if (outcomes.flat().length > 0) process.exitCode = 1
else console.log('fuzz: passed')
