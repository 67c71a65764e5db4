import { partsOf } from './coerce.ts'
import type { Contract, SchemaObject } from './contract.ts'

/** Limits the recursion, because schemas can refer to themselves. */
const MAX_DEPTH = 8

/**
 * Removes the members that a schema does not describe, at any depth. Such members are ignored (docs/decisions.md 2), so
 * their values need not be valid.
 */
export function removeUndeclared(contract: Contract, schema: SchemaObject, value: unknown, depth = 0): void {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return
  const parts = partsOf(contract, schema)
  if (Array.isArray(value)) {
    const items = parts.find((part) => part.items)?.items
    if (items) for (const item of value) removeUndeclared(contract, items, item, depth + 1)
    return
  }
  const declared = new Map(parts.flatMap(({ properties = {} }) => Object.entries(properties)))
  const patterns = parts.flatMap(({ patternProperties = {} }) => Object.keys(patternProperties))
  const isOpen = declared.size === 0 || (!patterns.length && parts.some((part) => part.additionalProperties))
  const object = value as Record<string, unknown>
  for (const name of Object.keys(object)) {
    // PHP and Rails add brackets to the name of a list.
    const property = declared.get(name.replace(/\[\]$/, ''))
    if (property) removeUndeclared(contract, property, object[name], depth + 1)
    else if (!isOpen && !patterns.some((pattern) => new RegExp(pattern, 'u').test(name))) delete object[name]
  }
}
