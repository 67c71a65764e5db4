import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Webhook subscribers, of which a third is dead: one in nine refuses connections, one in nine never replies, and one in nine replies with 500. */
export interface Subscribers {
  urls(count: number): string[]
  /** Returns the number of live ones among `count` subscribers. */
  live(count: number): number
  /** Returns when an event arrived at live subscribers, for the first time each, in milliseconds of `performance.now()`. */
  arrivals(responseId: string): number[]
  /** Returns the number of different messages that live subscribers have received. */
  messages(): number
  /** Returns the number of events that a live subscriber received in different messages. */
  doubled(): number
  /** Returns the highest number of concurrent connections to one hanging subscriber. */
  mostAtOnce(): number
  close(): Promise<void>
}

const DEAD = ['refused', 'hanging', 'failing'] as const

/** Of nine subscribers in a row, six are live. */
const kindOf = (index: number) => (index % 3 === 0 ? DEAD[(index / 3) % 3]! : 'live')

/**
 * Starts the subscribers on 127.0.0.1.
 * @param closedPort a port that refuses connections
 */
export async function startSubscribers(closedPort: number): Promise<Subscribers> {
  /** Arrival by subscriber and message, by event. */
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
