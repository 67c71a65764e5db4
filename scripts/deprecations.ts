interface Reply {
  $ref?: string
  headers?: Record<string, unknown>
}

interface Operation {
  operationId?: string
  description?: string
  deprecated?: boolean
  responses?: Record<string, Reply>
  'x-deprecated-since'?: string
  'x-sunset'?: string
}

/** Operations that have been deprecated since the same date. */
interface Deprecation {
  since: string
  /** The date from which the operations no longer exist. */
  sunset?: string
  /** The successor of each operation. */
  operations: Record<string, string>
}

interface Document {
  paths: Record<string, Record<string, Operation>>
  components: { responses: Record<string, Reply>; headers: Record<string, unknown> }
  'x-deprecations'?: Deprecation[]
}

const header = (description: string, example: string) => ({
  description,
  required: true,
  schema: { type: 'string', examples: [example] },
})

const HEADERS = {
  Deprecation: header('When the operation was deprecated, in seconds since 1970 (RFC 9745).', '@1795305600'),
  Sunset: header('When the operation ends (RFC 8594).', 'Sun, 21 Nov 2027 00:00:00 GMT'),
  DeprecationLink: header(
    'With `rel="deprecation"` the rules for deprecated operations. A list also has the addresses of its other pages.',
    '<https://survey.example.org/docs/v3/#/section/deprecation>; rel="deprecation"; type="text/html"',
  ),
}

const reference = (name: string) => ({ $ref: `#/components/headers/${name}` })

/**
 * Marks the operations under `x-deprecations` as deprecated, declares the headers of their replies, and removes
 * `x-deprecations`.
 * @throws Error for an operation that does not exist
 */
export function addDeprecations(document: Document): void {
  const deprecations = document['x-deprecations'] ?? []
  delete document['x-deprecations']
  const entries = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
  )
  const find = (operationId: string) => {
    const entry = entries.find(({ operation }) => operation.operationId === operationId)
    if (!entry) throw new Error(`x-deprecations has the unknown operation ${operationId}`)
    return entry
  }
  for (const { since, sunset, operations } of deprecations)
    for (const [deprecated, successor] of Object.entries(operations)) {
      const { operation } = find(deprecated)
      const { method, path } = find(successor)
      operation.deprecated = true
      operation['x-deprecated-since'] = since
      if (sunset) operation['x-sunset'] = sunset
      const end = sunset ? `It ends on ${sunset}.` : 'It stays available.'
      operation.description = `${operation.description!.trim()}\n\nDeprecated since ${since}: use \`${method.toUpperCase()} ${path}\`. ${end}`
      addHeaders(document, operation, sunset !== undefined)
    }
}

function addHeaders({ components }: Document, { responses = {} }: Operation, ends: boolean): void {
  const headers = { Deprecation: 'Deprecation', ...(ends && { Sunset: 'Sunset' }), Link: 'DeprecationLink' }
  for (const name of Object.values(headers)) components.headers[name] = HEADERS[name as keyof typeof HEADERS]
  const references = Object.fromEntries(Object.entries(headers).map(([field, name]) => [field, reference(name)]))
  for (const [status, reply] of Object.entries(responses)) {
    const base = reply.$ref?.split('/').at(-1)
    if (base === undefined) {
      responses[status] = { ...reply, headers: { ...reply.headers, ...references } }
      continue
    }
    const name = `${ends ? 'Ending' : 'Deprecated'}${base}`
    const original = components.responses[base]!
    components.responses[name] ??= { ...original, headers: { ...original.headers, ...references } }
    responses[status] = { $ref: `#/components/responses/${name}` }
  }
}
