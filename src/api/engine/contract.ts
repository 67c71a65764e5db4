import { Ajv2020, type ErrorObject, type Options, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { isEmailAddress, readEmailAddress } from '../../domain/email-address.ts'
import { lazy } from '../../lib/lazy.ts'

/** The parts of an OpenAPI 3.1 document that the engine reads. */
export interface Contract {
  openapi: string
  info: { title: string; summary?: string }
  tags?: readonly { name: string; description?: string }[]
  security?: readonly SecurityRequirement[]
  paths: Readonly<Record<string, PathItem>>
  components?: { schemas?: Readonly<Record<string, SchemaObject>> }
  /** Replies to requests that no operation matches. */
  'x-fallback-replies'?: Readonly<Record<string, ResponseObject>>
}
type SecurityRequirement = Readonly<Record<string, readonly string[]>>
type PathItem = Readonly<Record<string, unknown>>

export interface ParameterObject {
  name: string
  in: 'path' | 'query' | 'header' | 'cookie'
  required?: boolean
  style?: string
  explode?: boolean
  schema?: SchemaObject
}

export interface SchemaObject {
  format?: string
  $ref?: string
  type?: string | readonly string[]
  properties?: Readonly<Record<string, SchemaObject>>
  additionalProperties?: boolean | SchemaObject
  patternProperties?: Readonly<Record<string, SchemaObject>>
  items?: SchemaObject
  allOf?: readonly SchemaObject[]
  anyOf?: readonly SchemaObject[]
  oneOf?: readonly SchemaObject[]
  if?: SchemaObject
  then?: SchemaObject
  else?: SchemaObject
  enum?: readonly unknown[]
  default?: unknown
  /**
   * If it is true, errors in this member are named by a JSON pointer. The pointer starts at the object that contains
   * the member.
   */
  'x-json-pointer'?: boolean
  /**
   * A less strict schema that replaces this named schema when requests are validated. The domain checks everything that
   * the less strict schema allows and this schema does not.
   */
  'x-request-schema'?: SchemaObject
  /** Whether this member is ignored, so that its value need not be valid. */
  'x-ignored'?: boolean
  /**
   * Whether the members of an object without `properties` are ignored. Without this keyword, the service processes
   * them.
   */
  'x-ignored-members'?: boolean
}

/** How a form encodes a member (OpenAPI 3.1, 4.8.15). */
export interface EncodingObject {
  contentType?: string
  style?: string
  explode?: boolean
}

interface ResponseObject {
  headers?: Readonly<Record<string, { required?: boolean }>>
  content?: Readonly<Record<string, { schema?: unknown }>>
  /** The error codes that this reply can contain. */
  'x-codes'?: readonly string[]
}

/** A node of the document with its JSON pointer (RFC 6901). */
export interface SchemaNode<T> {
  value: T
  pointer: string
}

/** An operation with resolved references, prepared at startup. */
export interface Endpoint {
  operationId: string
  /** In upper case. */
  method: string
  /** As in the contract: `/surveys/{survey_id}/`. */
  path: string
  security: readonly SecurityRequirement[]
  /** The scopes that an access token must have, collected from all alternatives in `security`. */
  scopes: readonly string[]
  parameters: readonly SchemaNode<ParameterObject>[]
  /** The schema of the request body by media type; undefined without a body. */
  bodies: ReadonlyMap<string, SchemaNode<SchemaObject>> | undefined
  replies: Replies
  /** The header fields of a deprecated operation (RFC 9745, RFC 8594). */
  deprecation: Readonly<Record<string, string>> | undefined
}

/** The declared replies by status, each with the names of its headers in lower case. */
type Replies = ReadonlyMap<
  number,
  SchemaNode<ResponseObject> & { headers: readonly string[]; required: readonly string[] }
>

const METHODS = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options', 'trace']

const pointerStep = (key: string) => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))
const keyOf = (key: string) => decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~')

