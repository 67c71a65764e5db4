export const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1]!

/** Prints a line of a table. */
export const line = (label: string, value: string, more = ''): void =>
  console.log(`  ${label.padEnd(42)} ${value.padStart(12)}   ${more}`.trimEnd())

/** Prints a ratio with its goal, and whether the goal is reached. */
export function ratio(label: string, value: number, goal: { atLeast: number } | { atMost: number }): void {
  const [bound, relation] = 'atLeast' in goal ? [goal.atLeast, 'at least'] : [goal.atMost, 'at most']
  const reached = 'atLeast' in goal ? value >= bound : value <= bound
  line(label, value.toFixed(2), `goal ${relation} ${bound}${reached ? '' : ': MISSED'}`)
}

/** Prints the current step to standard error. */
export const printStep = (step: string): void => void process.stderr.write(`  … ${step}\n`)
