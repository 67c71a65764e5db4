/** What the pages of a report take in their query string that is no condition on responses. */
export const OWN_PARAMETERS: ReadonlySet<string> = new Set([
  'language',
  'filter',
  'text',
  'before',
  'with',
  'where',
  'from',
  'to',
])

/** The parameters above as the pages themselves write them; what is written otherwise is a condition of that name. */
const OWN = new RegExp(`^(?:${[...OWN_PARAMETERS].join('|')})(?:=|$)`)
const NAMED = /^filter=/

/** Whether a part names a saved filter instead of a condition. */
export const isNamed = (pair: string): boolean => NAMED.test(pair)

/** The parts of a query string that narrow a report down, as they stand in it: conditions, and the name of a filter. */
export const conditionsIn = (search: string): string[] =>
  search
    .replace(/^\?/, '')
    .split('&')
    .filter((pair) => pair !== '' && (isNamed(pair) || !OWN.test(pair)))

/** One more, unless it is there; of named filters there is one at most. */
export const withCondition = (conditions: readonly string[], added: string): string[] => {
  const parts = added.split('&').filter((part) => part !== '' && !conditions.includes(part))
  const kept = parts.some(isNamed) ? conditions.filter((pair) => !isNamed(pair)) : conditions
  return [...kept, ...parts]
}

/** An address with conditions and the language of reading. */
export function addressOf(path: string, conditions: readonly string[], language?: string | undefined): string {
  const parts = [...conditions, ...(language ? [`language=${encodeURIComponent(language)}`] : [])]
  return parts.length > 0 ? `${path}?${parts.join('&')}` : path
}
