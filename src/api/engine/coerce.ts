import { type Contract, type ParameterObject, resolveRefs, type SchemaObject } from './contract.ts'

/**
 * Converts a value to the type of its schema. If the value cannot be converted, returns it unchanged, so that the
 * validator reports it.
 */
export type Coercion = (input: unknown) => unknown

const TRUE_WORDS = new Set(['true', '1', 'yes', 'on'])
const FALSE_WORDS = new Set(['false', '0', 'no', 'off'])

const coercions: Readonly<Record<string, Coercion>> = {
  integer: (input) => {
    if (typeof input !== 'string' || !/^-?\d{1,16}(\.0+)?$/.test(input)) return input
    const number = Number(input)
    return Number.isSafeInteger(number) ? number : input
  },
  number: (input) => {
    if (typeof input !== 'string' || !/^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(input)) return input
    const number = Number(input)
    return Number.isFinite(number) ? number : input
  },
  boolean: (input) => {
    if (typeof input !== 'string' && typeof input !== 'number') return input
    const word = String(input).toLowerCase()
    return TRUE_WORDS.has(word) ? true : FALSE_WORDS.has(word) ? false : input
  },
}

/** An enumeration with 0 and 1, such as `live`, also accepts booleans. */
const binary: Coercion = (input) => {
  const value = coercions.boolean!(input)
  return typeof value === 'boolean' ? Number(value) : input
}

/** A flag in a query needs no value: `?structure`. */
const flag: Coercion = (input) => (input === '' ? true : coercions.boolean!(input))

const SEPARATORS: Readonly<Record<string, string | RegExp>> = {
  form: ',',
  // A `+` in a query means a space. Some clients percent-encode the `+`, so that it arrives as `+`, or send commas.
  spaceDelimited: /[ ,+]+/,
  pipeDelimited: '|',
}

/** Returns the types that a schema allows. Follows references and includes the types of alternative schemas. */
export function typesOf(contract: Contract, schema: SchemaObject | undefined, depth = 0): Set<string> {
  if (!schema || depth > 8) return new Set()
  const { value } = resolveRefs(contract, { value: schema, pointer: '' })
  const inner = [...(value.allOf ?? []), ...(value.anyOf ?? []), ...(value.oneOf ?? [])]
  return new Set([...[value.type ?? []].flat(), ...inner.flatMap((part) => [...typesOf(contract, part, depth + 1)])])
}

/** Returns the coercion of a parameter or field; undefined if its values need no coercion. */
function coercionOf(contract: Contract, schema: SchemaObject | undefined): Coercion | undefined {
  const types = typesOf(contract, schema)
  if (types.has('array')) return listOf(contract, schema!)
  const scalar = scalarCoercion(contract, schema)
  if (!scalar && !types.has('object')) return undefined
  const members = types.has('object') ? jsonCoercion(contract, schema!) : undefined
  return (input) => {
    if (input === 'null' && types.has('null') && !types.has('string')) return null
    const value = scalar ? scalar(input) : input
    return value === input && members ? members(input) : value
  }
}

/** Returns the coercion to a number or boolean; undefined if the schema has neither type, or also accepts strings. */
function scalarCoercion(contract: Contract, schema: SchemaObject | undefined): Coercion | undefined {
  const types = typesOf(contract, schema)
  if (types.has('string')) return undefined
  const scalars = ['integer', 'number', 'boolean'].filter((type) => types.has(type)).map((type) => coercions[type]!)
  if (isBinary(contract, schema)) scalars.push(binary)
  if (!scalars.length) return undefined
  return (input) => {
    for (const coercion of scalars) {
      const value = coercion(input)
      if (value !== input) return value
    }
    return input
  }
}

function isBinary(contract: Contract, schema: SchemaObject | undefined): boolean {
  const { value } = resolveRefs(contract, { value: schema, pointer: '' })
  return Boolean(value?.enum?.includes(0) && value.enum.includes(1))
}

/**
 * Returns the coercion to a list, which converts a single value to a list with this value. If the schema also accepts a
 * string, strings stay unchanged.
 */
function listOf(contract: Contract, schema: SchemaObject): Coercion {
  const { value } = resolveRefs(contract, { value: schema, pointer: '' })
  const acceptsString = typesOf(contract, schema).has('string')
  const item = coercionOf(contract, value.items)
  return (input) => {
    if (acceptsString && typeof input === 'string') return input
    // An object is not converted to a list, so that the validator rejects it.
    if (typeof input === 'object' && !Array.isArray(input)) return input
    const list = Array.isArray(input) ? input : [input]
    return item ? list.map((one) => item(one)) : list
  }
}

/** Limits the recursion, because schemas can refer to themselves. */
const MAX_SCHEMA_DEPTH = 8

/**
 * Caches the coercions of JSON values, because a contract uses many schemas in several places. For each contract, the
 * list contains one map from schema to coercion for each depth.
 */
const jsonCoercions = new WeakMap<Contract, Map<SchemaObject, Coercion | undefined>[]>()

/**
 * Returns the coercion of a JSON value. Some clients send `"3"` for a number and `"True"`, 1 or `"1"` for a boolean.
 * The coercion changes objects and lists in place.
 * @returns undefined if the schema has neither numbers nor booleans
 */
