/** What the pages of a report take in their query string that is no condition; no question is likely to be called so. */
export const OWN = {
  language: 'view-language',
  /** Conditions that a form brings along, as they stood in the address. */
  base: 'view-base',
  /** One more condition, written out. */
  added: 'view-add',
  from: 'view-from',
  to: 'view-to',
  /** Part of a text. */
  words: 'view-words',
  /** Only responses before this one. */
  before: 'view-before',
} as const

/** Everything in the query string of a report that is no condition. */
export const PARAMETERS: ReadonlySet<string> = new Set(['filter', ...Object.values(OWN)])

const NAMED = /^filter=/
const OURS = new RegExp(`^(?:${Object.values(OWN).join('|')})(?:=|$)`)

/** Whether a part names a saved filter instead of a condition. */
export const isNamed = (pair: string): boolean => NAMED.test(pair)

/** The parts of a query string that narrow a report down, as they stand in it: conditions, and the name of a filter. */
export const conditionsIn = (search: string): string[] =>
  search
    .replace(/^\?/, '')
    .split('&')
    .filter((pair) => pair !== '' && !OURS.test(pair))

/** One more, unless it is there; of named filters there is one at most. */
export const withCondition = (conditions: readonly string[], added: string): string[] => {
  const parts = added.split('&').filter((part) => part !== '' && !conditions.includes(part))
  const kept = parts.some(isNamed) ? conditions.filter((pair) => !isNamed(pair)) : conditions
  return [...kept, ...parts]
}

/** An address with conditions and the language of reading. */
export function addressOf(path: string, conditions: readonly string[], language?: string | undefined): string {
  const parts = [...conditions, ...(language ? [`${OWN.language}=${encodeURIComponent(language)}`] : [])]
  return parts.length > 0 ? `${path}?${parts.join('&')}` : path
}
