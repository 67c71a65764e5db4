import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A line to PostgreSQL that can fall silent. */
export interface Proxy {
  port: number
  /**
   * Nothing passes any more on the connections there are, in either direction, and neither side is told: as with a firewall
   * that forgot them. New ones work.
   */
  silence(): void
  close(): Promise<void>
}

export async function startProxy(target: number): Promise<Proxy> {
  const pairs = new Set<[Socket, Socket]>()
  const server = createServer((near) => {
    const far = connect(target, '127.0.0.1')
    const pair: [Socket, Socket] = [near, far]
    pairs.add(pair)
    near.pipe(far)
    far.pipe(near)
    for (const side of pair) {
      side.on('error', () => undefined)
      side.once('close', () => {
        if (!pairs.delete(pair)) return
        near.destroy()
        far.destroy()
      })
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const silent: [Socket, Socket][] = []
  return {
    port: (server.address() as AddressInfo).port,
    silence() {
      for (const [near, far] of pairs) {
        near.unpipe(far).pause()
        far.unpipe(near).pause()
        silent.push([near, far])
      }
      pairs.clear()
    },
    async close() {
      for (const [near, far] of [...pairs, ...silent]) {
        near.destroy()
        far.destroy()
      }
      server.close()
    },
  }
}
