import type { Audit } from './audit.ts'
import type { Load } from './load.ts'

/**
 * Returns the maximum time of a recovery or a stop, in milliseconds. It is longer in the short form, which runs at the
 * same time as other tests.
 */
export const limitMs = ({ short }: Pick<Options, 'short'>): number => (short ? 40_000 : 10_000)

/** The result of one fault. */
export interface Result {
  fault: string
  /** The number of writes by result, as text. */
  writes: string
  lost: number
  doubled: number
  /** The longest recovery time in milliseconds. It is missing if nothing recovers after the fault. */
  recoveryMs?: number
  /** One line for each problem. */
  problems: string[]
}

export interface Options {
  seed: number
  /** Whether to run the short form for the test suite. It takes about a minute for all faults. */
  short: boolean
}

const summarise = (lines: readonly string[], label: string) =>
  lines.length ? [`${lines.length} ${label}: ${lines.slice(0, 3).join(' | ')}`] : []

/** Returns the result of a fault under load. */
export function resultOf(
  fault: string,
  load: Load,
  { lost, doubled, inconsistent }: Audit,
  { recoveryMs, problems, options }: { recoveryMs: number; problems: string[]; options: Options },
): Result {
  const { acknowledgements, unknown, rejected, unexpected } = load
  return {
    fault,
    writes: `${acknowledgements.length} acknowledged, ${unknown} unknown${rejected ? `, ${rejected} rejected` : ''}`,
    lost: lost.length,
    doubled: doubled.length,
    recoveryMs,
    problems: [
      ...problems,
      ...summarise(lost, 'lost'),
      ...summarise(doubled, 'doubled'),
      ...inconsistent,
      ...summarise(unexpected, 'unexpected replies'),
      ...(recoveryMs > limitMs(options) ? ['recovery took too long'] : []),
    ],
  }
}

const seconds = (milliseconds: number | undefined) =>
  milliseconds === undefined ? '–' : Number.isFinite(milliseconds) ? `${(milliseconds / 1000).toFixed(1)} s` : 'never'

/** Prints the rows of a table (Markdown). */
export function printRows(results: readonly Result[]): void {
  for (const { fault, writes, lost, doubled, recoveryMs, problems } of results)
    console.log(
      `| ${fault} | ${writes} | ${lost} | ${doubled} | ${seconds(recoveryMs)} | ${problems.length ? 'FAILED' : 'passed'} |`,
    )
}

/** Prints the results as a table (Markdown), followed by the problems. */
export function printTable(results: readonly Result[], { seed, short }: Options): void {
  console.log(`\nFaults, seed ${seed}${short ? ', short form' : ''}\n`)
  console.log('| fault | writes | lost | doubled | longest recovery | verdict |\n|---|---|---|---|---|---|')
  printRows(results)
  for (const { fault, problems } of results) for (const problem of problems) console.log(`\n${fault}: ${problem}`)
}
