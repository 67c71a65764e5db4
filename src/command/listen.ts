import { createServer, type RequestListener, type Server } from 'node:http'
import type { Socket } from 'node:net'
import { ConfigError } from '../config.ts'
import { limitBodyTime, limitStalledWrites } from '../lib/deadlines.ts'
import type { Log } from '../lib/log.ts'
import { canonicalAddress, rateLimitNetwork, SITE_FACTOR, siteNetwork } from '../lib/network.ts'
import { createStopper, type Stopper } from './stop.ts'

/** Maximum time in which the body of a request arrives, in milliseconds. */
const MAX_BODY_MS = 120_000
/** Maximum time of a request with files, in milliseconds. */
const MAX_UPLOAD_MS = 3_600_000

export interface Listener {
  port: number
  host: string
  /** The setting of the port, for the error message. */
  setting: string
  /** Maximum number of connections of a network; absent or 0: unlimited. */
  connectionsPerNetwork?: number
  log: Log
  /** Time after which a connection is closed if its client does not read; absent: the standard times. */
  maxStallMs?: number
  maxExportStallMs?: number
}

/**
 * Starts a server.
 * @throws {ConfigError} if the port is in use
 */
export function listen(listener: Listener, answer: RequestListener): Promise<Stopper> {
  const { port, host, setting, connectionsPerNetwork, log } = listener
  const server = createServer({ keepAliveTimeout: 65_000, requestTimeout: MAX_UPLOAD_MS }, (req, res) => {
    limitBodyTime(req, MAX_BODY_MS)
    answer(req, res)
  })
  const stopper = createStopper(server)
  limitStalledWrites(server, listener.maxStallMs, listener.maxExportStallMs)
  if (connectionsPerNetwork)
    limitConnections(server, connectionsPerNetwork, (network) =>
      log.warn({ network }, 'closed a connection of a network with CONNECTIONS_PER_NETWORK connections'),
    )
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const message = `Port ${port} is already in use. Stop the other program, or set ${setting} to a free port.`
      reject(error.code === 'EADDRINUSE' ? new ConfigError(message) : error)
    })
    server.listen(port, host, () => resolve(stopper))
  })
}

/**
 * Closes connections of a network beyond a limit. Call it before the server listens.
 * @param max number of connections of a network
 * @param report called at the first connection that is closed
 */
function limitConnections(server: Server, max: number, report: (network: string) => void): void {
  const counts = new Map<string, number>()
  let isReported = false
  const add = (key: string, change: number): void => {
    const count = (counts.get(key) ?? 0) + change
    if (count > 0) counts.set(key, count)
    else counts.delete(key)
  }
  server.prependListener('connection', (socket: Socket) => {
    const address = canonicalAddress(socket.remoteAddress ?? '')
    if (!address) return
    const network = rateLimitNetwork(address)
    const site = siteNetwork(network)
    const isFull = (counts.get(network) ?? 0) >= max || (site && (counts.get(site) ?? 0) >= max * SITE_FACTOR)
    if (isFull) {
      if (!isReported) report(network)
      isReported = true
      socket.destroy()
      return
    }
    const keys = site ? [network, site] : [network]
    for (const key of keys) add(key, 1)
    socket.once('close', () => {
      for (const key of keys) add(key, -1)
    })
  })
}
