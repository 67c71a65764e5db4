import type { Context as Koa } from 'koa'
import type { Services } from '../../domain/services.ts'
import { isSameOrigin } from '../../lib/network.ts'
import { httpErrors } from './http-error.ts'

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Rejects a write that a page of another origin sends with Basic credentials stored by the browser. Browsers add no
 * other credentials of this API automatically, so requests with an access token, or with a key in the body, need no
 * check.
 * @throws {HttpError} 403 `cross_site_request`
 */
export function assertNotCrossSite(ctx: Koa, { baseUrl, allowedOrigins }: Services): void {
  const { origin, 'sec-fetch-site': fetchSite, authorization = '' } = ctx.headers
  // Only browsers send these headers.
  if (!origin && !fetchSite) return
  if (SAFE_METHODS.has(ctx.method) || !/^Basic\b/i.test(authorization)) return
  if (isSameOrigin(ctx.headers, [new URL(baseUrl).host, ctx.host]) || allowedOrigins.has(ctx.get('origin'))) return
  throw httpErrors.crossSite()
}
