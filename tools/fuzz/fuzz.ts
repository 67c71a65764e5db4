// Fuzzes all contracts in parallel with Schemathesis. For each run, starts a separate server with a temporary database.
// Uses all checks and phases of Schemathesis, valid and invalid data, and credentials.
//   FUZZ_MINUTES=10   duration (make fuzz)
//   FUZZ_EXAMPLES=20  examples for each operation, with two fixed seeds (make test-slow)
//   FUZZ_SEED=1       repeats a run; with an odd seed, requests have an access token
//   FUZZ_ONLY=v2      fuzzes one version
//   FUZZ_OPERATION=x  fuzzes one operation, by its operationId
//   FUZZ_LOG=path     writes all excluded failures to a file
// `make fuzz ARGS=outside` uses the default settings of Schemathesis, without our hooks and exclusions. The run fails
// if Schemathesis reports a failure for a reply that docs/specification.md does not require. tools/fuzz/refusals.json
// lists the error codes of the required replies, each with the section that requires it.
import { randomInt } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { versions as allVersions } from '../../scripts/versions.ts'
import { type Run, runAgainst } from './run.ts'
import { findSchemathesis } from './schemathesis.ts'

const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '')
const versions = allVersions.filter((version) => !process.env.FUZZ_ONLY || process.env.FUZZ_ONLY === version)
const examples = process.env.FUZZ_EXAMPLES
const minutes = Number(process.env.FUZZ_MINUTES ?? 10)
const outside = process.argv.includes('outside')

/** The seed of the first run of `make test-slow`. Like every even seed, it uses HTTP Basic. */
const FIXED_SEED = 20261122
/**
 * The seed of the second run of `make test-slow`. Like every odd seed, it uses an access token. `make fuzz` uses random
 * seeds, because other seeds than these two still find rules that the schemas do not contain.
 */
const SECOND_SEED = 7
/**
 * The minimum share of the links of a contract that a run must follow. The stateful phase chooses its steps at random,
 * so a run can miss a link if the operation from which the link starts needs an ID from another link. Runs with the two
 * fixed seeds follow from 74 % to 93 % of the 118 links of version 3.
 */
const MIN_LINK_SHARE = 0.7
/**
 * Whether the runs have enough steps to follow the links. It is false for runs with a time limit, because their number
 * of steps depends on the machine.
 */
const isThorough = Number(examples ?? 0) >= 20
/** The phases that depend on the seed. */
const RANDOM_PHASES = 'fuzzing,stateful'
const ALL_PHASES = 'examples,coverage,fuzzing,stateful'

/** Returns the seeds of the runs: the requested seed, the two seeds of `make test-slow`, or a random seed. */
function seeds(): number[] {
  if (process.env.FUZZ_SEED) return [Number(process.env.FUZZ_SEED)]
  return examples && !outside ? [FIXED_SEED, SECOND_SEED] : [randomInt(2 ** 31)]
}

const runs: Run[] = seeds().map((seed) => ({
  seed,
  phases: process.env.FUZZ_PHASES
    ? process.env.FUZZ_PHASES
    : examples && !outside && seed !== FIXED_SEED
      ? RANDOM_PHASES
      : ALL_PHASES,
  limit: examples ? ['--max-examples', examples] : ['--max-time', String(Math.max(10, Math.round(minutes * 60)))],
  outside,
  hasToken: seed % 2 === 1,
  minLinkShare: isThorough ? MIN_LINK_SHARE : 0,
}))

const tool = await findSchemathesis(root, !outside)
console.log(
  `fuzz: ${versions.join(' and ')}, ${runs.map(({ seed, phases }) => `${phases} with seed ${seed}`).join(', then ')}; ` +
    `${examples ? `${examples} examples for each operation` : `${minutes} minutes`}`,
)
const errors: string[] = []
/** The exclusions that the run of each version with the fixed seed did not use. */
const unusedByVersion: string[][] = []
const queue = runs.flatMap((run) => versions.map((version) => ({ version, run })))

async function runQueue(): Promise<void> {
  for (let next = queue.shift(); next; next = queue.shift()) {
    const { version, run } = next
    const outcome = await runAgainst(tool, root, version, run)
    if (run.seed === FIXED_SEED) unusedByVersion.push(outcome.unused)
    if (outcome.passed) continue
    const command = `${examples ? `FUZZ_EXAMPLES=${examples} ` : ''}FUZZ_ONLY=${version} FUZZ_SEED=${run.seed} make fuzz`
    errors.push(`${version} failed with seed ${run.seed}; ${command}${outside ? ' ARGS=outside' : ''} repeats the run`)
  }
}

// As many runs at a time as there are versions. The runs of one version take longer than those of another.
await Promise.all(versions.map(runQueue))
// The run with the fixed seed must use every exclusion in at least one version, so that exclusions are removed when
// they are no longer needed.
const [unused = [], ...unusedElsewhere] = unusedByVersion
if (isThorough && !outside && !process.env.FUZZ_ONLY)
  for (const name of unused.filter((name) => unusedElsewhere.every((names) => names.includes(name))))
    errors.push(
      `the exclusion ${name} of tools/fuzz was not used; remove it, or provoke it in tools/fuzz/provocations.py`,
    )
for (const error of errors) console.error(`fuzz: ${error}`)
if (errors.length > 0) process.exitCode = 1
else console.log('fuzz: passed')
