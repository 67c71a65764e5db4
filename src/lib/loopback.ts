import type { IncomingMessage } from 'node:http'

/** Headers, in addition to `X-Forwarded-…`, that a proxy adds to forwarded requests. */
const FORWARDING_HEADERS = [
  'forwarded',
  'via',
  'x-real-ip',
  'x-client-ip',
  'x-cluster-client-ip',
  'true-client-ip',
  'cf-connecting-ip',
]

/** Returns whether a host, in the form of `URL.hostname`, is a loopback host (RFC 6761, 6.3). */
export const isLoopbackHost = (host: string): boolean =>
  /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/i.test(host)

/** Returns whether the host of a URL is a loopback host. */
export const isLoopbackUrl = (url: string): boolean => URL.canParse(url) && isLoopbackHost(new URL(url).hostname)

/** Returns whether the IP address of a connection is a loopback address. */
export const isLoopbackAddress = (address: string): boolean => /^(::ffff:)?127\.|^::1$/.test(address)

/** Returns whether a request comes from this machine, has a loopback host, and did not pass a proxy. */
export const isFromThisMachine = ({ headers, socket }: IncomingMessage): boolean =>
  isLoopbackAddress(socket.remoteAddress ?? '') &&
  isLoopbackUrl(`http://${headers.host}`) &&
  !Object.keys(headers).some((name) => name.startsWith('x-forwarded-') || FORWARDING_HEADERS.includes(name))
