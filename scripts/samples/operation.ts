/** A JSON value. */
export type Json = string | number | boolean | null | Json[] | { [name: string]: Json }

interface Schema {
  $ref?: string
  examples?: Json[]
}

interface Parameter {
  $ref?: string
  name: string
  in: string
  required?: boolean
  example?: Json
  schema: Schema
}

interface Content {
  example?: Json
  examples?: Record<string, { value: Json }>
}

export interface Described {
  operationId: string
  parameters?: Parameter[]
  requestBody?: { content: Record<string, Content> }
  'x-codeSamples'?: { lang: string; label: string; source: string }[]
}

export const METHODS = ['get', 'put', 'post', 'delete'] as const
export type Method = (typeof METHODS)[number]

export interface Contract {
  paths: Record<string, { parameters?: Parameter[] } & { [method in Method]?: Described }>
  components: Record<string, Record<string, unknown>>
}

/** A call of an operation with the values of its examples in the contract. */
export interface Call {
  version: string
  operationId: string
  method: Method
  path: string
  /** In the order of the path. */
  pathValues: Record<string, Json>
  query: Record<string, Json>
  body?: Json
  contentType?: string
  /** Whether the operation is a paginated list. */
  paged: boolean
}

/**
 * Returns the call of an operation with the values of its examples. Query parameters are included if they are required or in
 * `given`. A DELETE has its parameters in the query if the contract allows it.
 * @throws Error if a parameter has no example
 */
export function callOf(
  version: string,
  contract: Contract,
  path: string,
  method: Method,
  given: Record<string, Json> = {},
): Call {
  const item = contract.paths[path]!
  const operation = item[method]!
  const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])].map((one) => resolve(contract, one))
  const exampleOf = ({ name, example, schema }: Parameter): Json => {
    const found = example ?? schema.examples?.[0] ?? resolve(contract, schema).examples?.[0]
    if (found === undefined)
      throw new Error(`${version} ${operation.operationId}: the parameter ${name} has no example`)
    return found
  }
  const inPath = parameters.filter((one) => one.in === 'path')
  const inQuery = parameters.filter((one) => one.in === 'query')
  const names = new Set(inQuery.map(({ name }) => name))
  const required = inQuery.filter((one) => one.required)
  const call: Call = {
    version,
    operationId: operation.operationId,
    method,
    path,
    pathValues: Object.fromEntries(inPath.map((one) => [one.name, exampleOf(one)])),
    query: { ...Object.fromEntries(required.map((one) => [one.name, exampleOf(one)])), ...given },
    paged: method === 'get' && (names.has('page') || names.has('offset')),
  }
  const [contentType, content] = Object.entries(operation.requestBody?.content ?? {})[0] ?? []
  const body = content?.example ?? Object.values(content?.examples ?? {})[0]?.value
  if (!contentType || body === undefined) return call
  const members = typeof body === 'object' && body && !Array.isArray(body) ? Object.keys(body) : []
  if (method === 'delete' && members.length > 0 && members.every((name) => names.has(name))) {
    const asked = inQuery.filter(({ name }) => members.includes(name)).map((one) => [one.name, exampleOf(one)])
    return { ...call, query: { ...call.query, ...Object.fromEntries(asked) } }
  }
  return { ...call, body, contentType }
}

function resolve<T extends { $ref?: string }>(contract: Contract, it: T): T {
  if (!it.$ref) return it
  const [, , kind, name] = it.$ref.split('/')
  return resolve(contract, contract.components[kind!]![name!] as T)
}
