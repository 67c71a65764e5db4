import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

/**
 * Loads a package when a function needs it that cannot wait: many processes never call the function. Functions that can
 * wait use `await import`.
 */
export const loadPackage = <Package>(name: string): Package => require(name) as Package

/** Reads a JSON file of a package. Unlike a loaded package, it does not stay in memory. */
export const readPackageJson = <Value>(name: string): Value =>
  JSON.parse(readFileSync(require.resolve(name), 'utf8')) as Value

/** Returns a function that makes a value on its first call, and returns the same value on later calls. */
export function lazy<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
