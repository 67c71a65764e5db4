const OPERATORS: readonly string[] = ['=', '<', '>', '<=', '>=', '~']

const pair = (name: string, operator: string, value: unknown): string =>
  `${encodeURIComponent(name)}${operator.replace('<', '%3C').replace('>', '%3E')}${encodeURIComponent(String(value))}`

/**
 * Returns a query string. A list becomes one parameter for each item, or a single parameter with commas if its name is
 * in `joined`. The members of an object become parameters of their own. If the name of a member is an operator, the
 * member becomes a comparison.
 */
export function queryString(query: Readonly<Record<string, unknown>>, joined: ReadonlySet<string>): string {
  return Object.entries(query)
    .flatMap(([name, value]) => pairsOf(name, value, joined))
    .join('&')
}

function pairsOf(name: string, value: unknown, joined: ReadonlySet<string>): string[] {
  if (value === undefined || value === null) return []
  if (Array.isArray(value))
    return joined.has(name) ? [pair(name, '=', value.join(','))] : value.flatMap((item) => pairsOf(name, item, joined))
  if (typeof value !== 'object') return [pair(name, '=', value)]
  return Object.entries(value).flatMap(([key, item]) =>
    OPERATORS.includes(key) ? [pair(name, key, item)] : pairsOf(key, item, joined),
  )
}
