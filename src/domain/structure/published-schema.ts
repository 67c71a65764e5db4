import { kinds } from './kinds.ts'
import { oldMembers } from './old-members.ts'
import { structureSchema } from './schema.ts'
import { isRecord } from './walk.ts'

/** Members that old editors write into any object. They have no effect. */
const ignoredMembers = Object.fromEntries(['$schema', 'name', ...oldMembers].map((name) => [name, {}]))

/**
 * The JSON Schema of a structure in the published reference. It is stricter than the service, which keeps unknown
 * members and question types, so that editors highlight misspelt names. Members that begin with `x-` are
 * reserved for authors and are always valid.
 */
export const publishedSchema: unknown = strict(structureSchema)

function strict(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(strict)
  if (!isRecord(schema)) return schema
  const { examples, ...rest } = schema
  const strictSchema = Object.fromEntries(Object.entries(rest).map(([keyword, value]) => [keyword, strict(value)]))
  const result = { ...strictSchema, ...(examples !== undefined && { examples }) }
  if (schema.type !== 'object' || !isRecord(strictSchema.properties)) return result
  const { idname } = strictSchema.properties
  return {
    ...result,
    properties: {
      ...ignoredMembers,
      ...strictSchema.properties,
      ...(isRecord(idname) && { idname: { ...idname, enum: Object.keys(kinds) } }),
    },
    patternProperties: { '^x-': {} },
    unevaluatedProperties: false,
  }
}
