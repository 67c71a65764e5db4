import { Agent, request } from 'node:http'

/** What a client got. */
export interface Reply {
  status: number
  text: string
  /** The server closes the connection. */
  closing: boolean
}

/** A connection that broke, was refused or stayed silent for too long. */
export class ConnectionError extends Error {
  /** The request cannot have reached the server. */
  readonly refused: boolean

  constructor(code: string) {
    super(code)
    this.name = 'ConnectionError'
    this.refused = code === 'ECONNREFUSED'
  }
}

export interface Sent {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** User name or API key, and password. */
  auth?: string | undefined
  form?: Record<string, string>
  json?: unknown
  agent?: Agent | undefined
}

/** How long a client waits for a reply, in milliseconds. */
const PATIENCE_MS = 30_000

/** An agent that keeps one connection, and closes it when the server says `Connection: close`. */
export const keptConnection = (): Agent => new Agent({ keepAlive: true, maxSockets: 1 })

/** Sends one request. @throws {ConnectionError} */
export function send(url: string, { method = 'GET', auth, form, json, agent }: Sent = {}): Promise<Reply> {
  const body = form ? new URLSearchParams(form).toString() : json === undefined ? undefined : JSON.stringify(json)
  const type = form ? 'application/x-www-form-urlencoded' : 'application/json'
  const headers = body === undefined ? {} : { 'content-type': type, 'content-length': Buffer.byteLength(body) }
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException) => reject(new ConnectionError(error.code ?? error.message))
    const sent = request(
      url,
      { method, headers, ...(auth && { auth }), ...(agent && { agent }), signal: AbortSignal.timeout(PATIENCE_MS) },
      (reply) => {
        const chunks: Buffer[] = []
        reply.on('data', (chunk: Buffer) => chunks.push(chunk))
        reply.once('error', fail)
        reply.once('end', () => {
          const text = Buffer.concat(chunks).toString('utf8')
          resolve({ status: reply.statusCode!, text, closing: reply.headers.connection === 'close' })
        })
      },
    )
    sent.once('error', fail).end(body)
  })
}
