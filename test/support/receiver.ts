import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll } from '@jest/globals'

/** A callback as it came in. */
export interface Received {
  path: string
  method: string
  headers: IncomingHttpHeaders
  body: string
  /** The form's members, in order. */
  form: [string, string][]
  /** When it came in, of `performance.now()`. */
  at: number
}

/** How a path answers; it may never do so. */
export type Manner = (response: ServerResponse, received: Received) => void

export interface Receiver {
  /** The address of a path on this machine. */
  url(path: string): string
  /** All callbacks so far, or those of one path. */
  received(path?: string): Received[]
  /** From now on the path answers so; a path of which nothing is said answers 200. */
  answer(path: string, manner: Manner): void
}

export const manners = {
  status:
    (status: number, headers: Record<string, string> = {}): Manner =>
    (response) => {
      response.writeHead(status, headers).end('heard')
    },
  /** Takes the request, and says nothing. */
  stall: (): void => undefined,
  /** Breaks the connection off. */
  drop: ((response) => response.destroy()) as Manner,
}

/** A subscriber: a real server that remembers what it was sent. Call at the top of a test file. */
export function useReceiver(): Receiver {
  const received: Received[] = []
  const answers = new Map<string, Manner>()
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks).toString('utf8')
    const one: Received = {
      path: request.url!,
      method: request.method!,
      headers: request.headers,
      body,
      form: [...new URLSearchParams(body)],
      at: performance.now(),
    }
    received.push(one)
    const manner = answers.get(one.path) ?? manners.status(200)
    manner(response, one)
  })
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
  afterEach(() => {
    received.length = 0
    answers.clear()
  })
  afterAll(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return {
    url: (path) => `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    received: (path) => received.filter((one) => path === undefined || one.path === path),
    answer: (path, manner) => answers.set(path, manner),
  }
}
