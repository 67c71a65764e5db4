import { Problem } from '../../domain/problem.ts'
import { isLoopbackAddress } from '../../lib/loopback.ts'
import { rateLimitNetwork } from '../../lib/network.ts'
import type { PageRequest } from '../page.ts'

/**
 * Applies a rate limit to the network of a respondent. Requests from loopback addresses are not counted. If a proxy on
 * the same machine is missing in TRUSTED_PROXIES, the requests of all respondents seem to come from a loopback address.
 * @returns the seconds to wait if the limit is exceeded, otherwise undefined
 */
export async function secondsToWait(
  { ctx }: PageRequest,
  apply: (network: string) => Promise<void>,
): Promise<number | undefined> {
  if (isLoopbackAddress(ctx.ip)) return undefined
  try {
    await apply(rateLimitNetwork(ctx.ip))
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return error.retryAfter
  }
}
