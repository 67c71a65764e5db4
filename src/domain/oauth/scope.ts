/** The OAuth scopes, in the order in which replies list them. `write` does not include `read`. */
export const SCOPES = ['read', 'write'] as const
export type Scope = (typeof SCOPES)[number]

/**
 * Returns the scopes of a list, without duplicates, in the order of {@link SCOPES}. If no list is given, returns all
 * scopes.
 * @returns undefined for an unknown scope or an empty list
 */
export function parseScopes(names: readonly string[] | undefined): Scope[] | undefined {
  if (names === undefined) return [...SCOPES]
  const valid: readonly string[] = SCOPES
  return names.length > 0 && names.every((name) => valid.includes(name))
    ? SCOPES.filter((scope) => names.includes(scope))
    : undefined
}
