import OAuth2Server, { type AuthorizationCodeModel } from '@node-oauth/oauth2-server'
import type { Context, PublicContext } from '../domain/context.ts'
import { type Application, isRegistered } from '../domain/oauth/applications.ts'
import { type AuthorizationCheck, type AuthorizationEndpoint, findClient } from '../domain/oauth/client.ts'
import { createGrant } from '../domain/oauth/grant.ts'
import { parseScopes } from '../domain/oauth/scope.ts'
import { type Parameters, parametersOf } from './endpoint.ts'
import { describe, failures, isFailure, unwrapError } from './failure.ts'
import { clientOf, validateScope } from './model.ts'

type SaveCode = AuthorizationCodeModel['saveAuthorizationCode']

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

/** @throws {OAuthError} `invalid_scope`, with a better description than the library's */
function assertScope(scope: string | undefined): void {
  if (scope === undefined || parseScopes(scope.split(' ').filter(Boolean))) return
  throw failures.invalidScope(scope.includes(',') ? '. Separate scopes by spaces' : undefined)
}

/**
 * Runs the authorization handler of @node-oauth/oauth2-server.
 * @param saveCode receives the generated code
 */
async function runAuthorization({ values, application, redirectUri }: Request, saveCode: SaveCode) {
  const model = {
    getClient: async () => clientOf(application, [redirectUri]),
    validateScope,
    saveAuthorizationCode: saveCode,
  }
  // The library would treat `allowed=false` from the application as a denial by the user.
  const { allowed, ...query } = values
  const request = new OAuth2Server.Request({ method: 'GET', headers: {}, query })
  return new OAuth2Server({ model: model as unknown as AuthorizationCodeModel }).authorize(
    request,
    new OAuth2Server.Response({}),
    { authenticateHandler: { handle: () => ({}) }, allowEmptyState: true },
  )
}

/**
 * Returns the redirect to the application (RFC 6749, 4.1.2; RFC 9207 for `iss`). The error redirect of the library is
 * not used, because it drops the error if the redirect URI has a query.
 */
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
  const { application, redirectUri, values, repeated } = request
  try {
    if (repeated.length > 0) throw failures.invalidRequest(`${repeated[0]} occurs more than once`)
    assertChallenge(request)
    assertScope(values.scope)
    const { scope } = await runAuthorization(request, async (code, client, user) => ({ ...code, client, user }))
    return { request: { application, redirectUri, scopes: parseScopes(scope) ?? [] } }
  } catch (error) {
    const failure = unwrapError(error)
    if (!isFailure(failure)) throw failure
    const parameters = { error: failure.name, error_description: describe(failure.message) }
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

async function approve(context: Context, query: URLSearchParams, scopes: readonly string[]): Promise<string> {
  const request = await acceptedRequest(context, query)
  const { values, application } = request
  const narrowed = { ...request, values: { ...values, scope: scopes.join(' ') } }
  const { authorizationCode } = await runAuthorization(narrowed, async (code, client, user) => {
    await createGrant(context, code.authorizationCode, {
      applicationId: application.id,
      scopes: parseScopes(code.scope) ?? [],
      redirectUri: values.redirect_uri,
      codeChallenge: values.code_challenge,
    })
    return { ...code, client, user }
  })
  return redirectTo(request, context.services.baseUrl, { code: authorizationCode })
}

async function deny(context: PublicContext, query: URLSearchParams): Promise<string> {
  const parameters = { error: 'access_denied', error_description: 'The user denied access' }
  return redirectTo(await acceptedRequest(context, query), context.services.baseUrl, parameters)
}

/** The authorization endpoint without its pages (RFC 6749, 4.1.1 and 4.1.2). */
export const authorization: AuthorizationEndpoint = { validate, approve, deny }
