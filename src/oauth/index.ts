import Router from '@koa/router'
import type { Middleware } from 'koa'
import { SCOPES } from '../domain/oauth/scope.ts'
import type { Services } from '../domain/services.ts'
import { endpoint, type OAuthDeps } from './endpoint.ts'
import { exchange, GRANT_TYPES, revoke } from './token.ts'

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

/** The paths of the provider. */
const paths = {
  authorize: '/accounts/developer/authorize/',
  token: '/accounts/oauth/token/',
  revoke: '/accounts/oauth/revoke/',
  metadata: '/.well-known/oauth-authorization-server',
} as const

const AUTHENTICATION = ['client_secret_post', 'client_secret_basic', 'none']

/** Returns the metadata of the provider (RFC 8414; RFC 9207 for `iss`). */
const metadataOf = ({ baseUrl }: Services) => ({
  issuer: baseUrl,
  authorization_endpoint: baseUrl + paths.authorize,
  token_endpoint: baseUrl + paths.token,
  revocation_endpoint: baseUrl + paths.revoke,
  scopes_supported: [...SCOPES],
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: GRANT_TYPES,
  token_endpoint_auth_methods_supported: AUTHENTICATION,
  revocation_endpoint_auth_methods_supported: AUTHENTICATION,
  code_challenge_methods_supported: ['S256'],
  authorization_response_iss_parameter_supported: true,
  service_documentation: `${baseUrl}/docs/oauth/`,
})
