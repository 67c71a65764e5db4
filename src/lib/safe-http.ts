import { type LookupAddress, promises } from 'node:dns'
import type { LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'
import type { Agent, Dispatcher } from 'undici'
import { excerptOf } from './excerpt.ts'

/** A reply of an external server. */
interface HttpResult {
  status: number
  headers: Dispatcher.ResponseData['headers']
  /** The body or its beginning, as requested; empty if none was requested. */
  text: string
}

interface HttpOptions {
  method: 'GET' | 'POST'
  headers?: Record<string, string>
  body?: string
  /** Limit for name resolution, connection and reply together, in milliseconds. */
  timeoutMs: number
  /** Maximum size of the response body in bytes; a longer body is an error. If absent or 0, the body is not read. */
  maxBytes?: number
  /** Instead of `maxBytes`: reads an excerpt of at most this number of characters ({@link excerptOf}). */
  excerptCharacters?: number
}

/** Sends requests to URLs that users enter. */
export interface SafeHttp {
  /** Returns the error of a URL that is not allowed; undefined for an allowed URL. Does not resolve the host. */
  urlError(address: string): string | undefined
  /**
   * Sends one request. Redirects are returned and not followed.
   * @throws {SafeHttpError} if the URL is not allowed, its host is internal, or no valid reply arrives in time
   */
  send(address: string, options: HttpOptions): Promise<HttpResult>
  close(): Promise<void>
}

/** A request without a valid reply. The message is for the user who entered the URL. */
export class SafeHttpError extends Error {
  override name = 'SafeHttpError'
  /** Whether the same request can never succeed: the URL is not allowed, or the reply is too long. */
  readonly isPermanent: boolean

  constructor(message: string, { isPermanent = false, ...options }: ErrorOptions & { isPermanent?: boolean } = {}) {
    super(message, options)
    this.isPermanent = isPermanent
  }
}

const INTERNAL_ADDRESS = 'leads to an internal address'
/** If an unread body is at most this long, it is read and discarded, so that the connection can be reused. */
const MAX_DRAINED_BYTES = 65_536

/**
 * Creates the client for outgoing requests.
 * @param allowPrivate allows internal addresses (development and tests only)
 */
export function createSafeHttp(allowPrivate: boolean): SafeHttp {
  let agent: Agent | undefined
  /** Loads undici with the first request: many installations never send one. */
  async function client(): Promise<{ dispatcher: Agent; request: typeof import('undici').request }> {
    const { Agent, request } = await import('undici')
    agent ??= new Agent({
      connect: { lookup: guardedLookup(allowPrivate) },
      keepAliveTimeout: 4_000,
      maxHeaderSize: 16_384,
    })
    return { dispatcher: agent, request }
  }

  function urlError(address: string): string | undefined {
    if (address.length > 2048) return 'must have at most 2048 characters'
    const url = URL.parse(address)
    if (!url || !/^https?:$/.test(url.protocol)) return 'must be a URL that starts with http:// or https://'
    if (url.username || url.password) return 'must not contain a username or a password'
    if (allowPrivate) return undefined
    const literal = literalAddress(url)
    const local = /(^|\.)(localhost|local|internal|localdomain)\.?$/.test(url.hostname)
    return (literal ? isInternal(literal) : local) ? INTERNAL_ADDRESS : undefined
  }

  async function send(
    address: string,
    { method, headers, body, timeoutMs, maxBytes = 0, excerptCharacters = 0 }: HttpOptions,
  ): Promise<HttpResult> {
    const error = urlError(address)
    if (error) throw new SafeHttpError(error, { isPermanent: true })
    const signal = AbortSignal.timeout(timeoutMs)
    try {
      const { dispatcher, request } = await client()
      const reply = await request(address, {
        dispatcher,
        method,
        signal,
        ...(headers && { headers }),
        ...(body !== undefined && { body }),
      })
      const { statusCode: status } = reply
      if (maxBytes) return { status, headers: reply.headers, text: await textOf(reply.body, maxBytes) }
      if (excerptCharacters)
        return { status, headers: reply.headers, text: await excerptOf(reply.body, excerptCharacters) }
      reply.body.dump({ limit: MAX_DRAINED_BYTES }).catch(() => undefined)
      return { status, headers: reply.headers, text: '' }
    } catch (error) {
      if (error instanceof SafeHttpError) throw error
      throw new SafeHttpError(signal.aborted ? `no reply within ${timeoutMs / 1000} seconds` : reasonOf(error), {
        cause: error,
      })
    }
  }

  return { urlError, send, close: async () => agent?.destroy() }
}

/**
 * Returns the name resolver of the agent. It rejects internal addresses, so the agent connects only to checked
 * addresses.
 */
const guardedLookup =
  (allowPrivate: boolean): LookupFunction =>
  (host, { all }, done) => {
    resolveHost(host).then(
      (addresses) => {
        if (!allowPrivate && addresses.some(({ address }) => isInternal(address)))
          done(new SafeHttpError(INTERNAL_ADDRESS, { isPermanent: true }), '', 0)
        else if (all) done(null, addresses)
        else done(null, addresses[0]!.address, addresses[0]!.family)
      },
      (error: NodeJS.ErrnoException) => done(error, '', 0),
    )
  }

async function textOf(body: Dispatcher.ResponseData['body'], maxBytes: number): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxBytes) throw new SafeHttpError(`the reply is longer than ${maxBytes} bytes`, { isPermanent: true })
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

