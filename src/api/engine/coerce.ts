import { type Contract, followed, type ParameterObject, type SchemaObject } from './contract.ts'
import { HttpError } from './http-error.ts'
import { parseJson } from './text-safety.ts'

/** Converts a value to the type of its schema. A value that cannot be converted is returned unchanged, for the validator. */
export type Coercion = (given: unknown) => unknown

const TRUE_WORDS = new Set(['true', '1', 'yes', 'on'])
const FALSE_WORDS = new Set(['false', '0', 'no', 'off'])

const coercions: Readonly<Record<string, Coercion>> = {
  integer: (given) => {
    if (typeof given !== 'string' || !/^-?\d{1,16}(\.0+)?$/.test(given)) return given
    const number = Number(given)
    return Number.isSafeInteger(number) ? number : given
  },
  number: (given) => {
    if (typeof given !== 'string' || !/^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(given)) return given
    const number = Number(given)
    return Number.isFinite(number) ? number : given
  },
  boolean: (given) => {
    if (typeof given !== 'string' && typeof given !== 'number') return given
    const word = String(given).toLowerCase()
    return TRUE_WORDS.has(word) ? true : FALSE_WORDS.has(word) ? false : given
  },
  /** An object in a form is JSON (OpenAPI 3.1, "Encoding Object"). */
  object: (given) => {
    if (typeof given !== 'string' || !given.trimStart().startsWith('{')) return given
    try {
      return parseJson(given)
    } catch (error) {
      // Errors of unsafe values keep their position; a text that is not JSON stays a text.
      if (error instanceof HttpError && error.code !== 'malformed_request') throw error
      return given
    }
  },
}

/** An enumeration with 0 and 1, such as `live`, also accepts booleans. */
const binary: Coercion = (given) => {
  const value = coercions.boolean!(given)
  return typeof value === 'boolean' ? Number(value) : given
}

/** A flag in a query needs no value: `?structure`. */
const flag: Coercion = (given) => (given === '' ? true : coercions.boolean!(given))

const SEPARATORS: Readonly<Record<string, string | RegExp>> = {
  form: ',',
  // `+` in a query is a space. Clients also escape it or write commas.
  spaceDelimited: /[ ,+]+/,
  pipeDelimited: '|',
}

/** Returns the types of a schema, through references and alternatives. */
function typesOf(contract: Contract, schema: SchemaObject | undefined, depth = 0): Set<string> {
  if (!schema || depth > 8) return new Set()
  const { value } = followed(contract, { value: schema, pointer: '' })
  const inner = [...(value.allOf ?? []), ...(value.anyOf ?? []), ...(value.oneOf ?? [])]
  return new Set([...[value.type ?? []].flat(), ...inner.flatMap((part) => [...typesOf(contract, part, depth + 1)])])
}

/** Returns the coercion of a parameter or field; undefined if the schema accepts texts. */
function coercionOf(contract: Contract, schema: SchemaObject | undefined): Coercion | undefined {
  const types = typesOf(contract, schema)
  if (types.has('array')) return listOf(contract, schema!)
  const scalar = scalarCoercion(contract, schema)
  if (!scalar && !types.has('object')) return undefined
  const members = types.has('object') ? jsonCoercion(contract, schema!) : undefined
  return (given) => {
    if (given === 'null' && types.has('null') && !types.has('string')) return null
    const value = scalar ? scalar(given) : given
    if (value !== given || !types.has('object')) return value
    const object = coercions.object!(given)
    return members ? members(object) : object
  }
}

/** Returns the coercion of a text to a number or boolean; undefined if the schema has neither, or also accepts texts. */
function scalarCoercion(contract: Contract, schema: SchemaObject | undefined): Coercion | undefined {
  const types = typesOf(contract, schema)
  if (types.has('string')) return undefined
  const wanted = ['integer', 'number', 'boolean'].filter((type) => types.has(type)).map((type) => coercions[type]!)
  if (isBinary(contract, schema)) wanted.push(binary)
  if (!wanted.length) return undefined
  return (given) => {
    for (const coercion of wanted) {
      const value = coercion(given)
      if (value !== given) return value
    }
    return given
  }
}

function isBinary(contract: Contract, schema: SchemaObject | undefined): boolean {
  const { value } = followed(contract, { value: schema, pointer: '' })
  return Boolean(value?.enum?.includes(0) && value.enum.includes(1))
}

