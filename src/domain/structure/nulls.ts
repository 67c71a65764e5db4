import { kindOf } from './kinds.ts'
import { memberNames, structureSchema } from './schema.ts'
import { isRecord } from './walk.ts'

const knownMembers = new Set(memberNames(structureSchema))
const { children: _, ...common } = structureSchema.$defs!.OtherQuestion!.properties!
const commonMembers = new Set(Object.keys(common))

/**
 * Returns authored JSON without the known members whose value is null, because null means absent. Unknown members are
 * kept. In a question of an unknown type, only the members that all question types have are known.
 */
export const withoutNulls = (json: unknown): unknown => (containsNull(json) ? copyWithoutNulls(json) : json)

/** Reports whether a value contains null at any depth. Most structures contain no null and need no copy. */
function containsNull(value: unknown): boolean {
  if (value === null) return true
  if (typeof value !== 'object') return false
  return Array.isArray(value) ? value.some(containsNull) : Object.values(value).some(containsNull)
}

function copyWithoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyWithoutNulls)
  if (!isRecord(value)) return value
  const known = typeof value.idname === 'string' && kindOf(value.idname) === 'unknown' ? commonMembers : knownMembers
  const entries = Object.entries(value).filter(([name, member]) => member !== null || !known.has(name))
  return Object.fromEntries(
    entries.map(([name, member]) => [name, known.has(name) ? copyWithoutNulls(member) : member]),
  )
}