/** Returns a descendant of a node without resolving references. */
export function descendant<T>({ value, pointer }: SchemaNode<unknown>, ...keys: (string | number)[]): SchemaNode<T> {
  let current = value
  for (const key of keys) current = (current as Record<string, unknown> | undefined)?.[key]
  return { value: current as T, pointer: [pointer, ...keys.map((key) => pointerStep(String(key)))].join('/') }
}

/** Resolves `$ref`s within the document. */
export function resolveRefs<T>(contract: Contract, node: SchemaNode<T>): SchemaNode<T> {
  let current = node
  for (let ref = refOf(current.value); ref; ref = refOf(current.value)) {
    current = descendant<T>({ value: contract, pointer: '#' }, ...ref.slice(2).split('/').map(keyOf))
  }
  return current
}

const refOf = (value: unknown): string | undefined =>
  typeof value === 'object' && value !== null ? (value as { $ref?: string }).$ref : undefined

/**
 * Returns all operations of a contract in the order of the document.
 * @throws Error if an operation has no operationId
 */
export function endpointsOf(contract: Contract): Endpoint[] {
  const endpoints: Endpoint[] = []
  const root: SchemaNode<Contract> = { value: contract, pointer: '#' }
  for (const path of Object.keys(contract.paths)) {
    const item = resolveRefs(contract, descendant<PathItem>(root, 'paths', path))
    for (const method of METHODS) {
      if (item.value[method]) endpoints.push(endpointOf(contract, item, path, method))
    }
  }
  return endpoints
}

/** Returns the names of all headers of replies, each once. */
export function replyHeaderNames(contracts: readonly Contract[]): string[] {
  const replies = contracts.flatMap(endpointsOf).flatMap((endpoint) => [...endpoint.replies.values()])
  return [...new Set(replies.flatMap(({ value }) => Object.keys(value.headers ?? {})))]
}

/** Returns a copy of the contract in which `x-request-schema` replaces each named schema that has one. */
export function requestContract(contract: Contract): Contract {
  const schemas = Object.entries(contract.components?.schemas ?? {}).map(([name, schema]) => [
    name,
    schema['x-request-schema'] ?? schema,
  ])
  return { ...contract, components: { ...contract.components, schemas: Object.fromEntries(schemas) } }
}

interface OperationObject {
  operationId?: string
  security?: readonly SecurityRequirement[]
  requestBody?: unknown
  responses: Readonly<Record<string, unknown>>
  'x-deprecated-since'?: string
  'x-sunset'?: string
}

function endpointOf(contract: Contract, item: SchemaNode<PathItem>, path: string, method: string): Endpoint {
  const node = descendant<OperationObject>(item, method)
  const { operationId, security = contract.security ?? [], requestBody } = node.value
  if (!operationId) throw new Error(`${method.toUpperCase()} ${path} has no operationId`)
  return {
    operationId,
    method: method.toUpperCase(),
    path,
    security,
    scopes: [...new Set(security.flatMap((requirement) => Object.values(requirement).flat()))],
    parameters: [...parametersOf(contract, item), ...parametersOf(contract, node)],
    bodies: requestBody ? bodiesOf(contract, descendant(node, 'requestBody')) : undefined,
    replies: repliesOf(contract, descendant(node, 'responses')),
    deprecation: deprecationOf(node.value),
  }
}

function repliesOf(contract: Contract, { value, pointer }: SchemaNode<Readonly<Record<string, unknown>>>): Replies {
  return new Map(
    Object.keys(value).map((status) => [Number(status), replyOf(contract, descendant({ value, pointer }, status))]),
  )
}

/** Returns the declared replies to requests that no operation matches; undefined if the contract declares none. */
export function fallbackReplies(contract: Contract): Replies | undefined {
  const node = descendant<Contract['x-fallback-replies']>({ value: contract, pointer: '#' }, 'x-fallback-replies')
  return node.value && repliesOf(contract, { ...node, value: node.value })
}

function deprecationOf(operation: OperationObject): Endpoint['deprecation'] {
  const { 'x-deprecated-since': since, 'x-sunset': sunset } = operation
  if (since === undefined) return undefined
  return {
    Deprecation: `@${Date.parse(since) / 1000}`,
    ...(sunset !== undefined && { Sunset: new Date(sunset).toUTCString() }),
  }
}

