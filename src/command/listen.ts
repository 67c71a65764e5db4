import { createServer, type RequestListener } from 'node:http'
import { ConfigError } from '../config.ts'
import { limitBodyTime } from '../lib/body-deadline.ts'
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
}

/**
 * Starts a server.
 * @throws {ConfigError} if the port is in use
 */
export function listen({ port, host, setting }: Listener, answer: RequestListener): Promise<Stopper> {
  const server = createServer({ keepAliveTimeout: 65_000, requestTimeout: MAX_UPLOAD_MS }, (req, res) => {
    limitBodyTime(req, MAX_BODY_MS)
    answer(req, res)
  })
  const stopper = createStopper(server)
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const message = `Port ${port} is already in use. Stop the other program, or set ${setting} to a free port.`
      reject(error.code === 'EADDRINUSE' ? new ConfigError(message) : error)
    })
    server.listen(port, host, () => resolve(stopper))
  })
}
