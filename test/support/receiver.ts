import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll } from '@jest/globals'

/** A received webhook request. */
export interface ReceivedRequest {
  path: string
  method: string
  headers: IncomingHttpHeaders
  body: string
  /** The form fields in order. */
  form: [string, string][]
  /** The time at which it arrived, from `performance.now()`. */
  at: number
}

/** Sends a reply to a request, or leaves the request without a reply. */
export type ReplyHandler = (response: ServerResponse, received: ReceivedRequest) => void

export interface Receiver {
  /** Returns the URL of a path. */
  url(path: string): string
  /** Returns all requests so far, or the requests to one path. */
  received(path?: string): ReceivedRequest[]
  /** Sets the reply of a path until the end of the test. All other paths return 200. */
  setReply(path: string, handler: ReplyHandler): void
}

export const replyHandlers = {
  status:
    (status: number, headers: Record<string, string> = {}): ReplyHandler =>
    (response) => {
      response.writeHead(status, headers).end('received')
    },
  /** Accepts the request and never sends a reply. */
  stall: (): void => undefined,
  /** Closes the connection. */
  disconnect: ((response) => response.destroy()) as ReplyHandler,
}

/** Starts a server that receives webhooks. Call it at the top of a test file. */
export function useReceiver(): Receiver {
  const received: ReceivedRequest[] = []
  const handlers = new Map<string, ReplyHandler>()
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks).toString('utf8')
    const entry: ReceivedRequest = {
      path: request.url!,
      method: request.method!,
      headers: request.headers,
      body,
      form: [...new URLSearchParams(body)],
      at: performance.now(),
    }
    received.push(entry)
    const handler = handlers.get(entry.path) ?? replyHandlers.status(200)
    handler(response, entry)
  })
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
  afterEach(() => {
    received.length = 0
    handlers.clear()
  })
  afterAll(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return {
    url: (path) => `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    received: (path) => received.filter((entry) => path === undefined || entry.path === path),
    setReply: (path, handler) => handlers.set(path, handler),
  }
}
