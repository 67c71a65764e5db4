import { createHash, timingSafeEqual } from 'node:crypto'
import type { PublicContext } from '../domain/context.ts'
import type { Application } from '../domain/oauth/applications.ts'
import { authenticateClient } from '../domain/oauth/client.ts'
import { findGrantByCode, type Grant, redeemCode, revokeToken } from '../domain/oauth/grant.ts'
import { parseScopes, type Scope } from '../domain/oauth/scope.ts'
import { ACCESS_TOKEN_LIFETIME_MS, consumeRefreshToken, findRefreshToken, issueTokens } from '../domain/oauth/token.ts'
import { randomToken } from '../lib/secrets.ts'
import type { ClientRequest } from './endpoint.ts'
import { assertPrintable, failures } from './failure.ts'

/** A request of an authenticated application. */
interface GrantRequest extends ClientRequest {
  application: Application
}

/** The supported grant types. */
const GRANTS: Readonly<Record<string, (request: GrantRequest) => Promise<object>>> = {
  authorization_code: exchangeCode,
  refresh_token: refresh,
}
export const GRANT_TYPES = Object.keys(GRANTS)

/**
 * Exchanges a code or a refresh token for a pair of tokens (RFC 6749, 4.1.3 and 6).
 * @throws {OAuthError} an error of RFC 6749, 5.2
 */
export async function exchange(request: ClientRequest): Promise<object> {
  const { values, credentials } = request
  const { grant_type: type } = values
  if (type && !GRANT_TYPES.includes(type)) throw failures.unsupportedGrantType()
  // Only a request that names its grant type can come from a client without a secret.
  if (!credentials.clientId || (credentials.secret === undefined && !type))
    throw failures.invalidClient('Invalid client: cannot retrieve client credentials')
  assertPrintable('client_id', credentials.clientId)
  if (credentials.secret !== undefined) assertPrintable('client_secret', credentials.secret)
  const application = await authenticate(request)
  return GRANTS[required(request, 'grant_type')]!({ ...request, application })
}

/** @throws {OAuthError} `invalid_client` */
async function authenticate({ context, credentials, ipAddress }: ClientRequest): Promise<Application> {
  const application = await authenticateClient(context, credentials, ipAddress)
  if (!application) throw failures.invalidClient()
  return application
}

/**
 * Returns a parameter.
 * @throws {OAuthError} `invalid_request` if it is missing or not printable
 */
function required({ values }: ClientRequest, name: string): string {
  const value = values[name]
  if (!value) throw failures.invalidRequest(`Missing parameter: \`${name}\``)
  assertPrintable(name, value)
  return value
}

/** Exchanges a code. Checks everything before the code is used up, so that the client can correct its request. */
async function exchangeCode(request: GrantRequest): Promise<object> {
  const { context, values, application } = request
  const grant = await findGrantByCode(context, required(request, 'code'))
  if (grant?.applicationId !== application.id) throw failures.invalidGrant(INVALID_CODE)
  assertRedirect(grant, values.redirect_uri)
  assertVerifier(grant, values.code_verifier)
  if (!(await redeemCode(context, grant.id))) throw failures.invalidGrant(INVALID_CODE)
  return issue(context, grant.id, grant.scopes)
}

const INVALID_CODE = 'Invalid grant: authorization code is invalid'

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

/** Requires the verifier of the code challenge (RFC 7636, 4.1 and 4.6). */
function assertVerifier({ codeChallenge }: Grant, verifier: string | undefined): void {
  if (codeChallenge === undefined) {
    if (verifier !== undefined) throw failures.invalidGrant('The authorization request had no code_challenge')
    return
  }
  if (verifier === undefined) throw failures.invalidGrant('code_verifier is missing')
  const hash = Buffer.from(createHash('sha256').update(verifier).digest('base64url'))
  const challenge = Buffer.from(codeChallenge)
  if (hash.length !== challenge.length || !timingSafeEqual(hash, challenge))
    throw failures.invalidGrant('code_verifier does not match the code_challenge')
  if (!/^[\w.~-]{43,128}$/.test(verifier)) throw failures.invalidRequest('Invalid parameter: `code_verifier`')
}

/** Exchanges a refresh token, for all granted scopes or for the requested ones. */
async function refresh(request: GrantRequest): Promise<object> {
  const { context, values, application } = request
  const token = required(request, 'refresh_token')
  const stored = await findRefreshToken(context, token)
  if (!stored) throw failures.invalidGrant('Invalid grant: refresh token is invalid')
  if (stored.applicationId !== application.id)
    throw failures.invalidGrant('Invalid grant: refresh token was issued to another client')
  // Checked before the token is consumed, so that the client can retry with fewer scopes.
  const scopes = values.scope === undefined ? stored.scopes : parseScopes(values.scope.split(' '))
  if (!scopes?.every((scope) => stored.scopes.includes(scope))) throw failures.invalidScope()
  if (!(await consumeRefreshToken(context, token)))
    throw failures.invalidGrant('Invalid grant: refresh token is invalid or could not be revoked')
  return issue(context, stored.grantId, scopes, values.scope)
}

/**
 * Issues a pair of tokens.
 * @param scope the scopes as the client has written them
 * @returns the reply (RFC 6749, 5.1)
 */
async function issue(context: PublicContext, grantId: number, scopes: readonly Scope[], scope = scopes.join(' ')) {
  const [access, refresh] = [randomToken(), randomToken()]
  await issueTokens(context, grantId, { access, refresh }, scopes)
  return {
    access_token: access,
    token_type: 'Bearer',
    expires_in: ACCESS_TOKEN_LIFETIME_MS / 1000,
    refresh_token: refresh,
    scope,
  }
}

/**
 * Revokes a token (RFC 7009). An unknown token is a success. `token_type_hint` is ignored, because both kinds are
 * searched.
 * @throws {OAuthError} `invalid_client`, `invalid_request`, `invalid_grant` for a token of another application
 */
export async function revoke(request: ClientRequest): Promise<object> {
  const { id } = await authenticate(request)
  const { context, values } = request
  if (!values.token) throw failures.invalidRequest('token is missing')
  const result = await revokeToken(context, id, values.token)
  if (result === 'foreign') throw failures.invalidGrant('The token was issued to another client')
  // Some clients require JSON, although the body has no meaning (RFC 7009, 2.2).
  return {}
}
