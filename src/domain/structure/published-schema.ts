import { kinds } from './kinds.ts'
import { oldMembers } from './old-members.ts'
import { structureSchema } from './schema.ts'
import { isRecord } from './walk.ts'

/** Members without an effect that any object may have: those of old editors. */
const unexplained = Object.fromEntries(['$schema', 'name', ...oldMembers].map((name) => [name, {}]))

/**
 * The JSON Schema of a structure in the published reference. It is stricter than the service, which keeps unknown
 * members and question types: editors highlight them, because most are misspelt. Members that begin with `x-` are
 * reserved for authors and are always valid.
 */
export const publishedSchema: unknown = strict(structureSchema)

function strict(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(strict)
  if (!isRecord(schema)) return schema
  const { examples, ...rest } = schema
  const inner = Object.fromEntries(Object.entries(rest).map(([keyword, value]) => [keyword, strict(value)]))
  const kept = { ...inner, ...(examples !== undefined && { examples }) }
  if (schema.type !== 'object' || !isRecord(inner.properties)) return kept
  const { idname } = inner.properties
  return {
    ...kept,
    properties: {
      ...unexplained,
      ...inner.properties,
      ...(isRecord(idname) && { idname: { ...idname, enum: Object.keys(kinds) } }),
    },
    patternProperties: { '^x-': {} },
    unevaluatedProperties: false,
  }
}
