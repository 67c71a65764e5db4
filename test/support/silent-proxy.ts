import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/**
 * A TCP proxy in front of a database. The proxy can stop forwarding data without closing connections, as a network can.
 */
export interface SilentProxy {
  /** Returns the URL of the database through this proxy. */
  through(url: string): string
  /** Holds back all data in both directions, also of new connections, until {@link resume}. */
  pause(): void
  /** Delivers the data that was held back, and forwards all later data. */
  resume(): void
  /** Stops forwarding data on the existing connections, but not on new connections. */
  loseConnections(): void
  /** Ends all connections and refuses new ones, like a stopped PostgreSQL. */
  refuse(): Promise<void>
  /** Accepts connections again. */
  accept(): Promise<void>
  stop(): void
}

/** Starts a proxy on a free port. `through` sets its target. */
export async function startSilentProxy(): Promise<SilentProxy> {
  const sockets = new Set<Socket>()
  const lost = new Set<Socket>()
  let queue: (() => void)[] | undefined
  let target = 0
  const server = createServer((inner) => {
    const outer = connect(target, '127.0.0.1')
    for (const [from, to] of [
      [inner, outer],
      [outer, inner],
    ] as const) {
      sockets.add(from)
      const deliver = (work: () => void) => {
        if (lost.has(from)) return
        if (queue) queue.push(work)
        else work()
      }
      from.on('data', (bytes) => deliver(() => to.write(bytes)))
      from.on('close', () => {
        sockets.delete(from)
        deliver(() => to.destroy())
      })
      from.on('error', () => undefined)
    }
  })
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  await listen(0)
  const { port } = server.address() as AddressInfo
  return {
    through(url) {
      const address = new URL(url)
      target = Number(address.port)
      address.port = String(port)
      return address.href
    },
    pause() {
      queue ??= []
    },
    resume() {
      const deliveries = queue ?? []
      queue = undefined
      for (const deliver of deliveries) deliver()
    },
    loseConnections() {
      for (const socket of sockets) lost.add(socket)
    },
    refuse() {
      for (const socket of sockets) socket.destroy()
      return new Promise((resolve) => server.close(() => resolve()))
    },
    accept: () => listen(port),
    stop() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
