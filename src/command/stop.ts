import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import { setImmediate as acceptWaiting, setTimeout as pause } from 'node:timers/promises'

/** How long requests in flight may take to finish once the listener is closed, in milliseconds. */
const GRACE_MS = 20_000
/**
 * How long a kept connection may be silent before it is closed while the server stops, in milliseconds. A client under load
 * sends its next request within this time, and is told to close; closed at once, that request would be cut on its way.
 */
const IDLE_MS = 1_000
const POLL_MS = 20

interface Connection {
  /** Replies that are not finished. */
  replies: Set<ServerResponse>
  /** Bytes that had come when the last reply was finished: more means that a request is on its way. */
  bytesRead: number
  idleSince: number
}

/** Stops one server without cutting a request. */
export interface Stopper {
  /**
   * From now on every reply says `Connection: close`. After the delay no new connection is taken; the promise resolves when
   * requests in flight are answered and idle connections are closed. What is not done after the grace is cut.
   */
  stop(delayMs: number): Promise<void>
}

/** Follows the connections of a server. Call it before the server listens. */
export function createStopper(server: Server): Stopper {
  const connections = new Map<Socket, Connection>()
  let stopping = false

  server.on('connection', (socket: Socket) => {
    connections.set(socket, { replies: new Set(), bytesRead: 0, idleSince: performance.now() })
    socket.once('close', () => connections.delete(socket))
  })
  // Before the application, which may answer at once.
  server.prependListener('request', ({ socket }: IncomingMessage, reply: ServerResponse) => {
    const connection = connections.get(socket)
    if (!connection) return
    if (stopping) closeAfter(reply)
    connection.replies.add(reply)
    reply.once('close', () => {
      connection.replies.delete(reply)
      connection.bytesRead = socket.bytesRead
      connection.idleSince = performance.now()
    })
  })

  function closeIdle(idleMs: number): void {
    const before = performance.now() - idleMs
    for (const [socket, { replies, bytesRead, idleSince }] of connections)
      if (replies.size === 0 && socket.bytesRead === bytesRead && idleSince <= before) socket.destroy()
  }

  return {
    async stop(delayMs) {
      stopping = true
      const signalled = performance.now()
      for (const connection of connections.values()) {
        connection.idleSince = Math.max(connection.idleSince, signalled)
        for (const reply of connection.replies) closeAfter(reply)
      }
      await pause(delayMs)
      // Right after connections that wait were accepted: those that the listener leaves behind are reset.
      await acceptWaiting()
      // The HTTP server's own close() cuts idle connections at once.
      NetServer.prototype.close.call(server)
      for (const deadline = performance.now() + GRACE_MS; connections.size > 0; await pause(POLL_MS)) {
        if (performance.now() > deadline) return server.closeAllConnections()
        closeIdle(IDLE_MS)
      }
    },
  }
}

function closeAfter(reply: ServerResponse): void {
  if (!reply.headersSent) reply.setHeader('Connection', 'close')
}
