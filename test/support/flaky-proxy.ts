import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll } from '@jest/globals'

/**
 * What the doorman says to one request; absent, the request passes. `cut` begins a CSV file, and breaks off within it.
 */
export type Word = { status: number; retryAfter: string } | 'cut' | undefined

export interface Doorman {
  readonly url: string
  /** Said to the next requests, one each; afterwards everybody may pass. */
  words: Word[]
  /** Requests that he has seen. */
  seen: number
}

/** A server in front of the service that turns requests away as it is told. Call at the top of a test file. */
export function useDoorman(target: () => string): Doorman {
  const doorman: Doorman = {
    get url() {
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    },
    words: [],
    seen: 0,
  }
  const server = createServer(async (request, response) => {
    doorman.seen += 1
    const word = doorman.words.shift()
    if (word === 'cut') {
      response.writeHead(200, { 'content-type': 'text/csv' }).write('_completed,_id\r\nComplete,1\r\nCompl')
      return setImmediate(() => response.destroy())
    }
    if (word) return response.writeHead(word.status, { 'retry-after': word.retryAfter }).end('busy')
    const { authorization = '' } = request.headers
    const answer = await fetch(new URL(request.url!, target()), { method: request.method!, headers: { authorization } })
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' })
    response.end(await answer.text())
  })
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
  afterAll(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return doorman
}
