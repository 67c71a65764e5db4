import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { root } from '../versions.ts'

interface Schema {
  $ref?: string
  type?: string
  items?: Schema
  deprecated?: boolean
  properties?: Record<string, Schema>
  anyOf?: Schema[]
}

export interface Parameter {
  $ref?: string
  name: string
  deprecated?: boolean
}

export interface Operation {
  operationId: string
  summary: string
  parameters?: Parameter[]
  requestBody?: { content: Record<string, { schema: Schema }> }
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>
}

const METHODS = ['get', 'put', 'post', 'delete'] as const
type Method = (typeof METHODS)[number]

interface Document {
  info: { version: string }
  paths: Record<string, { parameters?: Parameter[] } & { [method in Method]?: Operation }>
  components: Record<string, Record<string, unknown>>
}

/** A paginated list: its operation, and the member of the reply with the items. */
export interface List {
  operationId: string
  summary: string
  member: string
  /** Whether the operation has path parameters. */
  needsPath: boolean
}

/** A contract in the form that both generators support, with its paginated lists. */
export interface Prepared {
  version: string
  release: string
  document: Document
  lists: List[]
}

/**
 * Reads generated/<version>/openapi.json. Omits what would only make a client larger: alternatives to a JSON body (one
 * generator would send all of them at once), aliases of operations, deprecated parameters, conditional reading, and the reply to a CSV body,
 * for which both packages have handwritten functions.
 */
export async function prepare(version: string): Promise<Prepared> {
  const text = await readFile(path.join(root, 'generated', version, 'openapi.json'), 'utf8')
  const document = JSON.parse(text) as Document
  const lists: List[] = []
  for (const item of Object.values(document.paths)) {
    for (const method of METHODS) {
      const operation = item[method]
      if (!operation) continue
      if (operation.operationId.endsWith('Alias')) delete item[method]
      else {
        operation.parameters = operation.parameters?.filter((parameter) => {
          const { name, deprecated } = resolve(document, parameter)
          return !deprecated && name !== 'If-None-Match'
        })
        delete operation.responses['304']
        preferJson(operation)
        const list = listOf(document, operation, item.parameters ?? [])
        if (list) lists.push(list)
      }
    }
  }
  return { version, release: document.info.version, document, lists }
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

function listOf(document: Document, operation: Operation, pathParameters: Parameter[]): List | undefined {
  const parameters = [...pathParameters, ...(operation.parameters ?? [])].map((parameter) =>
    resolve(document, parameter),
  )
  const names = new Set(parameters.map(({ name }) => name))
  if (!names.has('page') && !names.has('offset')) return undefined
  const schema = resolve(document, operation.responses['200']?.content?.['application/json']?.schema ?? {})
  const members = Object.entries(schema.properties ?? {}).filter(([, member]) => {
    const { type, items, deprecated } = resolve(document, member)
    return type === 'array' && !deprecated && items && resolve(document, items).type === 'object'
  })
  const { operationId, summary } = operation
  if (members.length !== 1)
    throw new Error(`${operationId} is paginated, but its reply does not have exactly one list of objects`)
  return { operationId, summary, member: members[0]![0], needsPath: pathParameters.length > 0 }
}

/** Follows `$ref` within the document. */
function resolve<T extends { $ref?: string }>(document: Document, it: T): T {
  if (!it.$ref) return it
  const [, , kind, name] = it.$ref.split('/')
  return resolve(document, document.components[kind!]![name!] as T)
}
