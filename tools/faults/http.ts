import { Agent, request } from 'node:http'

/** A reply as a client received it. */
export interface Reply {
  status: number
  text: string
  /** The address of a redirect; empty for other replies. */
  location: string
  /** Whether the server closes the connection. */
  closing: boolean
  /** Whether an overloaded server rejected the request, so that it had no effect. */
  isOverload: boolean
  /** The time after which the client may repeat the request, in milliseconds. */
  retryAfterMs: number
}

/** A connection that failed, was refused or timed out. */
export class ConnectionError extends Error {
  /** Whether the connection was refused, so that the server did not receive the request. */
  readonly refused: boolean

  constructor(code: string) {
    super(code)
    this.name = 'ConnectionError'
    this.refused = code === 'ECONNREFUSED'
  }
}

export interface RequestOptions {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** User name or API key, and password. */
  auth?: string | undefined
  form?: Record<string, string>
  json?: unknown
  agent?: Agent | undefined
}

/** Maximum time for a reply, in milliseconds. */
const REPLY_TIMEOUT_MS = 30_000

/** Creates an agent with one persistent connection, which it closes after a reply with `Connection: close`. */
export const createPersistentAgent = (): Agent => new Agent({ keepAlive: true, maxSockets: 1 })

/**
 * Sends one request.
 * @throws {ConnectionError}
 */
export function send(url: string, { method = 'GET', auth, form, json, agent }: RequestOptions = {}): Promise<Reply> {
  const body = form ? new URLSearchParams(form).toString() : json === undefined ? undefined : JSON.stringify(json)
  const type = form ? 'application/x-www-form-urlencoded' : 'application/json'
  const headers = body === undefined ? {} : { 'content-type': type, 'content-length': Buffer.byteLength(body) }
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException) => reject(new ConnectionError(error.code ?? error.message))
    const outgoing = request(
      url,
      {
        method,
        headers,
        ...(auth && { auth }),
        ...(agent && { agent }),
        signal: AbortSignal.timeout(REPLY_TIMEOUT_MS),
      },
      (reply) => {
        const chunks: Buffer[] = []
        reply.on('data', (chunk: Buffer) => chunks.push(chunk))
        reply.once('error', fail)
        reply.once('end', () => {
          const text = Buffer.concat(chunks).toString('utf8')
          resolve({
            status: reply.statusCode!,
            text,
            location: reply.headers.location ?? '',
            closing: reply.headers.connection === 'close',
            isOverload: reply.statusCode === 503 && text.includes('is overloaded'),
            retryAfterMs: Number(reply.headers['retry-after'] ?? 0) * 1000,
          })
        })
      },
    )
    outgoing.once('error', fail).end(body)
  })
}
