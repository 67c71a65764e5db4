const refuse = (): never => {
  throw new TypeError('A compiled questionnaire does not change.')
}

/** A map that refuses to change, as `Object.freeze` alone does not make one. */
export function frozenMap<K, V>(entries: Iterable<readonly [K, V]>): ReadonlyMap<K, V> {
  const map = new Map(entries)
  return Object.freeze(Object.assign(map, { set: refuse, delete: refuse, clear: refuse }))
}

/** Freezes JSON-like data to its leaves and gives it back. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  Object.freeze(value)
  for (const member of Object.values(value)) deepFreeze(member)
  return value
}