/** Coerces a single value to a list of one, unless the schema also accepts a text. */
function listOf(contract: Contract, schema: SchemaObject): Coercion {
  const { value } = followed(contract, { value: schema, pointer: '' })
  const single = typesOf(contract, schema).has('string')
  const item = coercionOf(contract, value.items)
  return (given) => {
    if (single && typeof given === 'string') return given
    const list = Array.isArray(given) ? given : [given]
    return item ? list.map((one) => item(one)) : list
  }
}

/** Limits the recursion, because schemas can refer to themselves. */
const MAX_SCHEMA_DEPTH = 8

/**
 * Returns the coercion of a JSON value: some clients send `"3"` for a number and `"True"`, 1 or `"1"` for a boolean. It
 * changes objects and lists in place.
 * @returns undefined if the schema has neither numbers nor booleans
 */
export function jsonCoercion(contract: Contract, schema: SchemaObject, depth = 0): Coercion | undefined {
  if (depth > MAX_SCHEMA_DEPTH) return undefined
  const scalar = scalarCoercion(contract, schema)
  const item = partsOf(contract, schema)
    .map(({ items }) => items && jsonCoercion(contract, items, depth + 1))
    .find(Boolean)
  const members: [string, Coercion][] = partsOf(contract, schema)
    .flatMap(({ properties = {} }) => Object.entries(properties))
    .flatMap(([name, property]) => {
      const coercion = jsonCoercion(contract, property, depth + 1)
      return coercion ? [[name, coercion]] : []
    })
  if (!scalar && !item && !members.length) return undefined
  return (given) => {
    if (typeof given !== 'object' || given === null) return scalar ? scalar(given) : given
    if (Array.isArray(given)) {
      if (item) for (let index = 0; index < given.length; index++) given[index] = item(given[index])
      return given
    }
    const object = given as Record<string, unknown>
    for (const [name, coercion] of members) if (Object.hasOwn(object, name)) object[name] = coercion(object[name])
    return given
  }
}

/** Returns a schema and all its parts: `allOf`, `anyOf`, `oneOf` and conditions. */
function partsOf(contract: Contract, schema: SchemaObject, depth = 0): SchemaObject[] {
  if (depth > MAX_SCHEMA_DEPTH) return []
  const { value } = followed(contract, { value: schema, pointer: '' })
  const conditional = [value.if, value.then, value.else].filter((part) => typeof part === 'object')
  const inner = [...(value.allOf ?? []), ...(value.anyOf ?? []), ...(value.oneOf ?? []), ...conditional]
  return [value, ...inner.flatMap((part) => partsOf(contract, part, depth + 1))]
}

/** Returns the names of members that can be lists. */
export const listNames = (contract: Contract, schema: SchemaObject): string[] =>
  partsOf(contract, schema)
    .flatMap(({ properties = {} }) => Object.entries(properties))
    .filter(([, property]) => isList(contract, property))
    .map(([name]) => name)

/** Returns the paths of the members whose errors are named by JSON pointer: parts of a survey's structure. */
export function pointerPaths(contract: Contract, schema: SchemaObject, path: readonly string[] = []): string[][] {
  if (path.length > 1) return []
  return partsOf(contract, schema)
    .flatMap(({ properties = {} }) => Object.entries(properties))
    .flatMap(([name, property]) =>
      property['x-json-pointer'] ? [[...path, name]] : pointerPaths(contract, property, [...path, name]),
    )
}

export const isList = (contract: Contract, schema: SchemaObject | undefined): boolean =>
  typesOf(contract, schema).has('array')

/** IDs have no spaces, so a list of them can have any separator. */
function isListOfNumbers(contract: Contract, schema: SchemaObject): boolean {
  const { value } = followed(contract, { value: schema, pointer: '' })
  return !typesOf(contract, value.items).has('string')
}

/** Returns the coercion of a parameter, with its `style` and `explode`. */
export function parameterCoercion(contract: Contract, parameter: ParameterObject): Coercion | undefined {
  const { schema, in: where, style = where === 'query' ? 'form' : 'simple', explode = style === 'form' } = parameter
  const types = typesOf(contract, schema)
  if (where === 'query' && types.size === 1 && types.has('boolean')) return flag
  const coercion = coercionOf(contract, schema)
  if (!types.has('array') || explode) return coercion
  const separator = isListOfNumbers(contract, schema!) ? SEPARATORS.spaceDelimited! : (SEPARATORS[style] ?? ',')
  return (given) =>
    coercion!([given as string | string[]].flat().flatMap((text) => text.split(separator).filter(Boolean)))
}

/** Also converts integers that are not exact, as JSON does; the domain checks their range. */
const withLongIntegers =
  (coercion: Coercion): Coercion =>
  (given) => {
    const value = coercion(given)
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
