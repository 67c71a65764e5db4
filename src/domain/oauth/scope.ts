/** What a token may allow, in the order in which it is told. Neither includes the other. */
export const SCOPES = ['read', 'write'] as const
export type Scope = (typeof SCOPES)[number]

/**
 * The scopes of a list, each once, in our order; without a list all of them.
 * @returns undefined where the list names one that does not exist, or none at all
 */
export function parseScopes(names: readonly string[] | undefined): Scope[] | undefined {
  if (names === undefined) return [...SCOPES]
  const known: readonly string[] = SCOPES
  return names.length > 0 && names.every((name) => known.includes(name))
    ? SCOPES.filter((scope) => names.includes(scope))
    : undefined
}
