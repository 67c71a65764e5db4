import * as oauth from 'oauth4webapi'
import type { PublicContext } from '../context.ts'
import { isConfidential } from '../survey/setting-parsers.ts'
import { clientAuthentication } from './client-authentication.ts'
import { IdentityError, type IdentityProvider } from './identity-provider.ts'
import { type ProviderReply, postForm } from './provider-request.ts'

/** What a respondent's sign-in has brought us. */
export interface Tokens {
  access: string
  refresh?: string | undefined
  /** Milliseconds since 1970; absent: nobody said. */
  expiresAt?: number | undefined
}

/** A sign-in that has begun: what has to be known again when the respondent comes back. */
export interface PendingSignIn {
  state: string
  /** Of PKCE (RFC 7636). */
  verifier: string
}

/** Where a respondent signs in, and what proves that it was they who come back. */
export async function startSignIn(system: IdentityProvider): Promise<PendingSignIn & { address: string }> {
  const state = oauth.generateRandomState()
  const verifier = oauth.generateRandomCodeVerifier()
  const address = new URL(`${system.endpoint}/authorization`)
  address.search = String(
    new URLSearchParams({
      response_type: 'code',
      client_id: system.clientId,
      redirect_uri: system.redirectUri,
      state,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    }),
  )
  return { state, verifier, address: address.href }
}

/**
 * The tokens for the code with which a respondent comes back (RFC 6749, 4.1.3).
 * @param query of the address to which they were sent; a system may leave `state` out, and never send another
 * @throws {IdentityError} its `code` is what the system named, be it there or in the query
 */
export const exchangeCode = (
  context: PublicContext,
  system: IdentityProvider,
  query: URLSearchParams,
  { state, verifier }: PendingSignIn,
): Promise<Tokens> =>
  exchange(context, system, async ({ server, client, secret, options }) => {
    const given = new URLSearchParams(query)
    // No metadata tells us an issuer to hold it against (RFC 9207); the address of return is the survey's own instead.
    given.delete('iss')
    const expected = given.has('state') ? state : oauth.expectNoState
    const parameters = oauth.validateAuthResponse(server, client, given, expected)
    const answer = oauth.authorizationCodeGrantRequest(
      server,
      client,
      secret,
      parameters,
      system.redirectUri,
      verifier,
      options,
    )
    return oauth.processAuthorizationCodeResponse(server, client, await answer)
  })

/** New tokens for a refresh token, which may come back or be replaced (RFC 6749, 6). @throws {IdentityError} */
export const refreshTokens = async (
  context: PublicContext,
  system: IdentityProvider,
  refresh: string,
): Promise<Tokens> => {
  const tokens = await exchange(context, system, async ({ server, client, secret, options }) => {
    const answer = oauth.refreshTokenGrantRequest(server, client, secret, refresh, options)
    return oauth.processRefreshTokenResponse(server, client, await answer)
  })
  return { ...tokens, refresh: tokens.refresh ?? refresh }
}

interface Exchange {
  server: oauth.AuthorizationServer
  client: oauth.Client
  secret: oauth.ClientAuth
  options: oauth.TokenEndpointRequestOptions
}

async function exchange(
  { services, now }: PublicContext,
  system: IdentityProvider,
  run: (exchange: Exchange) => Promise<oauth.TokenEndpointResponse>,
): Promise<Tokens> {
  const { endpoint, clientId, redirectUri } = system
  const tokenEndpoint = `${endpoint}/token`
  try {
    const answer = await run({
      server: { issuer: endpoint, token_endpoint: tokenEndpoint },
      client: { client_id: clientId },
      secret: (_server, _client, _body, headers) => {
        const authorization = clientAuthentication(system)
        if (authorization) headers.set('authorization', authorization)
      },
      options: {
        // Both are form members, for either grant type (docs/specification.md 12.2).
        additionalParameters: { client_id: clientId, redirect_uri: redirectUri },
        [oauth.customFetch]: async (address, { headers, body }) =>
          toStandardResponse(await postForm(services, address, body as URLSearchParams, headers)),
        [oauth.allowInsecureRequests]: isConfidential(new URL(tokenEndpoint)),
      },
    })
    const { access_token: access, refresh_token: refresh, expires_in: seconds } = answer
    return { access, refresh, expiresAt: seconds === undefined ? undefined : now.getTime() + seconds * 1000 }
  } catch (error) {
    throw toIdentityError(error)
  }
}

/**
 * An answer in the form of RFC 6749, 5: an error counts at any status, and a system that does not name the type of its
 * tokens means `bearer`. What else it tells (such as an identity, for which nobody asked) is left out.
 */
function toStandardResponse({ status, members = {}, error }: ProviderReply): Response {
  const { access_token, refresh_token, token_type = 'bearer', expires_in } = members
  const fine = status >= 200 && status < 300
  const seconds = Number(expires_in)
  const told = {
    access_token,
    token_type,
    ...(refresh_token ? { refresh_token } : {}),
    ...(expires_in != null && Number.isFinite(seconds) && seconds >= 0 && { expires_in: seconds }),
  }
  if (error !== undefined) return Response.json({ error }, { status: 400 })
  return Response.json(told, { status: fine ? 200 : 502 })
}

function toIdentityError(error: unknown): unknown {
  const code =
    error instanceof oauth.AuthorizationResponseError || error instanceof oauth.ResponseBodyError
      ? error.error
      : undefined
  if (code !== undefined) return new IdentityError(`it answered ${code}`, { code, cause: error })
  const meant = error instanceof oauth.OperationProcessingError || error instanceof oauth.UnsupportedOperationError
  return meant ? new IdentityError(`it did not answer with a token: ${error.message}`, { cause: error }) : error
}
