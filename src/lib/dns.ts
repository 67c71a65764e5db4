import { type LookupAddress, promises } from 'node:dns'

/** Milliseconds per query and name server; each query is sent twice. */
const RESOLVER_OPTIONS = { timeout: 1500, tries: 2 }
/** The name does not exist, or has no address of this family: the hosts file is read next. */
const NONE = new Set(['ENOTFOUND', 'ENODATA'])

/**
 * Returns all addresses of a host. Queries bypass the thread pool of the process, so that a silent name server delays no other
 * work; the hosts file is read only for names that the name servers do not know.
 * @throws the system's error when there is no address
 */
export async function resolveHost(host: string): Promise<LookupAddress[]> {
  if (host === 'localhost' || host.endsWith('.localhost')) return promises.lookup(host, { all: true })
  const resolver = new promises.Resolver(RESOLVER_OPTIONS)
  const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
  const found = answers.flatMap((answer, index) =>
    answer.status === 'fulfilled' ? answer.value.map((address) => ({ address, family: index ? 6 : 4 })) : [],
  )
  if (found.length) return found
  const failed = answers.find((answer) => answer.status === 'rejected' && !NONE.has(answer.reason.code))
  if (failed?.status === 'rejected') throw failed.reason
  return promises.lookup(host, { all: true })
}
