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

export interface Operation {
  operationId: string
  parameters?: Parameter[]
  requestBody?: { content: Record<string, Content> }
  'x-codeSamples'?: { lang: string; label: string; source: string }[]
}

export const METHODS = ['get', 'put', 'post', 'delete'] as const
export type Method = (typeof METHODS)[number]

export interface Contract {
  paths: Record<string, { parameters?: Parameter[] } & { [method in Method]?: Operation }>
  components: Record<string, Record<string, unknown>>
}

/** A call of an operation with the example values of the contract. */
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
 * Returns the call of an operation with the example values of the contract. The call includes a query parameter if it
 * is required or if `query` contains it. If every member of the body of a DELETE is also a query parameter, the call
 * has these parameters instead of a body.
 * @throws Error if a path parameter or an included query parameter has no example
 */
export function callOf(
  version: string,
  contract: Contract,
  path: string,
  method: Method,
  query: Record<string, Json> = {},
): Call {
  const item = contract.paths[path]!
  const operation = item[method]!
  const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])].map((parameter) =>
    resolve(contract, parameter),
  )
  const exampleOf = ({ name, example, schema }: Parameter): Json => {
    const value = example ?? schema.examples?.[0] ?? resolve(contract, schema).examples?.[0]
    if (value === undefined)
      throw new Error(`${version} ${operation.operationId}: the parameter ${name} has no example`)
    return value
  }
  const inPath = parameters.filter((parameter) => parameter.in === 'path')
  const inQuery = parameters.filter((parameter) => parameter.in === 'query')
  const names = new Set(inQuery.map(({ name }) => name))
  const required = inQuery.filter((parameter) => parameter.required)
  const call: Call = {
    version,
    operationId: operation.operationId,
    method,
    path,
    pathValues: Object.fromEntries(inPath.map((parameter) => [parameter.name, exampleOf(parameter)])),
    query: { ...Object.fromEntries(required.map((parameter) => [parameter.name, exampleOf(parameter)])), ...query },
    paged: method === 'get' && (names.has('page') || names.has('offset')),
  }
  const [contentType, content] = Object.entries(operation.requestBody?.content ?? {})[0] ?? []
  const body = content?.example ?? Object.values(content?.examples ?? {})[0]?.value
  if (!contentType || body === undefined) return call
  const members = typeof body === 'object' && body && !Array.isArray(body) ? Object.keys(body) : []
  if (method === 'delete' && members.length > 0 && members.every((name) => names.has(name))) {
    const queryValues = inQuery
      .filter(({ name }) => members.includes(name))
      .map((parameter) => [parameter.name, exampleOf(parameter)])
    return { ...call, query: { ...call.query, ...Object.fromEntries(queryValues) } }
  }
  return { ...call, body, contentType }
}

function resolve<T extends { $ref?: string }>(contract: Contract, it: T): T {
  if (!it.$ref) return it
  const [, , kind, name] = it.$ref.split('/')
  return resolve(contract, contract.components[kind!]![name!] as T)
}
