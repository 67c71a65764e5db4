import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * Webhook subscribers. Two thirds of them are live. One third are dead: one in nine refuses connections, one in nine
 * never replies, and one in nine replies with 500.
 */
export interface Subscribers {
  urls(count: number): string[]
  /** Returns how many of the first `count` subscribers are live. */
  live(count: number): number
  /**
   * Returns the times at which the live subscribers received the event of a response for the first time, in
   * milliseconds of `performance.now()`.
   */
  arrivals(responseId: string): number[]
  /** Returns the number of pairs of a live subscriber and an event that it has received. */
  messages(): number
  /**
   * Returns the number of such pairs in which the subscriber received the event in several messages with different IDs.
   */
  doubled(): number
  /** Returns the highest number of connections that one hanging subscriber had at the same time. */
  mostAtOnce(): number
  close(): Promise<void>
}

const DEAD = ['refused', 'hanging', 'failing'] as const

/** Returns the kind of a subscriber. Of nine consecutive subscribers, six are live. */
const kindOf = (index: number) => (index % 3 === 0 ? DEAD[(index / 3) % 3]! : 'live')

/**
 * Starts the subscribers on 127.0.0.1.
 * @param closedPort a port that refuses connections
 */
export async function startSubscribers(closedPort: number): Promise<Subscribers> {
  /** The time of the first arrival at each subscriber, by the ID of the response and then by the subscriber's path. */
  const received = new Map<string, Map<string, number>>()
  const messageIds = new Map<string, Set<string>>()
  const hanging = new Map<string, number>()
  let most = 0
  const server = createServer((request, response) => {
    const path = request.url!
    const at = performance.now()
    if (path.startsWith('/hanging/')) {
      const connections = (hanging.get(path) ?? 0) + 1
      hanging.set(path, connections)
      most = Math.max(most, connections)
      response.once('close', () => hanging.set(path, hanging.get(path)! - 1))
      return
    }
    let body = ''
    request.setEncoding('utf8').on('data', (chunk) => {
      body += chunk
    })
    request.once('end', () => {
      response.writeHead(path.startsWith('/live/') ? 200 : 500).end()
      if (!path.startsWith('/live/')) return
      const id = new URLSearchParams(body).get('id') ?? ''
      const arrivals = received.get(id) ?? new Map<string, number>()
      received.set(id, arrivals)
      if (!arrivals.has(path)) arrivals.set(path, at)
      const key = `${path} ${id}`
      messageIds.set(key, (messageIds.get(key) ?? new Set()).add(String(request.headers['webhook-id'])))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const port = (server.address() as AddressInfo).port
  return {
    urls: (count) =>
      Array.from({ length: count }, (_, index) => {
        const kind = kindOf(index)
        return `http://127.0.0.1:${kind === 'refused' ? closedPort : port}/${kind}/${index}`
      }),
    live: (count) =>
      Array.from({ length: count }, (_, index) => kindOf(index)).filter((kind) => kind === 'live').length,
    arrivals: (responseId) => [...(received.get(responseId)?.values() ?? [])],
    messages: () => messageIds.size,
    doubled: () => [...messageIds.values()].filter((ids) => ids.size > 1).length,
    mostAtOnce: () => most,
    async close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
