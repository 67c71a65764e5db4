/** The results that are read from the output of a run. */
export interface Output {
  /** The share of the links of the contract that the stateful phase followed; undefined without this phase. */
  linkShare: number | undefined
  /** The exclusions that the run did not use (tools/fuzz/hooks.py). */
  unused: string[]
}

/** Reads the output of a run of Schemathesis with the hooks of tools/fuzz. */
export function parseOutput(text: string): Output {
  const [, covered, total] = /API Links: +(\d+) covered .* (\d+) total/.exec(text) ?? []
  const [, unused = ''] = /^fuzz: unused: (.*)$/m.exec(text) ?? []
  return { linkShare: covered ? Number(covered) / Number(total) : undefined, unused: unused.split(' ').filter(Boolean) }
}

/** Returns the lines of the output that count operations, links and scenarios, and the lines of our hooks. */
export const summaryOf = (text: string): string =>
  text
    .split('\n')
    .filter((line) => /^ +(Operations|API Links|Scenarios):|generated|^fuzz:/.test(line))
    .map((line) => line.trim())
    .join('\n')
