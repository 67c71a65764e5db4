/** Returns the median; of an even number of values, the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

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

/** Prints a sentence that says what to do, and ends the program. */
export function stopWith(sentence: string): never {
  console.error(sentence)
  process.exit(2)
}

/** Returns the value of an environment variable. Ends the program if the value is not a whole number from `minimum` on. */
export function wholeNumber(name: string, fallback: number, minimum: number): number {
  const value = Number(process.env[name] ?? fallback)
  if (!(Number.isSafeInteger(value) && value >= minimum))
    stopWith(`${name} must be a whole number of at least ${minimum}.`)
  return value
}

/**
 * Returns whether a line lost so much speed that no release should have it: more than 15 % in the median of the rounds,
 * and more than 5 % in each round. Of six rounds or more, all lie on one side of the true median by chance in 3.2 % of
 * runs at most, so the range of the rounds is an interval of more than 95 % for it.
 * @param ratios this tree ÷ base, of each round
 */
export function isLoss(ratios: readonly number[], unit: '/s' | 'ms' | 'MB'): boolean {
  const speeds = unit === '/s' ? ratios : ratios.map((each) => 1 / each)
  return median(speeds) < 0.85 && Math.max(...speeds) < 0.95
}
