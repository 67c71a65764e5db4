import { type Contract, followed, type ParameterObject, type SchemaObject } from './contract.ts'
import { HttpError } from './http-error.ts'
import { parseJson } from './text-safety.ts'

/** Turns what was sent into what its schema speaks of; what does not fit stays as it is, for the validator to name. */
export type Coercion = (given: unknown) => unknown

const ON = new Set(['true', '1', 'yes', 'on'])
const OFF = new Set(['false', '0', 'no', 'off'])

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
    return ON.has(word) ? true : OFF.has(word) ? false : given
  },
  /** An object in a form is written as JSON (OpenAPI 3.1, "Encoding Object"). */
  object: (given) => {
    if (typeof given !== 'string' || !given.trimStart().startsWith('{')) return given
    try {
      return parseJson(given)
    } catch (error) {
      // What cannot be kept is named where it stands; what is no JSON stays a text.
      if (error instanceof HttpError && error.code !== 'malformed_request') throw error
      return given
    }
  },
}

/** A number of which 0 and 1 are said by name, such as `live`, is a flag too. */
const binary: Coercion = (given) => {
  const value = coercions.boolean!(given)
  return typeof value === 'boolean' ? Number(value) : given
}

/** A flag in a query needs no value: `?structure`. */
const flag: Coercion = (given) => (given === '' ? true : coercions.boolean!(given))

const SEPARATORS: Readonly<Record<string, string | RegExp>> = {
  form: ',',
  // `+` in a query is a space; clients that escape it, or write commas, mean the same.
  spaceDelimited: /[ ,+]+/,
  pipeDelimited: '|',
}

/** The types a schema speaks of, through references and alternatives. */
function typesOf(contract: Contract, schema: SchemaObject | undefined, depth = 0): Set<string> {
  if (!schema || depth > 8) return new Set()
  const { value } = followed(contract, { value: schema, pointer: '' })
  const inner = [...(value.allOf ?? []), ...(value.anyOf ?? []), ...(value.oneOf ?? [])]
  return new Set([...[value.type ?? []].flat(), ...inner.flatMap((part) => [...typesOf(contract, part, depth + 1)])])
}

/** @returns undefined where the text is already what the schema speaks of */
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

/** The coercion of a text to a number or a flag. @returns undefined where the schema speaks of neither, or of texts as well */
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

/** One value is a list of one, except where the schema would take it as it is. */
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

/** Schemas may refer to themselves. */
const MAX_SCHEMA_DEPTH = 8

/**
 * The coercion of a JSON value: clients that keep everything as text send `"3"` for a number and `"True"`, 1 or `"1"` for
 * a flag. It changes objects and lists in place.
 * @returns undefined where the schema has neither numbers nor flags
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

/** A schema and everything it is put together from. */
function partsOf(contract: Contract, schema: SchemaObject, depth = 0): SchemaObject[] {
  if (depth > MAX_SCHEMA_DEPTH) return []
  const { value } = followed(contract, { value: schema, pointer: '' })
  const conditional = [value.if, value.then, value.else].filter((part) => typeof part === 'object')
  const inner = [...(value.allOf ?? []), ...(value.anyOf ?? []), ...(value.oneOf ?? []), ...conditional]
  return [value, ...inner.flatMap((part) => partsOf(contract, part, depth + 1))]
}

/** The names of members or parameters that may be lists. */
export const listNames = (contract: Contract, schema: SchemaObject): string[] =>
  partsOf(contract, schema)
    .flatMap(({ properties = {} }) => Object.entries(properties))
    .filter(([, property]) => isList(contract, property))
    .map(([name]) => name)

/** The paths of the members below a body whose faults are named by JSON pointer: parts of a survey's structure. */
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

/** Ids hold no blanks, so that a list of them can be separated by anything. */
function isListOfNumbers(contract: Contract, schema: SchemaObject): boolean {
  const { value } = followed(contract, { value: schema, pointer: '' })
  return !typesOf(contract, value.items).has('string')
}

/** The coercion of a parameter, with its `style` and `explode`. */
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

/** A number in a body may be longer than is exact, as in JSON: whether that is too much is said where it is used. */
const orLong =
  (coercion: Coercion): Coercion =>
  (given) => {
    const value = coercion(given)
    return typeof value === 'string' && /^-?\d{16,300}$/.test(value) ? Number(value) : value
  }

/** The coercions of a form's fields by name, for those that need one. */
export function fieldCoercions(contract: Contract, schema: SchemaObject): Map<string, Coercion> {
  const fields = new Map<string, Coercion>()
  for (const part of partsOf(contract, schema).reverse()) {
    for (const [name, property] of Object.entries(part.properties ?? {})) {
      const coercion = coercionOf(contract, property)
      if (coercion) fields.set(name, typesOf(contract, property).has('integer') ? orLong(coercion) : coercion)
    }
  }
  return fields
}
