import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** `address`, `address:port`, `[address]` or `[address]:port`, with a possible port. */
const FORWARDED = /^(?:\[(?<bracketed>[^\]]+)\]|(?<plain>[^[\]:]+))(?::(?<port>[1-9]\d{0,4}))?$/
const MAX_PORT = 65_535

/** The network that an IPv6 site gets (RFC 6177), and the one that a client gets from its site. */
const SITE_PREFIX = 48
const CLIENT_PREFIX = 64

/**
 * Returns the canonical form of an IP address (RFC 5952), without a zone; IPv4 if it is an IPv4-mapped address.
 * Undefined for any other text.
 */
export function canonicalAddress(text: string): string | undefined {
  const family = isIP(text)
  if (family === 0) return undefined
  return family === 4 ? text : ipaddr.process(text.replace(/%.*/, '')).toString()
}

/** A decimal number without leading zeros, from 0 to 128. */
const PREFIX = /^(?:0|[1-9]\d?|1[01]\d|12[0-8])$/
/** The prefix of the network of all IPv4-mapped addresses, `::ffff:0:0/96`. */
const MAPPED_PREFIX = 96

/**
 * Returns the network that a text names, in CIDR notation: `203.0.113.7` is `203.0.113.7/32`. A network of IPv4-mapped
 * addresses is an IPv4 network. Undefined for any other text.
 */
export function parseNetwork(text: string): string | undefined {
  const [written = '', prefix, ...rest] = text.split('/')
  const address = written.includes('%') ? undefined : canonicalAddress(written)
  if (address === undefined || rest.length > 0 || (prefix !== undefined && !PREFIX.test(prefix))) return undefined
  const isMapped = isIP(address) !== isIP(written)
  const bits = isIP(address) === 4 ? 32 : 128
  const length = prefix === undefined ? bits : Number(prefix) - (isMapped ? MAPPED_PREFIX : 0)
  return length < 0 || length > bits ? undefined : `${address}/${length}`
}

/**
 * Returns the canonical address in an element of `X-Forwarded-For`. Some proxies add a port or brackets. Undefined for
 * anything else, such as a name or an impossible port.
 */
export function forwardedAddress(element: string): string | undefined {
  if (element.includes('%')) return undefined
  const { bracketed, plain, port } = FORWARDED.exec(element)?.groups ?? { plain: element }
  if (port && Number(port) > MAX_PORT) return undefined
  if (bracketed !== undefined) return isIP(bracketed) === 6 ? canonicalAddress(bracketed) : undefined
  return canonicalAddress(plain!)
}

/** Returns the elements of `X-Forwarded-For`. The last one is that of the nearest proxy. */
export const forwardedElements = (header: string): string[] =>
  header.trim() ? header.split(',').map((element) => element.trim()) : []

/**
 * Creates a function that returns the canonical address of the client of a request: the one that the outermost trusted
 * proxy added to `X-Forwarded-For`, or that of the connection if there is none.
 * @param report called once, with the first element that is not an address. Then the client has the address of the
 *   connection.
 */
export function clientAddresses(
  trustedProxies: number,
  report: (element: string) => void,
): (request: IncomingMessage) => string {
  let isReported = false
  return ({ headers, socket }) => {
    const connection = canonicalAddress(socket.remoteAddress ?? '') ?? ''
    if (trustedProxies === 0) return connection
    const [element] = forwardedElements(String(headers['x-forwarded-for'] ?? '')).slice(-trustedProxies)
    if (element === undefined) return connection
    const address = forwardedAddress(element)
    if (address === undefined && !isReported) {
      isReported = true
      report(element)
    }
    return address ?? connection
  }
}

function networkOf(address: string, prefix: number): string {
  const bits = ipaddr.IPv6.parse(address).toByteArray()
  return `${ipaddr.fromByteArray(bits.fill(0, prefix / 8)).toString()}/${prefix}`
}

/** Returns the network whose addresses share a limit: an IPv4 address, or the /64 network of an IPv6 client. */
export function rateLimitNetwork(ipAddress: string): string {
  const address = canonicalAddress(ipAddress) ?? ipAddress
  return isIP(address) === 6 ? networkOf(address, CLIENT_PREFIX) : address
}

/**
 * Returns the /48 network of a network from {@link rateLimitNetwork}, which one site can have, with 65,536 networks in
 * it. Undefined for IPv4 addresses and for keys that are not networks.
 */
export function siteNetwork(network: string): string | undefined {
  const [address = '', prefix] = network.split('/')
  return prefix === String(CLIENT_PREFIX) && isIP(address) === 6 ? networkOf(address, SITE_PREFIX) : undefined
}

/** Returns the network of an address for logs: unlike the address, an IPv4 /24 or IPv6 /48 identifies no person. */
export function loggedNetwork(ipAddress = ''): string {
  const address = canonicalAddress(ipAddress)
  if (!address) return ''
  return isIP(address) === 6 ? networkOf(address, SITE_PREFIX) : `${address.replace(/\.\d+$/, '')}.0/24`
}

/** A site has this multiple of the limit of one network. */
export const SITE_FACTOR = 8

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

/**
 * Returns whether a request comes from a page of this service. `Sec-Fetch-Site` (Fetch Metadata) shows this, or else
 * `Origin` (Fetch, 3.2). If both headers are missing, returns true: then the request comes from a program outside a
 * browser, whose credentials no web page can use.
 * @param hosts the hosts of this service, with their ports
 */
export function isSameOrigin(headers: IncomingHttpHeaders, hosts: readonly string[]): boolean {
  const site = headers['sec-fetch-site']
  if (site) return site === 'same-origin' || site === 'none'
  const { origin } = headers
  if (!origin) return true
  return URL.canParse(origin) && hosts.includes(new URL(origin).host)
}