function parametersOf(contract: Contract, owner: SchemaNode<unknown>): SchemaNode<ParameterObject>[] {
  const list = descendant<ParameterObject[] | undefined>(owner, 'parameters').value ?? []
  return list.map((_, index) => resolveRefs(contract, descendant<ParameterObject>(owner, 'parameters', index)))
}

function replyOf(contract: Contract, declared: SchemaNode<ResponseObject>) {
  const reply = resolveRefs(contract, declared)
  const names = Object.keys(reply.value.headers ?? {})
  const isRequired = (name: string) =>
    resolveRefs(contract, descendant<{ required?: boolean }>(reply, 'headers', name)).value.required
  const lower = (list: readonly string[]) => list.map((name) => name.toLowerCase())
  return { ...reply, headers: lower(names), required: lower(names.filter(isRequired)) }
}

function bodiesOf(contract: Contract, requestBody: SchemaNode<unknown>): Map<string, SchemaNode<SchemaObject>> {
  const content = descendant<Record<string, unknown>>(resolveRefs(contract, requestBody), 'content')
  return new Map(
    Object.keys(content.value).map((type) => [
      type,
      resolveRefs(contract, descendant<SchemaObject>(content, type, 'schema')),
    ]),
  )
}

export type { ErrorObject, ValidateFunction }

const addFormats = formats as unknown as (ajv: Ajv2020) => void

/**
 * The formats of OpenAPI, and a custom `email` format. `int64` accepts only integers that JavaScript can represent
 * exactly.
 */
const OPENAPI_FORMATS = {
  int32: { type: 'number', validate: (n: number) => Number.isInteger(n) && n >= -(2 ** 31) && n < 2 ** 31 },
  int64: { type: 'number', validate: (n: number) => Number.isSafeInteger(n) },
  float: true,
  double: true,
  binary: true,
  password: true,
  /**
   * Accepts the addresses to which this service can send email, and ignores surrounding spaces and format characters. The `email` format of
   * JSON Schema is stricter.
   */
  email: (text: string) => isEmailAddress(readEmailAddress(text)),
} as const

/**
 * The ID under which the contract is added to Ajv. All references begin with this ID, so that Ajv resolves them in the
 * added contract and compiles each of its schemas only once.
 */
const ROOT = 'contract:'

/**
 * Compiles schemas of a contract by JSON pointer on first use. With the Ajv option `useDefaults`, validation adds the
 * default values of members that are missing.
 */
export class Schemas {
  readonly #ajv: () => Ajv2020
  readonly #compiled = new Map<string, ValidateFunction>()

  constructor(contract: Contract, options: Options) {
    this.#ajv = lazy(() => {
      const ajv = new Ajv2020({ strict: false, validateSchema: false, addUsedSchema: false, verbose: true, ...options })
      addFormats(ajv)
      for (const [name, format] of Object.entries(OPENAPI_FORMATS)) ajv.addFormat(name, format)
      return ajv.addSchema({ ...contract, $id: ROOT })
    })
  }

  /** Returns the validator of a schema, for example `#/components/schemas/Survey`. */
  at(pointer: string): ValidateFunction {
    let validate = this.#compiled.get(pointer)
    if (!validate) {
      validate = this.#ajv().compile({ $ref: ROOT + pointer })
      this.#compiled.set(pointer, validate)
    }
    return validate
  }

  /** Returns a validator for an object whose members are validated by schemas of the contract. */
  object(shape: {
    properties: Readonly<Record<string, { pointer: string; default?: unknown }>>
    required: readonly string[]
    open: boolean
  }): ValidateFunction {
    const properties = Object.fromEntries(
      Object.entries(shape.properties).map(([name, { pointer, ...rest }]) => [name, { $ref: ROOT + pointer, ...rest }]),
    )
    return this.#ajv().compile({
      type: 'object',
      properties,
      required: shape.required,
      additionalProperties: shape.open,
    })
  }
}
