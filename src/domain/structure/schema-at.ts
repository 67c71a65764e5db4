import type { Schema } from './schema.ts'
import { isRecord } from './walk.ts'

/** A path in a JSON document: names of members and positions in arrays. */
export type Path = readonly (string | number)[]

/**
 * Returns the plain schemas that apply to a path of a document, alternatives included. Conditions (`if`) are evaluated
 * with the value at the path.
 */
export function schemasAt(root: Schema, document: unknown, path: Path): Schema[] {
  let here = plain(root, root, document)
  let value = document
  for (const step of path) {
    value =
      typeof step === 'number'
        ? Array.isArray(value)
          ? value[step]
          : undefined
        : isRecord(value)
          ? value[step]
          : undefined
    here = schemasInside(root, here, step, value)
  }
  return here
}

/**
 * Returns the plain schemas that apply to a member or an item.
 * @param value of the member or item; it selects alternatives
 */
export const schemasInside = (
  root: Schema,
  schemas: readonly Schema[],
  step: string | number,
  value: unknown,
): Schema[] =>
  schemas.flatMap((schema) => {
    const { properties = {}, items, additionalProperties } = schema
    const named = Object.hasOwn(properties, step) ? properties[step] : additionalProperties
    const inner = typeof step === 'number' ? items : named
    return inner ? plain(root, inner, value) : []
  })

/** Expands the references, alternatives and conditions of a schema that apply to a value. */
export function plain(root: Schema, schema: Schema, value: unknown): Schema[] {
  const named = schema.$ref ? root.$defs?.[schema.$ref.replace('#/$defs/', '')] : undefined
  const all = [
    ...(named ? [named] : []),
    ...fitting(root, schema.anyOf ?? [], value),
    ...(schema.allOf ?? []),
    ...(schema.if && schema.then && fits(root, schema.if, value) ? [schema.then] : []),
  ]
  return [schema, ...all.flatMap((inner) => plain(root, inner, value))]
}

/**
 * Returns the alternatives that define most members of a value and contradict none. An empty value fits all
 * alternatives.
 */
function fitting(root: Schema, alternatives: readonly Schema[], value: unknown): readonly Schema[] {
  if (!isRecord(value)) return alternatives
  const known = alternatives.map((one) => {
    const { properties = {} } = resolved(root, one)
    return fits(root, { properties }, value) ? Object.keys(value).filter((name) => name in properties).length : -1
  })
  return alternatives.filter((_, index) => known[index] === Math.max(...known))
}

const resolved = (root: Schema, schema: Schema): Schema =>
  schema.$ref ? (root.$defs?.[schema.$ref.replace('#/$defs/', '')] ?? {}) : schema

/**
 * Reports whether a value has the constants of a condition, the only keyword in our conditions. Optional members may be
 * absent.
 */
const fits = (root: Schema, condition: Schema, value: unknown): boolean =>
  isRecord(value) &&
  (condition.required ?? []).every((name) => name in value) &&
  Object.entries(condition.properties ?? {}).every(([name, schema]) => {
    const { const: wanted } = resolved(root, schema)
    return wanted === undefined || value[name] === wanted || !(name in value)
  })
