import { once } from 'node:events'
import { existsSync, unlinkSync } from 'node:fs'
import { connect } from 'node:net'
import type { SMTPServer, SMTPServerDataStream } from 'smtp-server'
import type { PublicContext } from '../domain/context.ts'
import { recordReturnedMail } from '../domain/email/bounce.ts'
import { readStart } from '../lib/bounce-message.ts'
import type { Log } from '../lib/log.ts'

/** Where mail to `BOUNCE_ADDRESS` arrives by LMTP (`BOUNCE_LMTP`). */
export type ListenAddress = { path: string } | { port: number; host: string }

export interface BounceListener {
  stop(): Promise<void>
}

const MAX_CONNECTIONS = 20
const MAX_RECIPIENTS = 20
const SOCKET_TIMEOUT_MS = 60_000
/** Time that open connections have to finish when the worker stops. */
const CLOSE_TIMEOUT_MS = 5_000
/** Interval of attempts to listen if another process uses the address. */
const RETRY_MS = 30_000

/**
 * Takes mail to `BOUNCE_ADDRESS` by LMTP. A message that cannot be recorded at the moment is refused for now, so that the
 * mail server sends it again. If the address cannot be used, logs it, and tries again: on a machine with several workers,
 * another one takes over.
 * @param retryMs the interval of the attempts, for tests
 */
export function listenForBounces(
  address: ListenAddress,
  context: () => PublicContext,
  log: Log,
  retryMs = RETRY_MS,
): BounceListener {
  let server: SMTPServer | undefined
  let timer: NodeJS.Timeout | undefined
  let isStopped = false
  let lastReason: string | undefined
  const listen = async () => {
    const candidate = await createServer(context, log)
    try {
      if ('path' in address) await removeStale(address.path)
      const listening = candidate.listen({ ...address, exclusive: true, writableAll: true })
      await once(listening, 'listening')
      server = candidate
      log.info({ address }, 'taking bounces by LMTP')
    } catch (error) {
      const reason = (error as Error).message
      if (reason !== lastReason) log.warn({ reason, address }, 'cannot take bounces by LMTP')
      lastReason = reason
      if (isStopped) return
      timer = setTimeout(() => {
        current = listen()
      }, retryMs)
    }
  }
  let current = listen()
  return {
    async stop() {
      isStopped = true
      clearTimeout(timer)
      await current
      if (server) await close(server)
    },
  }
}

const close = (server: SMTPServer) => new Promise<void>((resolve) => server.close(resolve))

/** Removes the socket of a process that was killed. */
async function removeStale(path: string): Promise<void> {
  if (!existsSync(path)) return
  const socket = connect(path)
  const isUsed = await new Promise<boolean>((resolve) => {
    socket
      .once('connect', () => resolve(true))
      .once('error', ({ code }: NodeJS.ErrnoException) => resolve(code !== 'ECONNREFUSED'))
  })
  socket.destroy()
  if (!isUsed) unlinkSync(path)
}

async function createServer(context: () => PublicContext, log: Log): Promise<SMTPServer> {
  // Loaded only if there is a listener.
  const smtp = await import('smtp-server')
  const server = new smtp.SMTPServer({
    lmtp: true,
    name: 'canvass',
    banner: 'Canvass',
    logger: false,
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    maxClients: MAX_CONNECTIONS,
    socketTimeout: SOCKET_TIMEOUT_MS,
    closeTimeout: CLOSE_TIMEOUT_MS,
    onRcptTo: (_, { envelope }, done) =>
      done(envelope.rcptTo.length < MAX_RECIPIENTS ? null : refusal(452, 'Too many recipients')),
    onData: (stream, { envelope }, done) => {
      const recipients = envelope.rcptTo.map((recipient) => recipient.address)
      void take(stream, recipients, context, log).then((answer) =>
        answer instanceof Error ? done(answer) : done(null, answer),
      )
    },
  })
  // A client that disconnects is no fault of this service.
  server.on('error', ({ message }) => log.debug({ reason: message }, 'a connection for bounces failed'))
  return server
}

const refusal = (responseCode: number, text: string): Error => Object.assign(new Error(text), { responseCode })

/** Reads a message whose sender may send it again, and records it. @returns the reply, or the error for now */
async function take(
  stream: SMTPServerDataStream,
  recipients: readonly string[],
  context: () => PublicContext,
  log: Log,
): Promise<string | Error> {
  try {
    const result = await recordReturnedMail(context(), await readStart(stream), recipients)
    log.info({ result }, 'read mail to the bounce address')
    return result === 'early' ? refusal(451, '4.3.0 Try again later') : `Message ${result}`
  } catch (error) {
    log.warn({ err: error }, 'could not record mail to the bounce address')
    return refusal(451, '4.3.0 Try again later')
  }
}
