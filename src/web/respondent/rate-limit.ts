import { Problem } from '../../domain/problem.ts'
import { isLoopbackAddress, rateLimitNetwork } from '../../lib/network.ts'
import type { PageRequest } from '../page.ts'

/**
 * Applies a rate limit to the network of a respondent. Requests from loopback addresses are not counted. The reason is
 * a proxy on the same machine that is missing in TRUSTED_PROXIES: all respondents then seem to have a loopback address,
 * and would share one limit.
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

/**
 * Counts a request for a page of a survey, which anyone can send. The limit is far above what respondents need.
 * @throws {Problem} `too_many_requests`
 */
export async function countSurveyRequest({ ctx, context }: PageRequest): Promise<void> {
  if (!isLoopbackAddress(ctx.ip)) await context.services.limits.surveyRequests.consume(rateLimitNetwork(ctx.ip))
}

/**
 * Counts a submitted page that is not stored.
 * @throws {Problem} `too_many_requests`
 */
export async function countSubmission({ ctx, context }: PageRequest, kilobytes: number): Promise<void> {
  if (isLoopbackAddress(ctx.ip)) return
  const { submissions, pageSize } = context.services.limits
  await submissions.consume(rateLimitNetwork(ctx.ip))
  await pageSize.consume(rateLimitNetwork(ctx.ip), kilobytes)
}
