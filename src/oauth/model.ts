import type { AuthorizationCodeModel, Client, RefreshTokenModel } from '@node-oauth/oauth2-server'
import type { PublicContext } from '../domain/context.ts'
import type { Application } from '../domain/oauth/application.ts'
import { authenticateClient } from '../domain/oauth/client.ts'
import { findGrantByCode, type Grant, redeemCode } from '../domain/oauth/grant.ts'
import { parseScopes } from '../domain/oauth/scope.ts'
import { consumeRefreshToken, findRefreshToken, issueTokens } from '../domain/oauth/token.ts'
import { failures } from './failure.ts'

export type Model = AuthorizationCodeModel & RefreshTokenModel

/** The domain looks at the time by the service's clock; the library, by its own, finds nothing out of date. */
const NOT_EXPIRED = new Date(8.64e15)

/** What can be exchanged for tokens. */
export const GRANT_TYPES = ['authorization_code', 'refresh_token']

/** How the library sees an application. */
export const clientOf = ({ id, callback }: Application): Client => ({
  id: String(id),
  redirectUris: [callback],
  grants: GRANT_TYPES,
})

/** What somebody may ask for; undefined is refused as `invalid_scope`. */
export const validateScope: Model['validateScope'] = async (_user, _client, scope) => parseScopes(scope)

/** RFC 6749, 4.1.3: the same as in the authorization request; where it was left out there, it may be left out here. */
function assertRedirect(grant: Grant, given: string | undefined): void {
  const expected = grant.redirectUri ?? (given === undefined ? undefined : grant.callback)
  if (given !== expected) throw failures.invalidGrant('redirect_uri is not the one of the authorization request')
}

/**
 * What the library asks at the token endpoint, for one request.
 * @param values the parameters of the request, for what the library does not hand on
 */
export function tokenModel(
  context: PublicContext,
  { values, ipAddress }: { values: Readonly<Record<string, string>>; ipAddress: string },
): Model {
  const model: Partial<Model> = {
    validateScope,

    async getClient(clientId, secret) {
      const application = await authenticateClient(context, { clientId, secret }, ipAddress)
      if (!application) throw failures.invalidClient()
      return clientOf(application)
    },

    async getAuthorizationCode(authorizationCode) {
      const grant = await findGrantByCode(context, authorizationCode)
      return (
        grant && {
          authorizationCode,
          expiresAt: NOT_EXPIRED,
          // Its own comparison of addresses answers with another error than RFC 6749 (5.2) asks for.
          redirectUri: '',
          scope: [...grant.scopes],
          client: { id: String(grant.applicationId), grants: [] },
          user: { grantId: grant.id },
          ...(grant.codeChallenge && { codeChallenge: grant.codeChallenge, codeChallengeMethod: 'S256' }),
          grant,
        }
      )
    },

    async revokeAuthorizationCode({ grant }) {
      if (!(await redeemCode(context, grant.id))) return false
      assertRedirect(grant, values.redirect_uri)
      return true
    },

    async getRefreshToken(refreshToken) {
      const found = await findRefreshToken(context, refreshToken)
      if (!found) return undefined
      // Before it is used up: a client that asks for too much may ask again.
      const wanted = values.scope === undefined ? found.scopes : parseScopes(values.scope.split(' '))
      if (!wanted?.every((scope) => found.scopes.includes(scope))) throw failures.invalidScope()
      return {
        refreshToken,
        refreshTokenExpiresAt: NOT_EXPIRED,
        scope: found.scopes,
        client: { id: String(found.applicationId), grants: [] },
        user: { grantId: found.grantId },
      }
    },

    revokeToken: ({ refreshToken }) => consumeRefreshToken(context, refreshToken),

    async saveToken(token, client, user) {
      const scopes = parseScopes(token.scope) ?? []
      await issueTokens(context, user.grantId, { access: token.accessToken, refresh: token.refreshToken! }, scopes)
      return { ...token, client, user }
    },
  }
  // The library asks at each endpoint only for what that endpoint needs.
  return model as Model
}
