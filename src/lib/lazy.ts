import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

/**
 * Loads a package when a function needs it that cannot wait: many processes never call the function. Functions that can
 * wait use `await import`.
 */
export const loadPackage = <Package>(name: string): Package => require(name) as Package

/** Returns a function that makes a value on its first call, and returns the same value on later calls. */
export function lazy<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
