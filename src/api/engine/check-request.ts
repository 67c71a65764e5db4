import { type FieldError, fieldError } from '../../domain/field-error.ts'
import { SpooledFile } from '../../lib/temporary-files.ts'
import { fieldErrorsOf } from './ajv-errors.ts'
import { type Body, unsafeIn } from './body.ts'
import {
  type Coercion,
  isList,
  isNumber,
  jsonCoercion,
  parameterCoercion,
  pointerPaths,
  removeUndeclared,
} from './coerce.ts'
import {
  type Contract,
  type Endpoint,
  type ParameterObject,
  resolveRefs,
  type SchemaNode,
  type SchemaObject,
  type Schemas,
  type ValidateFunction,
} from './contract.ts'
import { type FormParams, formReader, parseQuery, unbracket } from './form.ts'
import { httpErrors } from './http-error.ts'

/**
 * Maximum size of a body for which all errors are reported, in bytes. For a larger body, only the first error is
 * reported.
 */
const MAX_ALL_ERRORS_BYTES = 64 * 1024

/** The compiled schemas of requests: `first` stops at the first error, `all` finds all errors. */
export interface Validators {
  first: Schemas
  all: Schemas
}

export type Values = Record<string, unknown>

/** The parameters in one location: path, query or headers. */
interface ParameterGroup {
  /** The coercion of each parameter, in the order of the contract; undefined if its values need no coercion. */
  coercions: ReadonlyMap<string, Coercion | undefined>
  /** Names of the parameters that are lists. */
  lists: readonly string[]
  /** Names of the optional numbers in a query, for which an empty value means the same as no value: `?limit=`. */
  optionalNumbers: ReadonlySet<string>
  /** The name of the parameter that receives all undeclared parameters, if there is one. */
  rest: string | undefined
  /** Compiles the validator on the first call. */
  validate(): ValidateFunction
}

function groupOf(
  contract: Contract,
  validators: Validators,
  declared: readonly SchemaNode<ParameterObject>[],
  where: ParameterObject['in'],
): ParameterGroup {
  const parameters = declared.filter(({ value }) => value.in === where)
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
    optionalNumbers: new Set(
      parameters
        .filter(({ value }) => where === 'query' && !value.required && isNumber(contract, value.schema))
        .map(({ value }) => value.name),
    ),
    rest,
    validate: () => (compiled ??= validators.all.object({ properties, required, open })),
  }
}

/**
 * Returns whether the members of an object are sent as separate query parameters (`style: form, explode: true`). The
 * query may then contain parameters of any name.
 */
const isOpen = ({ schema, style = 'form', explode = style === 'form' }: ParameterObject) =>
  schema?.type === 'object' && style === 'form' && explode && schema.additionalProperties !== false

/** Coerces and validates the requests of one operation. */
export interface RequestCheck {
  /** @throws {HttpError} 404 for a value that cannot identify a resource */
  path(params: Readonly<Record<string, string>>): Values
  /** @param search the query string without `?` */
  query(search: string): { values: Values; errors: FieldError[] }
  headers(headers: Readonly<Record<string, string | string[] | undefined>>): { values: Values; errors: FieldError[] }
  /** @throws {HttpError} 415 if the operation does not accept the type of the body */
  body(body: Body | undefined): { value: unknown; errors: FieldError[] }
}

/**
 * Prepares the functions that check the requests of an operation. Called once at startup.
 * @param contract the contract by which requests are validated
 * @param published the contract that clients see, which determines how forms are read
 */
