import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll } from '@jest/globals'

/**
 * The reply of the proxy to one request: a status, or half of a CSV file (`truncated`). If it is undefined, the proxy
 * forwards the request to the service.
 */
export type ProxyReply = { status: number; retryAfter: string } | 'truncated' | undefined

export interface FlakyProxy {
  readonly url: string
  /** The replies to the next requests, one for each request. All requests after these are forwarded. */
  replies: ProxyReply[]
  /** The number of requests received. */
  requests: number
}

/**
 * Starts a proxy in front of the service. The proxy rejects requests if a test sets `replies`. Call it at the top of a
 * test file.
 */
export function useFlakyProxy(target: () => string): FlakyProxy {
  const proxy: FlakyProxy = {
    get url() {
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    },
    replies: [],
    requests: 0,
  }
  const server = createServer(async (request, response) => {
    proxy.requests += 1
    const reply = proxy.replies.shift()
    if (reply === 'truncated') {
      response.writeHead(200, { 'content-type': 'text/csv' }).write('_completed,_id\r\nComplete,1\r\nCompl')
      return setImmediate(() => response.destroy())
    }
    if (reply) return response.writeHead(reply.status, { 'retry-after': reply.retryAfter }).end('busy')
    const { authorization = '' } = request.headers
    const forwarded = await fetch(new URL(request.url!, target()), {
      method: request.method!,
      headers: { authorization },
    })
    response.writeHead(forwarded.status, { 'content-type': forwarded.headers.get('content-type') ?? '' })
    response.end(await forwarded.text())
  })
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
  afterAll(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return proxy
}
