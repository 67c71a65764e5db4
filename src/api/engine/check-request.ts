import type { FieldError } from '../../domain/field-error.ts'
import { fieldErrorsOf } from './ajv-errors.ts'
import type { Body } from './body.ts'
import {
  type Coercion,
  fieldCoercions,
  isList,
  jsonCoercion,
  listNames,
  parameterCoercion,
  pointerPaths,
} from './coerce.ts'
import type { Contract, Endpoint, ParameterObject, SchemaNode, SchemaObject } from './contract.ts'
import { type FormParams, parseQuery } from './form-encoding.ts'
import { httpErrors } from './http-error.ts'
import type { Schemas, ValidateFunction } from './schemas.ts'

/** The validator reports all errors of bodies up to this size, and only the first error of larger ones, to limit the cost. */
const MAX_THOROUGH_BYTES = 64 * 1024

/** The schemas of requests: a fast validator that stops at the first error, and one that finds all errors. */
export interface Validators {
  first: Schemas
  all: Schemas
}

export type Values = Record<string, unknown>

/** The parameters in one location: path, query or headers. */
interface ParameterGroup {
  /** In the order of the contract. */
  coercions: ReadonlyMap<string, Coercion | undefined>
  /** Names of the parameters that are lists. */
  lists: readonly string[]
  /** The name of the parameter that receives all undeclared ones, if any. */
  rest: string | undefined
  /** Compiles the validator on the first call. */
  validate(): ValidateFunction
}

function groupOf(
  contract: Contract,
  validators: Validators,
  all: readonly SchemaNode<ParameterObject>[],
  where: ParameterObject['in'],
): ParameterGroup {
  const parameters = all.filter(({ value }) => value.in === where)
  const nameOf = ({ name }: ParameterObject) => (where === 'header' ? name.toLowerCase() : name)
  const rest = parameters.find(({ value }) => where === 'query' && isOpen(value))?.value.name
  const open = where === 'header'
  const required = parameters.filter(({ value }) => value.required).map(({ value }) => nameOf(value))
  const properties = Object.fromEntries(
    parameters.map(({ value, pointer }) => {
      const shape = { pointer: `${pointer}/schema` }
      return [nameOf(value), value.schema?.default === undefined ? shape : { ...shape, default: value.schema.default }]
    }),
  )
  let compiled: ValidateFunction | undefined
  return {
    coercions: new Map(
      parameters
        .filter(({ value }) => value.name !== rest)
        .map(({ value }) => [nameOf(value), parameterCoercion(contract, value)]),
    ),
    lists: parameters.filter(({ value }) => isList(contract, value.schema)).map(({ value }) => value.name),
    rest,
    validate: () => (compiled ??= validators.all.object({ properties, required, open })),
  }
}

/** Members of an object with `style: form, explode: true` are parameters of the query, so any name is allowed. */
const isOpen = ({ schema, style = 'form', explode = style === 'form' }: ParameterObject) =>
  schema?.type === 'object' && style === 'form' && explode && schema.additionalProperties !== false

/** Coerces and validates the requests of one operation. */
export interface RequestCheck {
  /** @throws {HttpError} 404 for what cannot name anything */
  path(params: Readonly<Record<string, string>>): Values
  /** @param search without its `?` */
  query(search: string): { values: Values; errors: FieldError[] }
  headers(headers: Readonly<Record<string, string | string[] | undefined>>): { values: Values; errors: FieldError[] }
  /** @throws {HttpError} 415 when the operation does not take the body's type */
  body(body: Body | undefined): { value: unknown; errors: FieldError[] }
}