export function requestCheck(
  contract: Contract,
  published: Contract,
  endpoint: Endpoint,
  validators: Validators,
): RequestCheck {
  const group = (where: ParameterObject['in']) => groupOf(contract, validators, endpoint.parameters, where)
  const [path, query, header] = [group('path'), group('query'), group('header')]
  const needsHeaders = endpoint.parameters.some(({ value }) => value.in === 'header' && value.required)
  return {
    path(params) {
      const values = coerceParams(path.coercions, params)
      if (path.coercions.size && !path.validate()(values)) throw httpErrors.noSuchResource()
      return values
    },
    query(search) {
      const { params, errors } = search ? parseQuery(search) : { params: {}, errors: [] as FieldError[] }
      const declaredErrors = errors.filter(({ field }) => query.rest !== undefined || query.coercions.has(field))
      if (declaredErrors.length) return { values: {}, errors: declaredErrors }
      unbracket(params, query.lists)
      return validateGroup(query, groupParams(query, params))
    },
    headers(headers) {
      const values = coerceParams(header.coercions, headers as FormParams)
      // Most requests send none of the optional headers.
      return needsHeaders || Object.keys(values).length > 0 ? validateGroup(header, values) : { values, errors: [] }
    },
    body: endpoint.bodies
      ? bodyCheck(contract, published, endpoint.bodies, validators)
      : () => ({ value: undefined, errors: [] }),
  }
}

function coerceParams(coercions: ParameterGroup['coercions'], params: Readonly<FormParams>): Values {
  const values: Values = {}
  for (const [name, coercion] of coercions) {
    const value = params[name]
    if (value !== undefined) values[name] = coercion ? coercion(value) : value
  }
  return values
}

/**
 * Returns the parameters by name. Undeclared parameters become members of the free-form parameter. If the operation has
 * no free-form parameter, undeclared parameters are ignored.
 */
function groupParams({ coercions, optionalNumbers, rest }: ParameterGroup, params: FormParams): Values {
  const values: Values = Object.create(null)
  const undeclared: Values = Object.create(null)
  for (const name in params) {
    const value = params[name]!
    if (!coercions.has(name)) undeclared[name] = value
    else if (value !== '' || !optionalNumbers.has(name)) values[name] = coercions.get(name)?.(value) ?? value
  }
  if (rest !== undefined) values[rest] = undeclared
  return values
}

function validateGroup(group: ParameterGroup, values: Values): { values: Values; errors: FieldError[] } {
  const validate = group.validate()
  return { values, errors: validate(values) ? [] : fieldErrorsOf(validate.errors!) }
}

const schemaAt = (contract: Contract, pointer: string): SchemaObject =>
  resolveRefs<SchemaObject>(contract, { value: { $ref: pointer }, pointer: '' }).value

function bodyCheck(
  contract: Contract,
  published: Contract,
  bodies: ReadonlyMap<string, SchemaNode<SchemaObject>>,
  { first, all }: Validators,
) {
  const checks = new Map(
    [...bodies].map(([type, { value, pointer }]) => {
      const isForm = type === 'application/x-www-form-urlencoded' || type === 'multipart/form-data'
      return [
        type,
        {
          schema: value,
          pointer,
          pointers: pointerPaths(contract, value),
          convert: isForm
            ? formReader(published, schemaAt(published, pointer), contract, value)
            : type === 'application/json'
              ? jsonCoercion(contract, value)
              : undefined,
        },
      ]
    }),
  )
  const checkWithoutBody = checks.get('application/json') ?? [...checks.values()][0]!
  return (body: Body | undefined): { value: unknown; errors: FieldError[] } => {
    const check = body ? checks.get(body.type) : checkWithoutBody
    if (!check) throw httpErrors.unsupportedMediaType([...bodies.keys()])
    if (!body && check.schema.format === 'binary') return { value: undefined, errors: [fieldError('body', 'required')] }
    // A missing body is validated as an empty form, so that the errors name the required members.
    const received: unknown = body ? body.value : Object.create(null)
    if (body?.unsafe) {
      removeUndeclared(contract, check.schema, received)
      const error = unsafeIn(body.type, received)
      if (error) return { value: received, errors: [error] }
    }
    // The schema of a file states only that the value is a file, so there is nothing to validate.
    if (Buffer.isBuffer(received) || received instanceof SpooledFile) return { value: received, errors: [] }
    const value = check.convert ? check.convert(received) : received
    const validate = first.at(check.pointer)
    if (validate(value)) return { value, errors: [] }
    if (body && body.bytes > MAX_ALL_ERRORS_BYTES)
      return { value, errors: fieldErrorsOf(validate.errors!, check.pointers) }
    const validateAll = all.at(check.pointer)
    validateAll(value)
    return { value, errors: fieldErrorsOf(validateAll.errors ?? validate.errors!, check.pointers) }
  }
}
