const throwReadOnly = (): never => {
  throw new TypeError('A compiled questionnaire cannot be changed.')
}

/** Returns a map that throws when it is changed. `Object.freeze` does not protect the entries of a map. */
export function frozenMap<K, V>(entries: Iterable<readonly [K, V]>): ReadonlyMap<K, V> {
  const map = new Map(entries)
  return Object.freeze(Object.assign(map, { set: throwReadOnly, delete: throwReadOnly, clear: throwReadOnly }))
}

/**
 * Freezes JSON-like data recursively.
 * @returns the same value
 */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  Object.freeze(value)
  for (const member of Object.values(value)) deepFreeze(member)
  return value
}
