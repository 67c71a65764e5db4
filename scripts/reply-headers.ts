interface Reply {
  $ref?: string
  headers?: Record<string, unknown>
}

/** The members of a bundled document that are read and changed here. */
export interface BundledDocument {
  paths: Record<string, Record<string, { responses?: Record<string, Reply> }>>
  components: { responses?: Record<string, Reply>; headers?: Record<string, unknown> }
  'x-reply-headers'?: Record<string, unknown>
}

/**
 * Adds the headers under `x-reply-headers` to every reply of a bundled document, and removes `x-reply-headers`. If a
 * reply already declares a header of the same name, this header is kept. The replies of webhooks are not changed,
 * because they come from other servers.
 */
export function addReplyHeaders(document: BundledDocument): void {
  const headers = document['x-reply-headers'] ?? {}
  delete document['x-reply-headers']
  document.components.headers = { ...document.components.headers, ...headers }
  const references = Object.fromEntries(
    Object.keys(headers).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  )
  const operations = Object.values(document.paths).flatMap((item) => Object.values(item))
  const inline = operations.flatMap(({ responses = {} }) => Object.values(responses)).filter(({ $ref }) => !$ref)
  for (const reply of [...inline, ...Object.values(document.components.responses ?? {})])
    reply.headers = { ...references, ...reply.headers }
}
