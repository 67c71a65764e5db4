import { questionTypes } from '../../questions/index.ts'
import { ref, type Schema } from './json-schema.ts'
import { structureSchema } from './schema.ts'
import type { Json } from './walk.ts'
import { oldMembers } from './warnings.ts'

/**
 * Members that are accepted in every object: `$schema`, `name`, and the members that the editors of the original
 * service write. A member has no effect in an object whose schema does not define it.
 */
const ignoredMembers = Object.fromEntries(['$schema', 'name', ...oldMembers].map((name) => [name, {}]))

/**
 * The JSON Schema of a structure in the published reference. The schema is stricter than the service, so that editors
 * highlight misspelt names. The service keeps unknown members and question types. Members that begin with `x-` are
 * reserved for authors and are always valid.
 */
export const publishedSchema: unknown = strict({ ...structureSchema, $defs: schemasWithoutOther() })

function schemasWithoutOther(): Json {
  const { OtherQuestion: _, ...schemas } = structureSchema.$defs!
  return { ...schemas, StructureQuestion: ref('KnownQuestion') }
}

function strict(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(strict)
  if (typeof schema !== 'object' || schema === null) return schema
  const { discriminator, type } = schema as Schema
  if (discriminator) return byKind(discriminator.mapping)
  const { examples, ...rest }: Json = { ...schema }
  const strictSchema = Object.fromEntries(Object.entries(rest).map(([keyword, value]) => [keyword, strict(value)]))
  const result = { ...strictSchema, ...(examples !== undefined && { examples }) }
  if (type !== 'object' || !strictSchema.properties) return result
  return {
    ...result,
    properties: { ...ignoredMembers, ...(strictSchema.properties as Json) },
    patternProperties: { '^x-': {} },
    unevaluatedProperties: false,
  }
}

/**
 * Returns a schema that selects the schema of a question by its type. An error then names the invalid member and not
 * the whole question.
 */
function byKind(mapping: Readonly<Record<string, string>>): Json {
  return {
    type: 'object',
    required: ['idname'],
    properties: { idname: { enum: Object.keys(questionTypes) } },
    allOf: Object.entries(mapping).map(([idname, $ref]) => ({
      if: { properties: { idname: { const: idname } }, required: ['idname'] },
      // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
      then: { $ref },
    })),
  }
}