export function jsonCoercion(contract: Contract, schema: SchemaObject, depth = 0): Coercion | undefined {
  if (depth > MAX_SCHEMA_DEPTH) return undefined
  const { value } = resolveRefs(contract, { value: schema, pointer: '' })
  if (!jsonCoercions.has(contract))
    jsonCoercions.set(
      contract,
      Array.from({ length: MAX_SCHEMA_DEPTH + 1 }, () => new Map()),
    )
  const known = jsonCoercions.get(contract)![depth]!
  if (!known.has(value)) known.set(value, newJsonCoercion(contract, value, depth))
  return known.get(value)
}

function newJsonCoercion(contract: Contract, schema: SchemaObject, depth: number): Coercion | undefined {
  const scalar = scalarCoercion(contract, schema)
  const parts = partsOf(contract, schema)
  const item = parts.map(({ items }) => items && jsonCoercion(contract, items, depth + 1)).find(Boolean)
  const members: [string, Coercion][] = parts
    .flatMap(({ properties = {} }) => Object.entries(properties))
    .flatMap(([name, property]) => {
      const coercion = jsonCoercion(contract, property, depth + 1)
      return coercion ? [[name, coercion]] : []
    })
  if (!scalar && !item && !members.length) return undefined
  return (input) => {
    if (typeof input !== 'object' || input === null) return scalar ? scalar(input) : input
    if (Array.isArray(input)) {
      if (item) for (let index = 0; index < input.length; index++) input[index] = item(input[index])
      return input
    }
    const object = input as Record<string, unknown>
    for (const [name, coercion] of members) if (Object.hasOwn(object, name)) object[name] = coercion(object[name])
    return input
  }
}

/** Returns a schema and, recursively, all schemas in its `allOf`, `anyOf`, `oneOf`, `if`, `then` and `else`. */
export function partsOf(contract: Contract, schema: SchemaObject, depth = 0): SchemaObject[] {
  if (depth > MAX_SCHEMA_DEPTH) return []
  const { value } = resolveRefs(contract, { value: schema, pointer: '' })
  const conditional = [value.if, value.then, value.else].filter((part) => typeof part === 'object')
  const inner = [...(value.allOf ?? []), ...(value.anyOf ?? []), ...(value.oneOf ?? []), ...conditional]
  return [value, ...inner.flatMap((part) => partsOf(contract, part, depth + 1))]
}

/** Returns the members of an object with their schemas, from the schema of the object and all its {@link partsOf}. */
export const membersOf = (contract: Contract, schema: SchemaObject): [string, SchemaObject][] =>
  partsOf(contract, schema).flatMap(({ properties = {} }) => Object.entries(properties))

/**
 * Returns the paths of the members with `x-json-pointer`, which contain parts of a survey's structure. Errors in these
 * members are named by JSON pointers.
 */
export function pointerPaths(contract: Contract, schema: SchemaObject, path: readonly string[] = []): string[][] {
  if (path.length > 1) return []
  return partsOf(contract, schema)
    .flatMap(({ properties = {} }) => Object.entries(properties))
    .flatMap(([name, property]) =>
      property['x-json-pointer'] ? [[...path, name]] : pointerPaths(contract, property, [...path, name]),
    )
}

/** Returns whether a schema accepts numbers, and accepts no strings, booleans or arrays. */
export function isNumber(contract: Contract, schema: SchemaObject | undefined): boolean {
  const types = typesOf(contract, schema)
  return (
    ['integer', 'number'].some((type) => types.has(type)) &&
    !['string', 'boolean', 'array'].some((type) => types.has(type))
  )
}

export const isList = (contract: Contract, schema: SchemaObject | undefined): boolean =>
  typesOf(contract, schema).has('array')

/**
 * Returns whether a schema is a list of numbers. Such a list accepts spaces, commas and `+` as separators, even if its
 * `style` defines another separator.
 */
function isListOfNumbers(contract: Contract, schema: SchemaObject): boolean {
  const { value } = resolveRefs(contract, { value: schema, pointer: '' })
  return !typesOf(contract, value.items).has('string')
}

/** Returns the coercion of a parameter, which depends on the `style` and `explode` of the parameter. */
export function parameterCoercion(contract: Contract, parameter: ParameterObject): Coercion | undefined {
  const { schema, in: where, style = where === 'query' ? 'form' : 'simple', explode = style === 'form' } = parameter
  const types = typesOf(contract, schema)
  if (where === 'query' && types.size === 1 && types.has('boolean')) return flag
  const coercion = coercionOf(contract, schema)
  if (!types.has('array') || explode) return coercion
  const separator = isListOfNumbers(contract, schema!) ? SEPARATORS.spaceDelimited! : (SEPARATORS[style] ?? ',')
  return (input) =>
    coercion!([input as string | string[]].flat().flatMap((text) => text.split(separator).filter(Boolean)))
}

/**
 * Extends a coercion so that it also converts integers beyond 2^53. They are rounded, as JSON.parse rounds them. The
 * domain checks their range.
 */
const withLongIntegers =
  (coercion: Coercion): Coercion =>
  (input) => {
    const value = coercion(input)
    return typeof value === 'string' && /^-?\d{16,300}$/.test(value) ? Number(value) : value
  }

/** Returns the coercions of the fields of a form by name. */
export function fieldCoercions(contract: Contract, schema: SchemaObject): Map<string, Coercion> {
  const fields = new Map<string, Coercion>()
  for (const part of partsOf(contract, schema).reverse()) {
    for (const [name, property] of Object.entries(part.properties ?? {})) {
      const coercion = coercionOf(contract, property)
      if (coercion) fields.set(name, typesOf(contract, property).has('integer') ? withLongIntegers(coercion) : coercion)
    }
  }
  return fields
}

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
