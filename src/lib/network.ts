import { isIPv6 } from 'node:net'

/**
 * Returns the network whose addresses share a limit: an IPv4 address, or the /64 network of an IPv6 site (RFC 6177).
 */
export function rateLimitNetwork(ipAddress: string): string {
  const address = ipAddress.replace(/^::ffff:/, '')
  if (!isIPv6(address)) return address
  const [head = '', tail] = address.split('::') as [string, string?]
  const left = head ? head.split(':') : []
  const right = tail ? tail.split(':') : []
  const groups =
    tail === undefined ? left : [...left, ...Array<string>(8 - left.length - right.length).fill('0'), ...right]
  return `${groups.slice(0, 4).join(':')}::/64`
}
