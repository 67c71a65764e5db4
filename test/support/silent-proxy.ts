import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A TCP proxy in front of a database that can fall silent, as a network does: nothing is closed, nothing arrives. */
export interface FlakyProxy {
  /** The address of the database with this proxy in between. */
  through(url: string): string
  /** Holds every byte in both directions, of new connections too, until {@link release}. */
  hold(): void
  /** Delivers what was held, and everything from now on. */
  release(): void
  /** Delivers nothing any more of the connections there are; new ones work. */
  loseConnections(): void
  stop(): void
}

/** Starts a proxy on a free port; where it leads is learned from the first address. */
export async function startFlakyProxy(): Promise<FlakyProxy> {
  const sockets = new Set<Socket>()
  const lost = new Set<Socket>()
  let held: (() => void)[] | undefined
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
        if (held) held.push(work)
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
    hold() {
      held ??= []
    },
    release() {
      const work = held ?? []
      held = undefined
      for (const each of work) each()
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
