import { createServer, type RequestListener } from 'node:http'
import { ConfigError } from '../config.ts'
import { limitBodyTime } from '../lib/body-deadline.ts'
import { limitConnections } from '../lib/connection-limit.ts'
import type { Log } from '../lib/log.ts'
import { limitStalledWrites } from '../lib/write-deadline.ts'
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
