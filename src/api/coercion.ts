import { type Contract, followed, type ParameterObject, type SchemaObject } from './contract.ts'
import { Refusal } from './refusal.ts'
import { parseJson } from './soundness.ts'

/** Turns the text of a parameter or form field into what its schema speaks of; what does not fit stays as it is, for the validator to name. */
export type Coercion = (given: string | string[]) => unknown

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
    if (typeof given !== 'string') return given
    const word = given.toLowerCase()
    return ON.has(word) ? true : OFF.has(word) ? false : given
  },
  /** An object in a form is written as JSON (OpenAPI 3.1, "Encoding Object"). */
  object: (given) => {
    if (typeof given !== 'string' || !given.trimStart().startsWith('{')) return given
    try {
      return parseJson(given)
    } catch (error) {
      if (error instanceof Refusal && error.status === 413) throw error
      return given
    }
  },
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
  if (types.has('string')) return undefined
  const wanted = ['integer', 'number', 'boolean', 'object'].filter((type) => types.has(type))
  if (!wanted.length) return undefined
  return (given) => {
    if (given === 'null' && types.has('null')) return null
    for (const type of wanted) {
      const value = coercions[type]!(given)
      if (value !== given) return value
    }
    return given
  }
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

/** The coercion of a parameter, with its `style` and `explode`. */
export function parameterCoercion(contract: Contract, parameter: ParameterObject): Coercion | undefined {
  const { schema, in: where, style = where === 'query' ? 'form' : 'simple', explode = style === 'form' } = parameter
  const types = typesOf(contract, schema)
  if (where === 'query' && types.size === 1 && types.has('boolean')) return flag
  const coercion = coercionOf(contract, schema)
  if (!types.has('array') || explode) return coercion
  const separator = SEPARATORS[style] ?? ','
  return (given) => coercion!([given].flat().flatMap((text) => text.split(separator).filter(Boolean)))
}

/** A number in a body may be longer than is exact, as in JSON: whether that is too much is said where it is used. */
const orLong =
  (coercion: Coercion): Coercion =>
  (given) => {
    const value = coercion(given)
    return typeof value === 'string' && /^-?\d{16,300}$/.test(value) ? Number(value) : value
  }

/** The coercions of a form's fields by name, for those that need one. */
export function fieldCoercions(contract: Contract, schema: SchemaObject, depth = 0): Map<string, Coercion> {
  const fields = new Map<string, Coercion>()
  const { value } = followed(contract, { value: schema, pointer: '' })
  if (depth > 8) return fields
  for (const part of [...(value.allOf ?? []), ...(value.anyOf ?? []), ...(value.oneOf ?? [])]) {
    for (const [name, coercion] of fieldCoercions(contract, part, depth + 1)) fields.set(name, coercion)
  }
  for (const [name, property] of Object.entries(value.properties ?? {})) {
    const coercion = coercionOf(contract, property)
    if (coercion) fields.set(name, typesOf(contract, property).has('integer') ? orLong(coercion) : coercion)
  }
  return fields
}
