import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'

/** Maximum duration of requests in flight after the listener has closed, in milliseconds. */
const GRACE_MS = 20_000
/**
 * Idle time after which a keep-alive connection is closed during a stop, in milliseconds. A client under load sends its
 * next request within this time and receives `Connection: close`; closing immediately would cut off that request.
 */
const IDLE_MS = 1_000
const POLL_MS = 20
/** Maximum time in which connections of the backlog are accepted before the listener closes, in milliseconds. */
const BACKLOG_MS = 2_000

interface Connection {
  /** Replies in progress. */
  replies: Set<ServerResponse>
  /**
   * Bytes that the socket had received when the last reply finished. If it has received more since, a request is
   * arriving.
   */
  bytesRead: number
  idleSince: number
}

/** Stops an HTTP server without cutting off requests. */
export interface Stopper {
  /**
   * Adds `Connection: close` to every reply and closes the listener after the delay. Resolves when the requests in
   * flight are answered and the idle connections closed; aborts the remaining requests after the grace period.
   */
  stop(delayMs: number): Promise<void>
}

/** Tracks the connections of a server. Call it before the server listens. */
export function createStopper(server: Server): Stopper {
  const connections = new Map<Socket, Connection>()
  let stopping = false
  let accepted = 0

  /**
   * Resets the connections whose replies are not complete. An orderly end would be the end of the body for a client or
   * proxy that speaks HTTP/1.0.
   */
  function resetUnfinished(): void {
    for (const [socket, { replies }] of connections) if (replies.size > 0) socket.resetAndDestroy()
  }
  // Also if the process fails, or exits because stopping takes too long.
  process.once('exit', resetUnfinished)
  server.once('close', () => process.off('exit', resetUnfinished))

  server.on('connection', (socket: Socket) => {
    accepted += 1
    connections.set(socket, { replies: new Set(), bytesRead: 0, idleSince: performance.now() })
    socket.once('close', () => connections.delete(socket))
  })
  // Added before the listener of the application, because the application may reply synchronously.
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

  /**
   * Accepts the connections in the backlog: closing the listener would reset them. Each turn of the event loop accepts
   * one connection.
   */
  async function acceptBacklog(): Promise<void> {
    const deadline = performance.now() + BACKLOG_MS
    for (let before = -1; accepted > before && performance.now() < deadline; await nextTurn()) before = accepted
  }

  return {
    async stop(delayMs) {
      stopping = true
      const startedAt = performance.now()
      for (const connection of connections.values()) {
        connection.idleSince = Math.max(connection.idleSince, startedAt)
        for (const reply of connection.replies) closeAfter(reply)
      }
      await pause(delayMs)
      await acceptBacklog()
      // close() of the HTTP server would close idle connections immediately.
      NetServer.prototype.close.call(server)
      for (const deadline = performance.now() + GRACE_MS; connections.size > 0; await pause(POLL_MS)) {
        if (performance.now() > deadline) {
          resetUnfinished()
          return server.closeAllConnections()
        }
        closeIdle(IDLE_MS)
      }
    },
  }
}

function closeAfter(reply: ServerResponse): void {
  if (!reply.headersSent) reply.setHeader('Connection', 'close')
}

/**
 * Informs a child process that a new process has replaced it. The child process finishes its requests in progress and
 * exits.
 */
export const REPLACED = 'replaced'

/**
 * Maximum duration of a stop in milliseconds: the grace periods of requests and jobs, and the time for closing
 * connections.
 */
const STOP_LIMIT_MS = 45_000
/** Maximum duration of closing connections, for example to an unreachable database, in milliseconds. */
const CLOSE_LIMIT_MS = 5_000

/**
 * Exits with 1 if stopping takes too long, for example because the database does not respond.
 * @param delayMs additional time in milliseconds
 */
export function limitStop(delayMs = 0): void {
  const limit = STOP_LIMIT_MS + delayMs
  setTimeout(() => {
    console.error(
      `Stopping took longer than ${limit / 1000} seconds. Open requests and jobs were aborted; jobs are retried at the next start.`,
    )
    process.exit(1)
  }, limit)
}

/** The reason why a process stops: a signal, or a new process that the parent process has started to replace it. */
export type StopReason = 'SIGINT' | 'SIGTERM' | typeof REPLACED

/**
 * Resolves with the first reason to stop. Call it at the start of the program, so that a signal during the start is not
 * lost.
 */
export const firstSignal = () =>
  new Promise<StopReason>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => resolve(signal))
    process.on('message', (message) => message === REPLACED && resolve(REPLACED))
  })

/** Waits until everything is closed, but at most {@link CLOSE_LIMIT_MS}: the exit of the process closes the rest. */
export async function closeInTime(closing: Promise<void>): Promise<void> {
  let limit: NodeJS.Timeout | undefined
  const timeout = new Promise<void>((resolve) => {
    limit = setTimeout(resolve, CLOSE_LIMIT_MS)
  })
  await Promise.race([closing, timeout]).finally(() => clearTimeout(limit))
}
