import { SCOPES } from '../domain/oauth/scope.ts'
import type { Services } from '../domain/services.ts'
import { GRANT_TYPES } from './model.ts'

/** The paths of the provider. */
export const paths = {
  authorize: '/accounts/developer/authorize/',
  token: '/accounts/oauth/token/',
  revoke: '/accounts/oauth/revoke/',
  metadata: '/.well-known/oauth-authorization-server',
} as const

const AUTHENTICATION = ['client_secret_post', 'client_secret_basic', 'none']

/** Returns the metadata of the provider (RFC 8414; RFC 9207 for `iss`). */
export const metadataOf = ({ baseUrl }: Services) => ({
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
