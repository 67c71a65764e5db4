import type { Schema } from './schema.ts'
import { isRecord } from './walk.ts'

/** A path in a JSON document: member names and array positions. */
export type Path = readonly (string | number)[]

/** Returns the expanded schemas that apply to a path of a document. The value at the path selects alternatives. */
export function schemasAt(root: Schema, document: unknown, path: Path): Schema[] {
  let schemas = expandSchema(root, root, document)
  let value = document
  for (const step of path) {
    value = memberOf(value, step)
    schemas = childSchemas(root, schemas, step, value)
  }
  return schemas
}

function memberOf(value: unknown, step: string | number): unknown {
  if (typeof step === 'number') return Array.isArray(value) ? value[step] : undefined
  return isRecord(value) ? value[step] : undefined
}

/**
 * Returns the expanded schemas that apply to a member or an item.
 * @param value of the member or item; it selects alternatives
 */
export const childSchemas = (
  root: Schema,
  schemas: readonly Schema[],
  step: string | number,
  value: unknown,
): Schema[] =>
  schemas.flatMap(({ properties = {}, items, additionalProperties }) => {
    const memberSchema = Object.hasOwn(properties, step) ? properties[step] : additionalProperties
    const child = typeof step === 'number' ? items : memberSchema
    return child ? expandSchema(root, child, value) : []
  })

/** Returns a schema and all schemas it includes for a value: references, alternatives and conditions. */
export function expandSchema(root: Schema, schema: Schema, value: unknown): Schema[] {
  const included = [
    ...(schema.$ref ? [resolveRef(root, schema)] : []),
    ...bestAlternatives(root, schema.anyOf ?? [], value),
    ...(schema.allOf ?? []),
    ...(schema.if && schema.then && meetsCondition(root, schema.if, value) ? [schema.then] : []),
  ]
  return [schema, ...included.flatMap((inner) => expandSchema(root, inner, value))]
}

/**
 * Returns the alternatives that define most members of a value and contradict none. An empty value matches all
 * alternatives.
 */
function bestAlternatives(root: Schema, alternatives: readonly Schema[], value: unknown): readonly Schema[] {
  if (!isRecord(value)) return alternatives
  const definedMembers = alternatives.map((alternative) => {
    const { properties = {} } = resolveRef(root, alternative)
    return meetsCondition(root, { properties }, value)
      ? Object.keys(value).filter((name) => name in properties).length
      : -1
  })
  return alternatives.filter((_, index) => definedMembers[index] === Math.max(...definedMembers))
}

const resolveRef = (root: Schema, schema: Schema): Schema =>
  schema.$ref ? (root.$defs?.[schema.$ref.replace('#/$defs/', '')] ?? {}) : schema

/**
 * Reports whether a value has the constants of a condition, the only keyword that our conditions use. Optional members
 * may be absent.
 */
const meetsCondition = (root: Schema, condition: Schema, value: unknown): boolean =>
  isRecord(value) &&
  (condition.required ?? []).every((name) => name in value) &&
  Object.entries(condition.properties ?? {}).every(([name, schema]) => {
    const { const: expected } = resolveRef(root, schema)
    return expected === undefined || value[name] === expected || !(name in value)
  })
