interface Reply {
  $ref?: string
  description?: string
  headers?: Record<string, unknown>
  content?: Record<string, { example?: Record<string, unknown> }>
}

interface Document {
  components: { responses: Record<string, Reply>; headers: Record<string, unknown> }
  'x-fallback-replies'?: Record<string, Reply>
}

/** The components that describe the replies to requests that no operation matches. */
const COMPONENTS = {
  400: 'BadRequest',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  429: 'TooManyRequests',
  500: 'ServerError',
  503: 'Unavailable',
}

/**
 * Declares under `x-fallback-replies` the replies to requests that no operation matches, because the address is unknown
 * or the resource does not support the method. OpenAPI can declare replies only for operations.
 */
export function addFallbackReplies(document: Document): void {
  const { responses, headers } = document.components
  headers.Allow = {
    description: 'The methods that the resource supports.',
    required: true,
    schema: { type: 'string', examples: ['GET, HEAD, PUT, DELETE'] },
  }
  responses.MethodNotAllowed = methodNotAllowed(responses.NotFound!)
  document['x-fallback-replies'] = Object.fromEntries(
    Object.entries(COMPONENTS).map(([status, name]) => [status, { $ref: `#/components/responses/${name}` }]),
  )
}

/** Returns the reply with status 405. Its format is copied from another error reply. */
function methodNotAllowed(other: Reply): Reply {
  const reply = structuredClone(other)
  reply.description = 'The resource does not support the method.'
  reply.headers = { ...reply.headers, Allow: { $ref: '#/components/headers/Allow' } }
  for (const { example } of Object.values(reply.content ?? {})) {
    if (!example) continue
    const text = 'PATCH is not allowed for this resource. Allowed: GET, HEAD, PUT, DELETE.'
    const members = {
      title: 'Method Not Allowed',
      status: 405,
      code: 'method_not_allowed',
      detail: text,
      description: text,
    }
    for (const [name, value] of Object.entries(members)) if (name in example) example[name] = value
  }
  return reply
}
