import Router from '@koa/router'
import type { Middleware } from 'koa'
import { endpoint, type OAuthDeps } from './endpoint.ts'
import { metadataOf, paths } from './metadata.ts'
import { revoke } from './revoke.ts'
import { exchange } from './token.ts'

/**
 * Serves the OAuth endpoints for applications. Passes other requests to the next middleware; the consent page is in
 * `src/web`.
 */
export function createOAuth(deps: OAuthDeps): Middleware {
  const router = new Router()
  router.post(withoutSlash(paths.token), endpoint(deps, 'exchangeToken', exchange))
  router.post(withoutSlash(paths.revoke), endpoint(deps, 'revokeToken', revoke))
  router.get(paths.metadata, (ctx) => {
    ctx.set('Cache-Control', 'public, max-age=300')
    ctx.set('Access-Control-Allow-Origin', '*')
    ctx.body = metadataOf(deps.services)
  })
  // Libraries for OpenID Connect look here, and expect JSON.
  router.get('/.well-known/openid-configuration', (ctx) => {
    ctx.status = 404
    ctx.body = {
      error: 'not_found',
      error_description: `OAuth 2.0 only: see ${deps.services.baseUrl}${paths.metadata}`,
    }
  })
  router.all([withoutSlash(paths.token), withoutSlash(paths.revoke)], (ctx) => {
    ctx.status = 405
    ctx.set('Allow', 'POST')
    ctx.body = { error: 'invalid_request', error_description: 'Only POST is allowed' }
  })
  return router.routes() as unknown as Middleware
}

/** Makes the trailing slash of a path optional. */
const withoutSlash = (path: string) => `${path.slice(0, -1)}{/}`
