const browsers: readonly [RegExp, string][] = [
  [/\bEdg/, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/Firefox\//, 'Firefox'],
  [/Chrom(e|ium)\//, 'Chrome'],
  [/Safari\//, 'Safari'],
]
const systems: readonly [RegExp, string][] = [
  [/iPhone|iPad/, 'iOS'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/Linux/, 'Linux'],
]

/** What somebody would call the browser behind a User-Agent header. */
export function browserOf(agent: string): string {
  const name = (known: typeof browsers) => known.find(([pattern]) => pattern.test(agent))?.[1]
  const [browser, system] = [name(browsers), name(systems)]
  if (!browser) return agent ? agent.slice(0, 40) : 'Unknown browser'
  return system ? `${browser} on ${system}` : browser
}
