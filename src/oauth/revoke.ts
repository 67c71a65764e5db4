import { authenticateClient } from '../domain/oauth/client.ts'
import { revokeToken } from '../domain/oauth/revoke-token.ts'
import type { ClientRequest } from './endpoint.ts'
import { failures } from './failure.ts'

/**
 * Ends a token that an application no longer needs (RFC 7009). A token that nobody knows is as good as ended.
 * `token_type_hint` is not needed: both kinds are looked up at once.
 * @throws {Failure} `invalid_client`, `invalid_request`, `invalid_grant` for a token of another application
 */
export async function revoke({ context, values, credentials, ipAddress }: ClientRequest): Promise<undefined> {
  const application = await authenticateClient(context, credentials, ipAddress)
  if (!application) throw failures.invalidClient()
  if (!values.token) throw failures.invalidRequest('token is missing')
  const done = await revokeToken(context, application.id, values.token)
  if (done === 'foreign') throw failures.invalidGrant('The token was issued to another client')
}
