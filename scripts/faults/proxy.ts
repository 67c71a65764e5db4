import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A TCP proxy to PostgreSQL that can drop the data of its connections. */
export interface Proxy {
  port: number
  /**
   * Drops all further data of the current connections without closing them, like a firewall that has lost their state. New
   * connections work.
   */
  stall(): void
  close(): Promise<void>
}

/** Starts a proxy to a port of 127.0.0.1. */
export async function startProxy(target: number): Promise<Proxy> {
  const pairs = new Set<[Socket, Socket]>()
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1')
    const pair: [Socket, Socket] = [client, upstream]
    pairs.add(pair)
    client.pipe(upstream)
    upstream.pipe(client)
    for (const side of pair) {
      side.on('error', () => undefined)
      side.once('close', () => {
        if (!pairs.delete(pair)) return
        client.destroy()
        upstream.destroy()
      })
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const stalled: [Socket, Socket][] = []
  return {
    port: (server.address() as AddressInfo).port,
    stall() {
      for (const [client, upstream] of pairs) {
        client.unpipe(upstream).pause()
        upstream.unpipe(client).pause()
        stalled.push([client, upstream])
      }
      pairs.clear()
    },
    async close() {
      for (const [client, upstream] of [...pairs, ...stalled]) {
        client.destroy()
        upstream.destroy()
      }
      server.close()
    },
  }
}
