import { BlockList, isIP } from 'node:net'

/**
 * Where nobody outside has business: IPv4 of RFC 6890 and the IANA registry of special-purpose addresses
 * (this network, private, shared, loopback, link-local with the metadata servers, documentation, benchmarks,
 * multicast, reserved).
 */
const internal4 = new BlockList()
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const)
  internal4.addSubnet(network, prefix, 'ipv4')

/** Of IPv6 only global unicast is outside; an address that carries an IPv4 one (mapped, NAT64, 6to4, Teredo) is not. */
const global6 = new BlockList()
global6.addSubnet('2000::', 3, 'ipv6')
const special6 = new BlockList()
for (const [network, prefix] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const)
  special6.addSubnet(network, prefix, 'ipv6')

/** Whether an IP address leads to this machine, its network, or nowhere. A text that is no address is taken for internal. */
export function isInternal(address: string): boolean {
  const family = isIP(address)
  if (family === 4) return internal4.check(address, 'ipv4')
  if (family !== 6 || address.includes('%')) return true
  return !global6.check(address, 'ipv6') || special6.check(address, 'ipv6')
}

/** The IP address that a URL names instead of a host, without brackets. */
export function literalAddress(url: URL): string | undefined {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  return isIP(host) ? host : undefined
}
