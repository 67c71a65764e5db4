import type * as oauth from 'oauth4webapi'
import type { PublicContext } from '../context.ts'
import { isConfidential } from '../survey/setting-parsers.ts'
import { clientAuthentication, IdentityError, type IdentityProvider } from './identity-provider.ts'
import { errorOfReply, oneLine, type ProviderReply, postForm } from './permission.ts'

/** The tokens of a signed-in respondent. */
export interface Tokens {
  access: string
  refresh?: string | undefined
  /** Milliseconds since 1970; absent if the provider sent no expiry. */
  expiresAt?: number | undefined
}

/** The random values of a sign-in that has begun. The callback needs these values. */
export interface PendingSignIn {
  state: string
  /** The code verifier of PKCE (RFC 7636). */
  verifier: string
}

/**
 * Starts a sign-in: returns the authorization URL of the identity provider, and the random values to keep for the
 * callback.
 */
export async function startSignIn(provider: IdentityProvider): Promise<PendingSignIn & { address: string }> {
  const oauth = await import('oauth4webapi')
  const state = oauth.generateRandomState()
  const verifier = oauth.generateRandomCodeVerifier()
  const address = new URL(`${provider.endpoint}/authorization`)
  address.search = String(
    new URLSearchParams({
      response_type: 'code',
      client_id: provider.clientId,
      redirect_uri: provider.redirectUri,
      ...(provider.scope && { scope: provider.scope }),
      state,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    }),
  )
  return { state, verifier, address: address.href }
}

/**
 * Exchanges the code of a callback for tokens (RFC 6749, 4.1.3).
 * @param query the parameters of the callback; the provider may omit `state`, but must not change it
 * @throws {IdentityError} with the error code of the token response or of the callback
 */
export const exchangeCode = (
  context: PublicContext,
  provider: IdentityProvider,
  query: URLSearchParams,
  { state, verifier }: PendingSignIn,
): Promise<Tokens> =>
  exchange(context, provider, async (oauth, { server, client, secret, options }) => {
    const callback = new URLSearchParams(query)
    // Without provider metadata there is no issuer to compare with `iss` (RFC 9207). The callback URL of each survey
    // identifies its provider instead.
    callback.delete('iss')
    const expected = callback.has('state') ? state : oauth.expectNoState
    const parameters = oauth.validateAuthResponse(server, client, callback, expected)
    const response = oauth.authorizationCodeGrantRequest(
      server,
      client,
      secret,
      parameters,
      provider.redirectUri,
      verifier,
      options,
    )
    return oauth.processAuthorizationCodeResponse(server, client, await response)
  })

/**
 * Exchanges a refresh token for new tokens (RFC 6749, 6). If the provider sends no new refresh token, the present one
 * is kept.
 * @throws {IdentityError}
 */
export const refreshTokens = async (
  context: PublicContext,
  provider: IdentityProvider,
  refresh: string,
): Promise<Tokens> => {
  const tokens = await exchange(context, provider, async (oauth, { server, client, secret, options }) => {
    const response = oauth.refreshTokenGrantRequest(server, client, secret, refresh, options)
    return oauth.processRefreshTokenResponse(server, client, await response)
  })
  return { ...tokens, refresh: tokens.refresh ?? refresh }
}

/** The library, which is loaded for the first sign-in. */
type OAuth = typeof oauth

interface Exchange {
  server: oauth.AuthorizationServer
  client: oauth.Client
  secret: oauth.ClientAuth
  options: oauth.TokenEndpointRequestOptions
}

async function exchange(
  { services, now }: PublicContext,
  provider: IdentityProvider,
  run: (library: OAuth, exchange: Exchange) => Promise<oauth.TokenEndpointResponse>,
): Promise<Tokens> {
  const oauth = await import('oauth4webapi')
  const { endpoint, clientId, redirectUri } = provider
  const tokenEndpoint = `${endpoint}/token`
  try {
    const response = await run(oauth, {
      server: { issuer: endpoint, token_endpoint: tokenEndpoint },
      client: { client_id: clientId },
      secret: (_server, _client, _body, headers) => {
        const authorization = clientAuthentication(provider)
        if (authorization) headers.set('authorization', authorization)
      },
      options: {
        // The client id and the redirect URI are form members for both grant types (docs/specification.md 12.2).
        additionalParameters: { client_id: clientId, redirect_uri: redirectUri },
        [oauth.customFetch]: async (_address, { headers, body }) =>
          toStandardResponse(await postForm(services, provider, 'token', body as URLSearchParams, headers)),
        [oauth.allowInsecureRequests]: isConfidential(new URL(tokenEndpoint)),
      },
    })
    const { access_token: access, refresh_token: refresh, expires_in: seconds } = response
    return { access, refresh, expiresAt: seconds === undefined ? undefined : now.getTime() + seconds * 1000 }
  } catch (error) {
    throw toIdentityError(oauth, error)
  }
}

/**
 * Converts a reply to the format of RFC 6749, 5: a missing token type becomes `bearer`. Omits members that are not
 * needed, such as an ID token.
 * @throws {IdentityError} for any reply but a success
 */
function toStandardResponse(reply: ProviderReply): Response {
  const error = errorOfReply('token', reply)
  if (error) throw error
  const { access_token, refresh_token, token_type, expires_in } = reply.members ?? {}
  const seconds = Number(expires_in)
  return Response.json({
    access_token: Number.isSafeInteger(access_token) ? String(access_token) : access_token,
    token_type: token_type ?? 'bearer',
    ...(refresh_token ? { refresh_token } : {}),
    ...(expires_in != null && Number.isFinite(seconds) && seconds >= 0 && { expires_in: seconds }),
  })
}

function toIdentityError(oauth: OAuth, error: unknown): unknown {
  if (error instanceof oauth.AuthorizationResponseError) {
    const { error: code, error_description: description } = error
    return new IdentityError('authorization', `the reply is the error ${code}`, {
      code: oneLine(code),
      description: oneLine(description),
      cause: error,
    })
  }
  const isProtocolError =
    error instanceof oauth.OperationProcessingError || error instanceof oauth.UnsupportedOperationError
  return isProtocolError
    ? new IdentityError('token', `the reply contains no valid token: ${error.message}`, { cause: error })
    : error
}
