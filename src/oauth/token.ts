import OAuth2Server from '@node-oauth/oauth2-server'
import { authenticateClient } from '../domain/oauth/client.ts'
import { revokeToken } from '../domain/oauth/grant.ts'
import { ACCESS_TOKEN_LIFETIME_MS } from '../domain/oauth/token.ts'
import type { ClientRequest } from './endpoint.ts'
import { failures } from './failure.ts'
import { GRANT_TYPES, tokenModel } from './model.ts'

/** The library requires the headers of a form; the body is already parsed. */
const FORM = { 'content-type': 'application/x-www-form-urlencoded', 'content-length': '1' }

/**
 * Exchanges a code or a refresh token for a pair of tokens (RFC 6749, 4.1.3 and 6).
 * @throws {OAuthError} an error of RFC 6749, 5.2
 */
export async function exchange({ context, values, credentials, ipAddress }: ClientRequest): Promise<object> {
  // The library supports other types, for which its error would be misleading.
  if (values.grant_type && !GRANT_TYPES.includes(values.grant_type)) throw failures.unsupportedGrantType()
  const server = new OAuth2Server({
    model: tokenModel(context, { values, ipAddress }),
    // The model authenticates the client, and knows which clients have no secret.
    requireClientAuthentication: { authorization_code: false, refresh_token: false },
  })
  const body = { ...values, client_id: credentials.clientId, client_secret: credentials.secret }
  const request = new OAuth2Server.Request({ method: 'POST', headers: FORM, query: {}, body })
  const token = await server.token(request, new OAuth2Server.Response({}))
  return {
    access_token: token.accessToken,
    token_type: 'Bearer',
    expires_in: ACCESS_TOKEN_LIFETIME_MS / 1000,
    refresh_token: token.refreshToken,
    scope: token.scope?.join(' '),
  }
}

/**
 * Revokes a token (RFC 7009). An unknown token is a success. `token_type_hint` is ignored, because both kinds are
 * searched.
 * @throws {OAuthError} `invalid_client`, `invalid_request`, `invalid_grant` for a token of another application
 */
export async function revoke({ context, values, credentials, ipAddress }: ClientRequest): Promise<object> {
  const application = await authenticateClient(context, credentials, ipAddress)
  if (!application) throw failures.invalidClient()
  if (!values.token) throw failures.invalidRequest('token is missing')
  const result = await revokeToken(context, application.id, values.token)
  if (result === 'foreign') throw failures.invalidGrant('The token was issued to another client')
  // Some clients require JSON, although the body has no meaning (RFC 7009, 2.2).
  return {}
}
