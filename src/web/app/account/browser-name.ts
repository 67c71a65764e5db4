import { t } from '../../i18n/t.ts'

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

/** Returns a readable name for the browser of a User-Agent header: `Firefox on Linux`. */
export function browserOf(agent: string): string {
  const name = (patterns: typeof browsers) => patterns.find(([pattern]) => pattern.test(agent))?.[1]
  const [browser, system] = [name(browsers), name(systems)]
  if (!browser) return agent ? agent.slice(0, 40) : t('Unknown browser')
  return system ? t('{browser} on {system}', { browser, system }) : browser
}
