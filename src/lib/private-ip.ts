import ipaddr from 'ipaddr.js'

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
export function literalAddress(url: URL): string | undefined {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  return ipaddr.isValid(host) ? host : undefined
}
