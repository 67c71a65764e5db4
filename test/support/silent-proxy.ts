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
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    through(url) {
      const address = new URL(url)
      target = Number(address.port)
      address.port = String((server.address() as AddressInfo).port)
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
    stop() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
