import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A TCP proxy to PostgreSQL that can drop the data of its connections. */
export interface FlakyProxy {
  port: number
  /**
   * Drops all further data of the current connections without closing these connections, as a firewall does after it
   * has lost their state. New connections work.
   */
  stall(): void
  /** Resets all connections. New connections work. */
  reset(): void
  /**
   * Delays all data of current and new connections. This has the same effect as a network that drops all packets.
   * @returns a function that restores the network; the delayed data then arrives, as if TCP had sent it again
   */
  cut(): () => void
  close(): Promise<void>
}

/** Starts a proxy to a port of 127.0.0.1. */
export async function startProxy(target: number): Promise<FlakyProxy> {
  const pairs = new Set<[Socket, Socket]>()
  let isCut = false
  const join = ([client, upstream]: [Socket, Socket]) => {
    client.pipe(upstream)
    upstream.pipe(client)
  }
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1')
    const pair: [Socket, Socket] = [client, upstream]
    pairs.add(pair)
    if (isCut) for (const side of pair) side.pause()
    else join(pair)
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
    reset() {
      for (const pair of pairs) for (const side of pair) side.resetAndDestroy()
    },
    cut() {
      isCut = true
      for (const [client, upstream] of pairs) {
        client.unpipe(upstream).pause()
        upstream.unpipe(client).pause()
      }
      return () => {
        isCut = false
        for (const pair of pairs) join(pair)
      }
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
