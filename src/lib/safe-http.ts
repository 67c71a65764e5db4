import type { LookupFunction } from 'node:net'
import { Agent, type Dispatcher, request } from 'undici'
import { resolveHost } from './dns.ts'
import { excerptOf } from './excerpt.ts'
import { isInternal, literalAddress } from './private-ip.ts'

/** A reply of an external server. */
export interface HttpResult {
  status: number
  headers: Dispatcher.ResponseData['headers']
  /** The body, up to the requested size, or its beginning; empty when none was requested. */
  text: string
}

export interface Sending {
  method: 'GET' | 'POST'
  headers?: Record<string, string>
  body?: string
  /** Limit for name resolution, connection and reply together, in milliseconds. */
  timeout: number
  /** Maximum size of the reply's body in bytes; a longer one is an error. Absent or 0: the body is not read. */
  most?: number
  /** Characters of the beginning of the body to read instead, as far as they arrive in time. Never an error. */
  excerpt?: number
}

/** Sends requests to servers that users name. */
export interface SafeHttp {
  /** Returns why a URL is not allowed, judged by its text; undefined where a request may be tried. */
  refusal(address: string): string | undefined
  /**
   * Sends one request. A redirect is returned as it is and never followed.
   * @throws {SafeHttpError} when no reply arrives in time, or the host is internal
   */
  send(address: string, sending: Sending): Promise<HttpResult>
  close(): Promise<void>
}

/** A request without a reply; the message says why, for the user who named the URL. */
export class SafeHttpError extends Error {
  override name = 'OutgoingError'
}

const INTERNAL_ADDRESS = 'leads to an internal address'
/** An unread body up to this size is drained, so that the connection can be reused. */
const MAX_DRAINED_BYTES = 65_536

/**
 * Creates the client for outgoing requests.
 * @param allowPrivate allows internal addresses (development and tests only)
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

/** Resolves names for the agent and returns only public addresses: the address that is checked is the one that is dialled. */
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
  ECONNRESET: 'the connection was closed',
  UND_ERR_SOCKET: 'the connection was closed',
  ENOTFOUND: 'the host name is unknown',
  ETIMEOUT: 'the host name was not resolved in time',
  UND_ERR_CONNECT_TIMEOUT: 'the connection timed out',
  ETIMEDOUT: 'the connection timed out',
}

function reasonOf(error: unknown): string {
  const { code, message, errors } = error as NodeJS.ErrnoException & { errors?: unknown[] }
  if (error instanceof SafeHttpError) return message
  if (code && PHRASES[code]) return PHRASES[code]
  if (errors?.length) return reasonOf(errors[0])
  return code ? `${message} (${code})` : message
}
