import type { IncomingHttpHeaders } from 'node:http'

/** Headers, besides `X-Forwarded-…`, by which a proxy tells that a request is somebody else's. */
const FORWARDING_HEADERS = [
  'forwarded',
  'via',
  'x-real-ip',
  'x-client-ip',
  'x-cluster-client-ip',
  'true-client-ip',
  'cf-connecting-ip',
]

/** Returns whether a host, as `new URL().hostname` writes it, is this machine only (RFC 6761, 6.3). */
export const isLoopbackHost = (host: string): boolean =>
  /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/i.test(host)

/** Returns whether an absolute address leads to this machine only. */
export const isLoopbackUrl = (url: string): boolean => URL.canParse(url) && isLoopbackHost(new URL(url).hostname)

/** Returns whether an address of a connection is this machine's own. */
export const isLoopbackAddress = (address: string): boolean => /^(::ffff:)?127\.|^::1$/.test(address)

/** Returns whether a request was addressed to this machine by a loopback name and came without a proxy. */
export const isDirectToLoopback = (headers: IncomingHttpHeaders): boolean =>
  isLoopbackUrl(`http://${headers.host}`) &&
  !Object.keys(headers).some((name) => name.startsWith('x-forwarded-') || FORWARDING_HEADERS.includes(name))
