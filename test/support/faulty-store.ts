import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
  request as send,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll } from '@jest/globals'

/** A request of the SDK. */
export interface StoreRequest {
  /** The method, the path and the query. */
  line: string
  headers: IncomingHttpHeaders
}

/** The reply to a request instead of the one of the store. */
export interface StoreReply {
  status: number
  headers?: Record<string, string>
  body?: string
}

export interface FaultyStore {
  /** The environment variables with which the AWS SDK finds the store. They are also set in this process. */
  readonly credentials: Record<string, string>
  /** All requests since the test began. */
  readonly requests: StoreRequest[]
  /** Returns the lines of the requests that match. */
  lines(pattern: RegExp): string[]
  /** Sets the reply to some requests until the end of the test. `reset` closes the connection, and `undefined` forwards the
   * request to the store. */
  fail(fault: (request: StoreRequest) => StoreReply | 'reset' | undefined): void
}

/** Returns an error as S3 sends it. */
export const s3Error = (status: number, code: string, members = '<Message>No.</Message>'): StoreReply => ({
  status,
  headers: { 'content-type': 'application/xml' },
  body: `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code>${members}</Error>`,
})

/** Returns an error page of a proxy. */
export const proxyError = (status: number): StoreReply => ({
  status,
  headers: { 'content-type': 'text/html' },
  body: `<html>\n<head><title>${status}</title></head>\n<body><center><h1>${status}</h1></center><hr>nginx</body></html>`,
})

/**
 * Starts a proxy in front of a store, which rejects requests as a test says. Call it at the top of a test file, after
 * `useBucket`.
 */
export function useFaultyStore(target: { credentials: Record<string, string> }): FaultyStore {
  let fault: Parameters<FaultyStore['fail']>[0] = () => undefined
  const requests: StoreRequest[] = []
  const store: FaultyStore = {
    credentials: {},
    requests,
    lines: (pattern) => requests.map(({ line }) => line).filter((line) => pattern.test(line)),
    fail: (next) => {
      fault = next
    },
  }
  const server = createServer((request, response) => {
    const entry = { line: `${request.method} ${request.url}`, headers: request.headers }
    requests.push(entry)
    const reply = fault(entry)
    if (!reply) return forward(request, new URL(target.credentials.AWS_ENDPOINT_URL!), response)
    if (reply === 'reset') return request.socket.destroy()
    request.resume()
    request.on('end', () => response.writeHead(reply.status, reply.headers).end(reply.body))
  })
  let endpoint: string | undefined
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    Object.assign(store.credentials, target.credentials, { AWS_ENDPOINT_URL: endpoint })
    process.env.AWS_ENDPOINT_URL = endpoint
  })
  afterEach(() => {
    requests.length = 0
    fault = () => undefined
  })
  afterAll(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return store
}

function forward(request: IncomingMessage, to: URL, response: ServerResponse): void {
  const { method, url, headers } = request
  const upstream = send({ host: to.hostname, port: to.port, method, path: url, headers, agent: false }, (reply) => {
    response.writeHead(reply.statusCode!, reply.headers)
    reply.pipe(response)
  })
  upstream.on('error', () => response.destroy())
  response.on('close', () => upstream.destroy())
  request.pipe(upstream)
}
