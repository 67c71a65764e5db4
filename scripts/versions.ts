import { readdirSync } from 'node:fs'
import path from 'node:path'

/** The root folder of the project. */
export const root = path.resolve(import.meta.dirname, '..')

/** The versions of the API, oldest first: the folders `openapi/v<number>`. */
export const versions: readonly string[] = readdirSync(path.join(root, 'openapi'))
  .filter((name) => /^v\d+$/.test(name))
  .sort((a, b) => Number(a.slice(1)) - Number(b.slice(1)))

/**
 * The documents of `openapi/` that describe no version of the API: they have no types, handlers, releases or client
 * packages.
 */
export const otherDocuments: readonly string[] = ['oauth']
