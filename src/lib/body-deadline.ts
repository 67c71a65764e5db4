import type { IncomingMessage } from 'node:http'

const deadlines = new WeakMap<IncomingMessage, NodeJS.Timeout>()

/** Closes the connection of a request whose body has not arrived in time. */
export function limitBodyTime(req: IncomingMessage, maxMs: number): void {
  if (req.headers['content-length'] === undefined && req.headers['transfer-encoding'] === undefined) return
  const deadline = setTimeout(() => {
    if (!req.complete) req.socket.destroy()
  }, maxMs).unref()
  deadlines.set(req, deadline)
  req.once('close', () => clearTimeout(deadline))
}

/**
 * Receives a body that can take longer than {@link limitBodyTime} allows, as long as its bytes keep arriving.
 * @param maxIdleMs maximum time without a byte
 */
export async function receiveSlowly<Result>(
  req: IncomingMessage,
  maxIdleMs: number,
  receive: () => Promise<Result>,
): Promise<Result> {
  clearTimeout(deadlines.get(req))
  req.setTimeout(maxIdleMs, () => req.destroy())
  const result = await receive()
  req.setTimeout(0)
  return result
}
