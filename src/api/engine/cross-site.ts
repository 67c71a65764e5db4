import type { Context as Koa } from 'koa'
import type { Site } from '../../domain/services.ts'
import { isSameOrigin } from '../../lib/same-origin.ts'
import { refusals } from './http-error.ts'

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Refuses a write that a page of another origin has a browser send with the Basic credentials it keeps. A browser adds no other
 * credentials on its own: access tokens and keys in a body need no check.
 * @throws {Refusal} 403 `cross_site_request`
 */
export function assertNotCrossSite(ctx: Koa, { baseUrl, allowedOrigins }: Site): void {
  const { origin, 'sec-fetch-site': site, authorization = '' } = ctx.headers
  // Programs send neither: for them nothing more is looked at.
  if (!origin && !site) return
  if (SAFE_METHODS.has(ctx.method) || !/^Basic\b/i.test(authorization)) return
  if (isSameOrigin(ctx.headers, [new URL(baseUrl).host, ctx.host]) || allowedOrigins.has(ctx.get('origin'))) return
  throw refusals.crossSite()
}