/** Prepares the checks of one operation once, at startup. */
export function requestCheck(contract: Contract, endpoint: Endpoint, validators: Validators): RequestCheck {
  const group = (where: ParameterObject['in']) => groupOf(contract, validators, endpoint.parameters, where)
  const [path, query, header] = [group('path'), group('query'), group('header')]
  return {
    path(params) {
      const values = coerced(path.coercions, params)
      if (path.coercions.size && !path.validate()(values)) throw httpErrors.noSuchResource()
      return values
    },
    query(search) {
      const { pairs, errors } = search ? parseQuery(search) : { pairs: {}, errors: [] as FieldError[] }
      const relevant = errors.filter(({ field }) => query.rest !== undefined || query.coercions.has(field))
      if (relevant.length) return { values: {}, errors: relevant }
      unbracket(pairs, query.lists)
      return checked(query, spread(query, pairs))
    },
    headers: (headers) =>
      header.coercions.size
        ? checked(header, coerced(header.coercions, headers as FormParams))
        : { values: {}, errors: [] },
    body: endpoint.bodies ? bodyCheck(contract, endpoint.bodies, validators) : () => ({ value: undefined, errors: [] }),
  }
}

function coerced(coercions: ParameterGroup['coercions'], given: Readonly<FormParams>): Values {
  const values: Values = {}
  for (const [name, coercion] of coercions) {
    const value = given[name]
    if (value !== undefined) values[name] = coercion ? coercion(value) : value
  }
  return values
}

/** Returns declared parameters by name. Undeclared ones are members of the free-form parameter, or ignored without one. */
function spread({ coercions, rest }: ParameterGroup, pairs: FormParams): Values {
  const values: Values = Object.create(null)
  const others: Values = Object.create(null)
  for (const name in pairs) {
    const given = pairs[name]!
    if (!coercions.has(name)) others[name] = given
    else values[name] = coercions.get(name)?.(given) ?? given
  }
  if (rest !== undefined) values[rest] = others
  return values
}

/** Removes the brackets that PHP and Rails add to the name of a list: `contacts[]=1&contacts[]=2`. */
function unbracket(pairs: Values, lists: readonly string[]): void {
  for (const name of lists) {
    const bracketed = pairs[`${name}[]`]
    if (bracketed === undefined || pairs[name] !== undefined) continue
    pairs[name] = [bracketed].flat()
    delete pairs[`${name}[]`]
  }
}

function checked(group: ParameterGroup, values: Values): { values: Values; errors: FieldError[] } {
  const validate = group.validate()
  return { values, errors: validate(values) ? [] : fieldErrorsOf(validate.errors!) }
}

function bodyCheck(
  contract: Contract,
  bodies: ReadonlyMap<string, SchemaNode<SchemaObject>>,
  { first, all }: Validators,
) {
  const checks = new Map(
    [...bodies].map(([type, { value, pointer }]) => {
      const isForm = type === 'application/x-www-form-urlencoded' || type === 'multipart/form-data'
      return [
        type,
        {
          pointer,
          pointers: pointerPaths(contract, value),
          lists: isForm ? listNames(contract, value) : [],
          coercions: isForm ? [...fieldCoercions(contract, value)] : [],
          json: type === 'application/json' ? jsonCoercion(contract, value) : undefined,
        },
      ]
    }),
  )
  const preferred = checks.get('application/json') ?? [...checks.values()][0]!
  return (body: Body | undefined): { value: unknown; errors: FieldError[] } => {
    const check = body ? checks.get(body.type) : preferred
    if (!check) throw httpErrors.unsupportedMediaType([...bodies.keys()])
    // No body is the same as an empty form, so that the schema reports missing members.
    const sent = body ? body.value : Object.create(null)
    unbracket(sent, check.lists)
    const value = check.json ? check.json(sent) : sent
    for (const [name, coercion] of check.coercions) {
      if (value[name] !== undefined) value[name] = coercion(value[name])
    }
    const validate = first.at(check.pointer)
    if (validate(value)) return { value, errors: [] }
    if (body && body.bytes > MAX_THOROUGH_BYTES)
      return { value, errors: fieldErrorsOf(validate.errors!, check.pointers) }
    const thorough = all.at(check.pointer)
    thorough(value)
    return { value, errors: fieldErrorsOf(thorough.errors ?? validate.errors!, check.pointers) }
  }
}
