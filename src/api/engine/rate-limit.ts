import type { Context as Koa } from 'koa'
import { type Problem, problems } from '../../domain/problem.ts'
import type { RequestLimits } from '../../domain/request-limits.ts'
import { rateLimitNetwork } from '../../lib/network.ts'

/**
 * Counts a request for its account, or for its network if it is not authenticated. Sets the header fields `RateLimit`
 * and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers). If the function is called again for the same request,
 * it does nothing.
 * @returns the problem if the request exceeds the limit, otherwise undefined
 */
export function countRequest(ctx: Koa, limits: RequestLimits, now: Date): Problem | undefined {
  if (ctx.state.isCounted) return undefined
  ctx.state.isCounted = true
  const { actor } = ctx.state
  const usage = limits.count(actor, actor ? '' : rateLimitNetwork(ctx.ip), now)
  if (!usage) return undefined
  const { name, requests, seconds, remaining, resetSeconds } = usage
  ctx.res.setHeader('RateLimit-Policy', `"${name}";q=${requests};w=${seconds}`)
  ctx.res.setHeader('RateLimit', `"${name}";r=${remaining};t=${resetSeconds}`)
  if (!usage.isExceeded) return undefined
  const owner = actor ? 'your account' : 'your address without valid credentials'
  return problems.tooManyRequests(
    `Too many requests from ${owner}: more than ${requests} in ${seconds} seconds.`,
    resetSeconds,
  )
}
