import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { root } from '../versions.ts'

export interface Schema {
  $ref?: string
  type?: string
  items?: Schema
  additionalProperties?: Schema
  default?: unknown
  deprecated?: boolean
  properties?: Record<string, Schema>
  anyOf?: Schema[]
}

export interface Parameter {
  $ref?: string
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  deprecated?: boolean
  explode?: boolean
  schema: Schema
}

export interface Operation {
  operationId: string
  summary: string
  description?: string
  tags: string[]
  parameters?: Parameter[]
  requestBody?: { required?: boolean; content: Record<string, { schema: Schema }> }
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>
}

const METHODS = ['get', 'put', 'post', 'delete'] as const
type Method = (typeof METHODS)[number]

interface Document {
  info: { version: string }
  'x-error-codes': { problems: { code: string }[] }
  paths: Record<string, { parameters?: Parameter[] } & { [method in Method]?: Operation }>
  components: Record<string, Record<string, unknown>>
}

/** A paginated list: its operation, and the member of the reply with the items. */
export interface List {
  operationId: string
  summary: string
  member: string
  /** How the next page is requested: by its number, by an offset, or with a cursor. */
  by: 'page' | 'offset' | 'cursor'
  /** Whether the operation has path parameters. */
  needsPath: boolean
}

/** An operation with its place in the contract. */
export interface Endpoint {
  method: Method
  path: string
  operation: Operation
  /** All its parameters. References are replaced with the parameters to which they point. */
  parameters: Parameter[]
}

/** A contract in the form that both generators support, with its paginated lists. */
export interface Prepared {
  version: string
  release: string
  document: Document
  endpoints: Endpoint[]
  lists: List[]
}

/** Header parameters that are left out of the generated code. Both packages offer some of them as options of a call. */
const OMITTED = new Set(['If-None-Match', 'Idempotency-Key'])

/**
 * Reads generated/<version>/openapi.json. Omits parts that would only make a client larger: alternatives to a JSON body
 * (one generator would send all alternatives at once), aliases of operations, deprecated parameters, `If-None-Match`,
 * `Idempotency-Key`, and the reply to a CSV body. Both packages have handwritten code for `Idempotency-Key` and for the
 * reply to a CSV body. Also omits the defaults of query parameters, because the service applies them.
 */
export async function prepare(version: string): Promise<Prepared> {
  const text = await readFile(path.join(root, 'generated', version, 'openapi.json'), 'utf8')
  const document = JSON.parse(text) as Document
  const endpoints: Endpoint[] = []
  const lists: List[] = []
  for (const [address, item] of Object.entries(document.paths)) {
    for (const method of METHODS) {
      const operation = item[method]
      if (!operation) continue
      if (operation.operationId.endsWith('Alias')) delete item[method]
      else {
        operation.parameters = operation.parameters?.filter((parameter) => {
          const { name, deprecated } = resolve(document, parameter)
          return !deprecated && !OMITTED.has(name)
        })
        delete operation.responses['304']
        preferJson(operation)
        const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])].map((parameter) =>
          resolve(document, parameter),
        )
        for (const { in: place, schema } of parameters) if (place === 'query') delete schema.default
        const endpoint = { method, path: address, operation, parameters }
        endpoints.push(endpoint)
        const list = listOf(document, endpoint)
        if (list) lists.push(list)
      }
    }
  }
  return { version, release: document.info.version, document, endpoints, lists }
}

function preferJson({ requestBody, responses }: Operation): void {
  const json = requestBody?.content['application/json']
  if (!requestBody || !json) return
  const alsoCsv = 'text/csv' in requestBody.content
  requestBody.content = { 'application/json': json }
  const reply = responses['200']?.content?.['application/json']
  if (alsoCsv && reply?.schema.anyOf)
    reply.schema.anyOf = reply.schema.anyOf.filter(({ $ref }) => !$ref?.endsWith('/ImportedResponses'))
}

const CURSORS = { page: 'page', offset: 'offset', since: 'cursor' } as const

function listOf(document: Document, { operation, parameters }: Endpoint): List | undefined {
  const names = new Set(parameters.map(({ name }) => name))
  const by = (Object.keys(CURSORS) as (keyof typeof CURSORS)[]).find((name) => names.has(name))
  if (!by) return undefined
  const schema = resolve(document, operation.responses['200']?.content?.['application/json']?.schema ?? {})
  const members = Object.entries(schema.properties ?? {}).filter(([, member]) => {
    const { type, items, deprecated } = resolve(document, member)
    return type === 'array' && !deprecated && items && resolve(document, items).type === 'object'
  })
  const { operationId, summary } = operation
  if (members.length !== 1)
    throw new Error(`${operationId} is paginated, but its reply does not have exactly one list of objects`)
  const needsPath = parameters.some((parameter) => parameter.in === 'path')
  return { operationId, summary, member: members[0]![0], by: CURSORS[by], needsPath }
}

/** Returns the error codes of all versions, and the codes that only the packages use, in alphabetical order. */
export const errorCodesOf = (prepared: readonly Prepared[]): string[] =>
  [
    ...new Set([
      ...prepared.flatMap(({ document }) => document['x-error-codes'].problems.map(({ code }) => code)),
      ...['connection_failed', 'http_error', 'timeout'],
    ]),
  ].sort()

/** Follows `$ref` within the document. */
function resolve<T extends { $ref?: string }>(document: Document, it: T): T {
  if (!it.$ref) return it
  const [, , kind, name] = it.$ref.split('/')
  return resolve(document, document.components[kind!]![name!] as T)
}
