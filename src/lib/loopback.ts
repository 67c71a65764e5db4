import type { IncomingMessage } from 'node:http'

/**
 * Header fields that a proxy or a content delivery network adds to forwarded requests: the address of the client under
 * any of its names, or an ID of the request.
 */
const FORWARDING_HEADER =
  /forwarded|^via$|(^|[-_])(client-?|socket-?|real-?|remote-?|user-?)?(ip(v[46])?|addr|address)$|^(cf-ray|cdn-loop|x-amzn-trace-id|x-amz-cf-id|x-appgw-trace-id|x-arr-log-id|x-arr-ssl|x-azure-ref|x-cloud-trace-context|x-original-host|x-varnish)$|^x-envoy-/

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
  !Object.keys(headers).some((name) => FORWARDING_HEADER.test(name))
