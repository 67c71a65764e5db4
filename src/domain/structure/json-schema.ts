import type { ErrorDetailName } from '../error-details.ts'
import { type FieldErrors, isRecord, type Json, membersOf } from './walk.ts'

/** Checks a value, and adds its errors at the JSON pointer of the value. */
export type Check = (errors: FieldErrors, pointer: string, value: unknown) => void

/**
 * Keywords of our own. They are symbols, so that published schemas do not contain them. The check of a value that no
 * other keyword describes; the name of the error of a value that is not an object; and pairs of members of which the
 * first must not be greater than the second.
 */
export const CHECK: unique symbol = Symbol('check')
export const WRONG: unique symbol = Symbol('wrong')
export const ASCENDING: unique symbol = Symbol('ascending')

/** The subset of JSON Schema 2020-12 used to describe a structure. */
export interface Schema {
  description?: string
  type?: string | readonly string[]
  properties?: Readonly<Record<string, Schema>>
  required?: readonly string[]
  items?: Schema
  enum?: readonly unknown[]
  const?: unknown
  anyOf?: readonly Schema[]
  oneOf?: readonly Schema[]
  discriminator?: { propertyName: string; mapping: Readonly<Record<string, string>> }
  $ref?: string
  $defs?: Readonly<Record<string, Schema>>
  examples?: readonly unknown[]
  additionalProperties?: Schema | true
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  pattern?: string
  minItems?: number
  maxItems?: number
  uniqueItems?: boolean
  [keyword: `$${string}`]: unknown
  [CHECK]?: Check
  [WRONG]?: ErrorDetailName
  [ASCENDING]?: readonly (readonly [low: string, high: string])[]
}

/** A path in a JSON document: member names and array positions. */
export type Path = readonly (string | number)[]

/**
 * Returns the schemas that apply to a path of a document, with the schemas that they include ({@link expandSchema}). If
 * a schema has alternatives (`anyOf`, `oneOf`), the value at the path determines which of them apply.
 */
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
  return membersOf(value)[step]
}

/**
 * Returns the schemas that apply to a member or an item, with the schemas that they include ({@link expandSchema}).
 * @param value the value of the member or item; it determines which alternatives of a schema apply
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
    return child && child !== true ? expandSchema(root, child, value) : []
  })

/**
 * Returns a schema and the schemas that it includes: the schema to which it refers, and those of its alternatives that
 * fit a value.
 */
export function expandSchema(root: Schema, schema: Schema, value: unknown): Schema[] {
  if (schema.$ref) return [schema, ...expandSchema(root, resolveRef(root, schema), value)]
  const alternatives = schema.anyOf ?? schema.oneOf
  if (!alternatives) return [schema]
  return [schema, ...bestAlternatives(root, alternatives, value).flatMap((inner) => expandSchema(root, inner, value))]
}

/** Resolves a reference to a named schema. Returns any other schema unchanged. */
export const resolveRef = (root: Schema, schema: Schema): Schema =>
  schema.$ref ? (root.$defs?.[schema.$ref.slice('#/$defs/'.length)] ?? {}) : schema

/**
 * Returns the alternatives that define the largest number of members of a value. An alternative with a constant that
 * differs from the value is returned only if all alternatives have such a constant.
 */
function bestAlternatives(root: Schema, alternatives: readonly Schema[], value: unknown): readonly Schema[] {
  if (!isRecord(value)) return alternatives
  const definedMembers = alternatives.map((alternative) => countDefinedMembers(root, alternative, value))
  return alternatives.filter((_, index) => definedMembers[index] === Math.max(...definedMembers))
}

/**
 * Returns the number of members of a value that a schema defines; -1 if a constant of the schema differs from the
 * value.
 */
function countDefinedMembers(root: Schema, schema: Schema, value: Json): number {
  const { anyOf, oneOf, properties = {}, required = [] } = resolveRef(root, schema)
  const alternatives = anyOf ?? oneOf
  if (alternatives) return Math.max(...alternatives.map((alternative) => countDefinedMembers(root, alternative, value)))
  const contradicts = Object.entries(properties).some(
    ([name, { const: expected }]) =>
      expected !== undefined && (name in value ? value[name] !== expected : required.includes(name)),
  )
  return contradicts ? -1 : Object.keys(value).filter((name) => name in properties).length
}

/** Returns a reference to a named schema of a structure. */
export const ref = <const Name extends string>(name: Name, description?: string) => ({
  $ref: `#/$defs/${name}` as const,
  ...(description !== undefined && { description }),
})

/** Returns the schema of a text: a plain string in the default language, or one string per language. */
export const text = (description: string) => ref('Text', description)

/** Returns a schema, whose constant type gives the type of its values ({@link ValueOf}). */
export const schema = <const S extends Schema>(schema: S): S => schema

/** Returns schemas by name, with their constant types. */
export const schemas = <const S extends Readonly<Record<string, Schema>>>(schemas: S): S => schemas

/** The type of the values of a schema. `Named` has the types of the schemas to which it refers. */
export type ValueOf<S, Named> = S extends { $ref: `#/$defs/${infer Name}` }
  ? Name extends keyof Named
    ? Named[Name]
    : unknown
  : S extends { enum: readonly (infer Value)[] }
    ? Value
    : S extends { anyOf: readonly (infer Alternative)[] }
      ? ValueOf<Alternative, Named>
      : S extends { items: infer Items }
        ? ValueOf<Items, Named>[]
        : S extends { properties: infer Members }
          ? MembersOf<Members, Named> & RequiredOf<S, Named>
          : S extends { additionalProperties: infer Value }
            ? Readonly<Record<string, ValueOf<Value, Named>>>
            : S extends { type: 'integer' | 'number' }
              ? number
              : S extends { type: 'boolean' }
                ? boolean
                : S extends { type: 'string' }
                  ? string
                  : unknown

type RequiredOf<S, Named> = S extends { properties: infer Members; required: readonly (infer Name)[] }
  ? { [Member in Name & keyof Members]: ValueOf<Members[Member], Named> }
  : unknown

/** The members of an object, by their schemas. */
export type MembersOf<Schemas, Named> = { [Name in keyof Schemas]?: ValueOf<Schemas[Name], Named> | undefined }

/** Returns the names of all members that a schema defines at any depth, including its named schemas. */
export function memberNames(schema: Schema): string[] {
  const inner = [
    ...Object.values(schema.properties ?? {}),
    ...Object.values(schema.$defs ?? {}),
    ...(schema.items ? [schema.items] : []),
    ...(schema.anyOf ?? schema.oneOf ?? []),
  ]
  return [...Object.keys(schema.properties ?? {}), ...inner.flatMap(memberNames)]
}
