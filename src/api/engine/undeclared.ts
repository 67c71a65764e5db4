import { partsOf } from './coerce.ts'
import type { Contract, SchemaObject } from './contract.ts'

/** Limits the recursion, because schemas can refer to themselves. */
const MAX_DEPTH = 8

/** The items and members that a schema describes. */
interface Declarations {
  items: SchemaObject | undefined
  members: ReadonlyMap<string, SchemaObject>
  patterns: readonly RegExp[]
  /** Whether the service processes members of any name. */
  isOpen: boolean
}

/** The declarations of the schemas of a contract, each computed on its first use. */
const cache = new WeakMap<Contract, WeakMap<SchemaObject, Declarations>>()

function declarationsOf(contract: Contract, schema: SchemaObject): Declarations {
  const known = cache.get(contract) ?? new WeakMap<SchemaObject, Declarations>()
  cache.set(contract, known)
  const declarations = known.get(schema) ?? readDeclarations(contract, schema)
  known.set(schema, declarations)
  return declarations
}

function readDeclarations(contract: Contract, schema: SchemaObject): Declarations {
  const parts = partsOf(contract, schema)
  const schemas = new Map<string, SchemaObject[]>()
  for (const { properties = {} } of parts)
    for (const [name, property] of Object.entries(properties))
      schemas.set(name, [...(schemas.get(name) ?? []), ...(typeof property === 'object' ? [property] : [])])
  const patterns = parts.flatMap(({ patternProperties = {} }) => Object.keys(patternProperties))
  return {
    items: parts.find((part) => part.items)?.items,
    members: new Map(
      [...schemas].map(([name, [first = {}, ...more]]) => [name, more.length ? { allOf: [first, ...more] } : first]),
    ),
    patterns: patterns.map((pattern) => new RegExp(pattern, 'u')),
    isOpen:
      (schemas.size === 0 && !parts.some((part) => part['x-ignored-members'])) ||
      (!patterns.length && parts.some((part) => part.additionalProperties)),
  }
}

/**
 * Removes, at any depth, the members that the service ignores: those that a schema does not describe or marks as
 * ignored (docs/decisions.md 2). The values of these members need not be valid.
 */
export function removeUndeclared(contract: Contract, schema: SchemaObject, value: unknown, depth = 0): void {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return
  const { items, members, patterns, isOpen } = declarationsOf(contract, schema)
  if (Array.isArray(value)) {
    if (items) for (const item of value) removeUndeclared(contract, items, item, depth + 1)
    return
  }
  const object = value as Record<string, unknown>
  for (const name of Object.keys(object)) {
    // PHP and Rails add brackets to the name of a list.
    const member = members.get(name.replace(/\[\]$/, ''))
    if (member?.['x-ignored']) delete object[name]
    else if (member) removeUndeclared(contract, member, object[name], depth + 1)
    else if (!isOpen && !patterns.some((pattern) => pattern.test(name))) delete object[name]
  }
}
