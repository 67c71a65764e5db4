import type { LookupFunction } from 'node:net'
import { Agent, type Dispatcher, request } from 'undici'
import { resolveHost } from './dns.ts'
import { excerptOf } from './excerpt.ts'
import { isInternal, literalAddress } from './private-ip.ts'

/** An answer of somebody else's server. */
export interface HttpResult {
  status: number
  headers: Dispatcher.ResponseData['headers']
  /** The body, up to `most` bytes, or its beginning; empty when none was asked for. */
  text: string
}

export interface Sending {
  method: 'GET' | 'POST'
  headers?: Record<string, string>
  body?: string
  /** Milliseconds for all of it: name, connection, answer. */
  timeout: number
  /** Bytes of the answer's body to read; a longer one is an error. Absent or 0: the body is not waited for. */
  most?: number
  /** Characters of the beginning of the body to read instead, as far as they come soon. It never makes an error. */
  excerpt?: number
}

/** Requests to servers that our users name. */
export interface SafeHttp {
  /** Why an address cannot be sent to, as far as its text tells; undefined: it can be tried. */
  refusal(address: string): string | undefined
  /**
   * Sends one request. A redirect is an answer like any other: it is never followed.
   * @throws {SafeHttpError} when nothing was answered in time, or the address leads inside
   */
  send(address: string, sending: Sending): Promise<HttpResult>
  close(): Promise<void>
}

/** Nothing was answered; the message says why, for the eyes of whoever named the address. */
export class SafeHttpError extends Error {
  override name = 'OutgoingError'
}

const INTERNAL_ADDRESS = 'leads to an internal address'
/** Bytes of an unread body that are taken in, so that the connection can be used again. */
const MAX_DRAINED_BYTES = 65_536

/**
 * @param allowPrivate lets requests lead to this machine and its network (development and tests only)
 */
export function createSafeHttp(allowPrivate: boolean): SafeHttp {
  const agent = new Agent({
    connect: { lookup: guarded(allowPrivate) },
    keepAliveTimeout: 4_000,
    maxHeaderSize: 16_384,
  })

  function refusal(address: string): string | undefined {
    if (address.length > 2048) return 'must have at most 2048 characters'
    const url = URL.parse(address)
    if (!url || !/^https?:$/.test(url.protocol)) return 'must be an address that begins with http:// or https://'
    if (url.username || url.password) return 'must not contain a user name or a password'
    if (allowPrivate) return undefined
    const literal = literalAddress(url)
    const local = /(^|\.)(localhost|local|internal|localdomain)\.?$/.test(url.hostname)
    return (literal ? isInternal(literal) : local) ? INTERNAL_ADDRESS : undefined
  }

  async function send(
    address: string,
    { method, headers, body, timeout, most = 0, excerpt = 0 }: Sending,
  ): Promise<HttpResult> {
    const refused = refusal(address)
    if (refused) throw new SafeHttpError(refused)
    const signal = AbortSignal.timeout(timeout)
    try {
      const answer = await request(address, {
        dispatcher: agent,
        method,
        signal,
        ...(headers && { headers }),
        ...(body !== undefined && { body }),
      })
      const { statusCode: status } = answer
      if (most) return { status, headers: answer.headers, text: await textOf(answer.body, most) }
      if (excerpt) return { status, headers: answer.headers, text: await excerptOf(answer.body, excerpt) }
      answer.body.dump({ limit: MAX_DRAINED_BYTES }).catch(() => undefined)
      return { status, headers: answer.headers, text: '' }
    } catch (error) {
      throw new SafeHttpError(signal.aborted ? `no answer within ${timeout / 1000} seconds` : reasonOf(error), {
        cause: error,
      })
    }
  }

  return { refusal, send, close: () => agent.destroy() }
}

/** Resolves names for the agent, and lets it dial only addresses outside: what is checked is what is dialled. */
const guarded =
  (allowPrivate: boolean): LookupFunction =>
  (host, { all }, done) => {
    resolveHost(host).then(
      (found) => {
        if (!allowPrivate && found.some(({ address }) => isInternal(address)))
          done(new SafeHttpError(INTERNAL_ADDRESS), '', 0)
        else if (all) done(null, found)
        else done(null, found[0]!.address, found[0]!.family)
      },
      (error: NodeJS.ErrnoException) => done(error, '', 0),
    )
  }

async function textOf(body: Dispatcher.ResponseData['body'], most: number): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > most) throw new SafeHttpError(`the answer is longer than ${most} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

const PHRASES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was broken off',
  UND_ERR_SOCKET: 'the connection was broken off',
  ENOTFOUND: 'the host name is unknown',
  ETIMEOUT: 'the host name was not resolved in time',
  UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
  ETIMEDOUT: 'no connection in time',
}

function reasonOf(error: unknown): string {
  const { code, message, errors } = error as NodeJS.ErrnoException & { errors?: unknown[] }
  if (error instanceof SafeHttpError) return message
  if (code && PHRASES[code]) return PHRASES[code]
  if (errors?.length) return reasonOf(errors[0])
  return code ? `${message} (${code})` : message
}