/** Milliseconds per query and name server. A query without a reply is sent a second time. */
const RESOLVER_OPTIONS = { timeout: 1500, tries: 2 }
/**
 * Errors for a name that does not exist or has no address of this family. In these cases, the hosts file is read next.
 */
const NO_ADDRESS_CODES = new Set(['ENOTFOUND', 'ENODATA'])

/**
 * Returns all addresses of a host. Queries bypass the thread pool of the process, so that an unresponsive name server
 * does not delay other work. The hosts file is read only for names that the name servers cannot resolve.
 * @throws the error of the system if there is no address
 */
async function resolveHost(host: string): Promise<LookupAddress[]> {
  if (host === 'localhost' || host.endsWith('.localhost')) return promises.lookup(host, { all: true })
  const resolver = new promises.Resolver(RESOLVER_OPTIONS)
  const results = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
  const addresses = results.flatMap((result, index) =>
    result.status === 'fulfilled' ? result.value.map((address) => ({ address, family: index ? 6 : 4 })) : [],
  )
  if (addresses.length) return addresses
  const failed = results.find((result) => result.status === 'rejected' && !NO_ADDRESS_CODES.has(result.reason.code))
  if (failed?.status === 'rejected') throw failed.reason
  return promises.lookup(host, { all: true })
}

/** The only IPv6 network whose addresses are assigned to hosts on the public Internet (RFC 4291, section 2.4). */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3')

/** The public address at which a cloud (Azure) offers an internal service to its machines. */
const CLOUD_SERVICE = '168.63.129.16'

/**
 * Returns whether an IP address belongs to this machine, to a private network, to a cloud or to a range with a special purpose: the
 * ranges of RFC 6890 and the IANA special-purpose registries. An IPv6 address that contains an IPv4 address (mapped,
 * NAT64, 6to4, Teredo) is treated as internal, and so is a text that is not an address.
 */
export function isInternal(address: string): boolean {
  if (address.includes('%') || !ipaddr.isValid(address)) return true
  const ip = ipaddr.parse(address)
  return (
    ip.toString() === CLOUD_SERVICE ||
    ip.range() !== 'unicast' ||
    (ip instanceof ipaddr.IPv6 && !ip.match(GLOBAL_UNICAST))
  )
}

/** Returns the IP address in a URL without brackets; undefined for a host name. */
function literalAddress(url: URL): string | undefined {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  return ipaddr.isValid(host) ? host : undefined
}
