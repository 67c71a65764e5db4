import { type LookupAddress, promises } from 'node:dns'

/** One question to one name server may take so long, in milliseconds, and is asked twice. */
const RESOLVER_OPTIONS = { timeout: 1500, tries: 2 }
/** There is no such name, or no address of this family: the hosts file may know better. */
const NONE = new Set(['ENOTFOUND', 'ENODATA'])

/**
 * All addresses of a host. Name servers are asked without the thread pool that the whole process shares, so that one
 * that does not answer holds up nobody else; the hosts file is read only for names that they do not know.
 * @throws the system's error when there is none
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
