import { type LookupAddress, promises } from 'node:dns'

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
export async function resolveHost(host: string): Promise<LookupAddress[]> {
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
