import { authenticateClient } from '../domain/oauth/client.ts'
import { revokeToken } from '../domain/oauth/revoke-token.ts'
import type { ClientRequest } from './endpoint.ts'
import { failures } from './failure.ts'

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
