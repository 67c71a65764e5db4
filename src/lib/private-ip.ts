import ipaddr from 'ipaddr.js'

/** The only IPv6 network whose addresses are assigned to hosts on the public Internet (RFC 4291, section 2.4). */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3')

/**
 * Returns whether an IP address belongs to this machine, a private network or a special purpose: the ranges of RFC 6890 and
 * the IANA special-purpose registries. An IPv6 address that carries an IPv4 address (mapped, NAT64, 6to4, Teredo) is internal.
 * A text that is not an address is internal as well.
 */
export function isInternal(address: string): boolean {
  if (address.includes('%') || !ipaddr.isValid(address)) return true
  const ip = ipaddr.parse(address)
  return ip.range() !== 'unicast' || (ip instanceof ipaddr.IPv6 && !ip.match(GLOBAL_UNICAST))
}

/** Returns the IP address that a URL names instead of a host, without brackets. */
export function literalAddress(url: URL): string | undefined {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  return ipaddr.isValid(host) ? host : undefined
}
