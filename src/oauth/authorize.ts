import type { Context, PublicContext } from '../domain/context.ts'
import { type Application, isRegistered } from '../domain/oauth/applications.ts'
import { type AuthorizationCheck, type AuthorizationEndpoint, findClient } from '../domain/oauth/client.ts'
import { createGrant } from '../domain/oauth/grant.ts'
import { parseScopes, type Scope } from '../domain/oauth/scope.ts'
import { randomToken } from '../lib/secrets.ts'
import { type Parameters, parametersOf } from './endpoint.ts'
import { assertPrintable, describe, failures, OAuthError } from './failure.ts'

/** An authorization request of a known application with a valid `redirectUri`. */
interface Request extends Parameters {
  application: Application
  redirectUri: string
}

/**
 * Identifies application and redirect URI (RFC 6749, 3.1.2.3 and 4.1.2.1). The redirect URI can be omitted if one is
 * registered.
 */
async function requestOf(context: PublicContext, query: URLSearchParams): Promise<Request | AuthorizationCheck> {
  const { values, repeated } = parametersOf(query)
  const application = values.client_id ? await findClient(context, values.client_id) : null
  if (!application || repeated.includes('client_id')) return { unknownClient: 'client_id' }
  const redirectUri = values.redirect_uri ?? (application.moreCallbacks.length === 0 ? application.callback : '')
  if (!isRegistered(application, redirectUri) || repeated.includes('redirect_uri'))
    return { unknownClient: 'redirect_uri', requested: redirectUri }
  return { values, repeated, application, redirectUri }
}

/**
 * Requires that a request with a challenge names the method S256: in RFC 7636, 4.3, the default is `plain`. An
 * application without a secret must send a challenge (RFC 8252, 8.1).
 */
function assertChallenge({ values, application }: Request): void {
  const { code_challenge: challenge, code_challenge_method: method } = values
  if (challenge === undefined && method === undefined) {
    if (application.isPublic) throw failures.invalidRequest('code_challenge is missing: this client must use PKCE')
    return
  }
  if (method !== 'S256') throw failures.invalidRequest('code_challenge_method must be S256')
  if (!/^[A-Za-z0-9_-]{43}$/.test(challenge ?? ''))
    throw failures.invalidRequest('code_challenge must be 43 characters: BASE64URL(SHA256(code_verifier))')
}

/** @throws {OAuthError} `invalid_scope` */
function requestedScopes({ values: { scope } }: Request): Scope[] {
  const scopes = parseScopes(scope?.split(' ').filter(Boolean))
  if (scopes) return scopes
  throw failures.invalidScope(scope?.includes(',') ? '. Separate scopes by spaces' : undefined)
}

/** Requires a printable `state`, and the only response type. */
function assertResponse({ values }: Request): void {
  if (values.state !== undefined) assertPrintable('state', values.state)
  if (!values.response_type) throw failures.invalidRequest('Missing parameter: `response_type`')
  if (values.response_type !== 'code') throw failures.unsupportedResponseType()
}

/** Returns the redirect to the application (RFC 6749, 4.1.2; RFC 9207 for `iss`). */
function redirectTo(
  { redirectUri, values, repeated }: Request,
  issuer: string,
  parameters: Record<string, string>,
): string {
  const state = repeated.includes('state') ? undefined : values.state
  const query = new URLSearchParams({ ...parameters, ...(state !== undefined && { state }), iss: issuer })
  return `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${query}`
}

async function validate(context: PublicContext, query: URLSearchParams): Promise<AuthorizationCheck> {
  const request = await requestOf(context, query)
  if (!('values' in request)) return request
  const { application, redirectUri, repeated } = request
  try {
    if (repeated.length > 0) throw failures.invalidRequest(`${repeated[0]} occurs more than once`)
    assertChallenge(request)
    const scopes = requestedScopes(request)
    assertResponse(request)
    return { request: { application, redirectUri, scopes } }
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error
    const parameters = { error: error.name, error_description: describe(error.message) }
    return { redirect: redirectTo(request, context.services.baseUrl, parameters) }
  }
}

/**
 * Identifies application and redirect URI again, for a request that {@link validate} has accepted.
 * @throws {OAuthError} `invalid_client` if the application was deleted or its redirect URI changed meanwhile
 */
async function acceptedRequest(context: PublicContext, query: URLSearchParams): Promise<Request> {
  const request = await requestOf(context, query)
  if ('values' in request) return request
  throw failures.invalidClient()
}

async function approve(context: Context, query: URLSearchParams, scopes: readonly Scope[]): Promise<string> {
  const request = await acceptedRequest(context, query)
  const code = randomToken()
  await createGrant(context, code, {
    applicationId: request.application.id,
    scopes,
    redirectUri: request.values.redirect_uri,
    codeChallenge: request.values.code_challenge,
  })
  return redirectTo(request, context.services.baseUrl, { code })
}

async function deny(context: PublicContext, query: URLSearchParams): Promise<string> {
  const parameters = { error: 'access_denied', error_description: 'The user denied access' }
  return redirectTo(await acceptedRequest(context, query), context.services.baseUrl, parameters)
}

/** The authorization endpoint without its pages (RFC 6749, 4.1.1 and 4.1.2). */
export const authorization: AuthorizationEndpoint = { validate, approve, deny }
