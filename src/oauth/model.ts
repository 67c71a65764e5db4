import { createHash } from 'node:crypto'
import type { AuthorizationCodeModel, Client, RefreshTokenModel } from '@node-oauth/oauth2-server'
import type { PublicContext } from '../domain/context.ts'
import type { Application } from '../domain/oauth/applications.ts'
import { authenticateClient } from '../domain/oauth/client.ts'
import { findGrantByCode, type Grant, redeemCode } from '../domain/oauth/grant.ts'
import { parseScopes } from '../domain/oauth/scope.ts'
import { consumeRefreshToken, findRefreshToken, issueTokens } from '../domain/oauth/token.ts'
import { failures } from './failure.ts'

export type Model = AuthorizationCodeModel & RefreshTokenModel

/**
 * The expiry that the library gets, far in the future: the domain itself checks expiry, by the clock of the service.
 */
const NOT_EXPIRED = new Date(8.64e15)

/** The supported grant types. */
export const GRANT_TYPES = ['authorization_code', 'refresh_token']

/** Returns an application as a client of the library. */
export const clientOf = ({ id }: Application, redirectUris: string[] = []): Client => ({
  id: String(id),
  redirectUris,
  grants: GRANT_TYPES,
})

/**
 * Returns the scopes of a request. For an unknown scope or an empty list, returns undefined, for which the library
 * reports `invalid_scope`.
 */
export const validateScope: Model['validateScope'] = async (_user, _client, scope) => parseScopes(scope)

/**
 * Requires the redirect URI of the authorization request (RFC 6749, 4.1.3). If the authorization request had none,
 * requires a registered redirect URI or none. With PKCE, the redirect URI can be omitted, as in OAuth 2.1.
 */
function assertRedirect(grant: Grant, redirectUri: string | undefined): void {
  const isOptional = grant.redirectUri === undefined || grant.codeChallenge !== undefined
  const isValid =
    redirectUri === undefined
      ? isOptional
      : grant.redirectUri === undefined
        ? grant.callbacks.includes(redirectUri)
        : redirectUri === grant.redirectUri
  if (!isValid) throw failures.invalidGrant('redirect_uri differs from the authorization request')
}

/** Requires the verifier of the code challenge (RFC 7636, 4.6). The library compares it only after the code is used. */
function assertVerifier({ codeChallenge }: Grant, verifier: string | undefined): void {
  if (codeChallenge === undefined) {
    if (verifier !== undefined) throw failures.invalidGrant('The authorization request had no code_challenge')
    return
  }
  if (verifier === undefined) throw failures.invalidGrant('code_verifier is missing')
  if (createHash('sha256').update(verifier).digest('base64url') !== codeChallenge)
    throw failures.invalidGrant('code_verifier does not match the code_challenge')
}

/**
 * Returns the model of the library for one request to the token endpoint.
 * @param values the parameters of the request; the library does not pass all of them to the model
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
          // Empty, because the library's own check does not return the error of RFC 6749 (5.2).
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
      // Checked before the code is used up, so that the client can correct its request.
      assertRedirect(grant, values.redirect_uri)
      assertVerifier(grant, values.code_verifier)
      return redeemCode(context, grant.id)
    },

    async getRefreshToken(refreshToken) {
      const stored = await findRefreshToken(context, refreshToken)
      if (!stored) return undefined
      // Checked before the token is consumed, so that the client can retry with fewer scopes.
      const requested = values.scope === undefined ? stored.scopes : parseScopes(values.scope.split(' '))
      if (!requested?.every((scope) => stored.scopes.includes(scope))) throw failures.invalidScope()
      return {
        refreshToken,
        refreshTokenExpiresAt: NOT_EXPIRED,
        scope: stored.scopes,
        client: { id: String(stored.applicationId), grants: [] },
        user: { grantId: stored.grantId },
      }
    },

    revokeToken: ({ refreshToken }) => consumeRefreshToken(context, refreshToken),

    async saveToken(token, client, user) {
      const scopes = parseScopes(token.scope) ?? []
      await issueTokens(context, user.grantId, { access: token.accessToken, refresh: token.refreshToken! }, scopes)
      return { ...token, client, user }
    },
  }
  // The library calls only the methods that the token endpoint needs.
  return model as Model
}
