import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

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

/** Time after which a connection is closed if its client reads nothing of a reply, in milliseconds. */
const MAX_STALL_MS = 30_000
/** The same for the reply to an export: a program can pause while it processes rows. */
export const MAX_EXPORT_STALL_MS = 300_000

/** Number of checks in the maximum stall. */
const CHECKS = 10

const exports = new WeakSet<ServerResponse>()

/** Allows the client of a reply to pause for {@link MAX_EXPORT_STALL_MS}. */
export const allowPauses = (reply: ServerResponse): void => {
  exports.add(reply)
}

/** A private member of Node.js: the number of bytes that the operating system has not accepted. */
interface Internals {
  _handle?: { writeQueueSize?: number } | null
}

interface Writes {
  reply: ServerResponse | undefined
  /** Changes when the operating system accepts bytes. */
  progress: string
  at: number
}

const progressOf = (socket: Socket): string =>
  `${socket.bytesWritten - socket.writableLength} ${(socket as Internals)._handle?.writeQueueSize ?? 0}`

/**
 * Resets connections to which bytes wait to be sent and cannot be sent, because the client does not read. A reset frees
 * the bytes that the operating system holds, and no proxy mistakes the part that was sent for the whole. Call it before
 * the server listens.
 */
export function limitStalledWrites(server: Server, maxStallMs = MAX_STALL_MS, maxExportStallMs = MAX_EXPORT_STALL_MS) {
  const open = new Map<Socket, Writes>()
  server.on('connection', (socket: Socket) => {
    open.set(socket, { reply: undefined, progress: '', at: 0 })
    socket.once('close', () => open.delete(socket))
  })
  server.prependListener('request', ({ socket }: IncomingMessage, reply: ServerResponse) => {
    const writes = open.get(socket)
    if (writes) writes.reply = reply
  })
  const timer = setInterval(() => {
    const now = performance.now()
    for (const [socket, writes] of open) {
      const progress = progressOf(socket)
      if (socket.writableLength === 0 || progress !== writes.progress) Object.assign(writes, { progress, at: now })
      else if (now - writes.at >= (writes.reply && exports.has(writes.reply) ? maxExportStallMs : maxStallMs))
        socket.resetAndDestroy()
    }
  }, maxStallMs / CHECKS).unref()
  server.once('close', () => clearInterval(timer))
}
