import type { Audit } from './audit.ts'
import type { Load } from './load.ts'

/** Slower recovery, or a slower stop, is a failure, in milliseconds; generous beside other tests on the same machine. */
export const limitMs = ({ short }: Pick<Options, 'short'>): number => (short ? 40_000 : 10_000)

/** The result of one fault. */
export interface Result {
  fault: string
  /** What was written and how: `1,234 (12 unknown)`. */
  writes: string
  lost: number
  doubled: number
  /** The longest silence after a fault, in milliseconds; absent where nothing has to recover. */
  recoveryMs?: number
  /** What is wrong, a line each. */
  problems: string[]
}

export interface Options {
  seed: number
  /** About a minute for all faults: for the test suite. */
  short: boolean
}

const shown = (lines: readonly string[], what: string) =>
  lines.length ? [`${lines.length} ${what}: ${lines.slice(0, 3).join(' | ')}`] : []

/** The result of a fault under load. */
export function resultOf(
  fieldError: string,
  load: Load,
  { lost, doubled, wrong }: Audit,
  { recoveryMs, problems, options }: { recoveryMs: number; problems: string[]; options: Options },
): Result {
  const { acknowledgements, unknown, unexpected } = load
  return {
    fault: fieldError,
    writes: `${acknowledgements.length} acknowledged, ${unknown} unknown`,
    lost: lost.length,
    doubled: doubled.length,
    recoveryMs,
    problems: [
      ...problems,
      ...shown(lost, 'lost'),
      ...shown(doubled, 'doubled'),
      ...wrong,
      ...shown(unexpected, 'unexpected replies'),
      ...(recoveryMs > limitMs(options) ? ['recovery took too long'] : []),
    ],
  }
}

const seconds = (millis: number | undefined) =>
  millis === undefined ? '–' : Number.isFinite(millis) ? `${(millis / 1000).toFixed(1)} s` : 'never'

/** Prints the rows of a table (Markdown). */
export function printRows(results: readonly Result[]): void {
  for (const { fault: fieldError, writes, lost, doubled, recoveryMs, problems } of results)
    console.log(
      `| ${fieldError} | ${writes} | ${lost} | ${doubled} | ${seconds(recoveryMs)} | ${problems.length ? 'FAILED' : 'held'} |`,
    )
}

/** Prints the results as a table (Markdown), and below it what is wrong. */
export function printTable(results: readonly Result[], { seed, short }: Options): void {
  console.log(`\nFaults, seed ${seed}${short ? ', short form' : ''}\n`)
  console.log('| fault | writes | lost | doubled | longest recovery | verdict |\n|---|---|---|---|---|---|')
  printRows(results)
  for (const { fault: fieldError, problems } of results)
    for (const problem of problems) console.log(`\n${fieldError}: ${problem}`)
}
