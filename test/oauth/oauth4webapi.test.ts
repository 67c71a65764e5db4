import { beforeAll, describe, expect, test } from '@jest/globals'
import * as oauth from 'oauth4webapi'
import { signInAs } from '../support/http-browser.ts'
import { authorizeApp, type RegisteredApp, registerApp } from '../support/oauth.ts'
import { type Person, useWorld } from '../support/world.ts'

const world = useWorld()
const insecure = { [oauth.allowInsecureRequests]: true }
let ann: Person
let app: RegisteredApp
let server: oauth.AuthorizationServer
let client: oauth.Client
beforeAll(async () => {
  ann = await world.person({ username: 'ann' })
  app = await registerApp(world)
  const issuer = new URL(world.base)
  const reply = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure })
  server = await oauth.processDiscoveryResponse(issuer, reply)
  client = { client_id: app.clientId }
})

/** Requests authorization from the user. @returns the validated redirect and the code verifier */
async function requestAuthorization(more: Record<string, string> = {}) {
  const verifier = oauth.generateRandomCodeVerifier()
  const state = oauth.generateRandomState()
  const query = {
    response_type: 'code',
    client_id: app.clientId,
    redirect_uri: app.callback,
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...more,
  }
  const redirect = await authorizeApp(await signInAs(ann), query)
  return { verifier, response: oauth.validateAuthResponse(server, client, redirect, state) }
}

const exchange = async (
  { verifier, response }: Awaited<ReturnType<typeof requestAuthorization>>,
  authentication: oauth.ClientAuth = oauth.ClientSecretPost(app.secret),
) => {
  const reply = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    authentication,
    response,
    app.callback,
    verifier,
    insecure,
  )
  return oauth.processAuthorizationCodeResponse(server, client, reply)
}

const call = (token: string, method = 'GET', path = '/api/v3/') =>
  oauth.protectedResourceRequest(token, method, new URL(path, world.base), new Headers(), null, insecure)

describe('the client library oauth4webapi', () => {
  test('discovers all endpoints in the metadata', async () => {
    expect(server).toEqual({
      issuer: world.base,
      authorization_endpoint: `${world.base}/accounts/developer/authorize/`,
      token_endpoint: `${world.base}/accounts/oauth/token/`,
      revocation_endpoint: `${world.base}/accounts/oauth/revoke/`,
      scopes_supported: ['read', 'write'],
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic', 'none'],
      revocation_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic', 'none'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      service_documentation: `${world.base}/docs/oauth/`,
    })
    const { headers } = await world.anonymous.get('/.well-known/oauth-authorization-server')
    expect(headers.get('access-control-allow-origin')).toBe('*')
  })

  test.each([
    ['in the form', oauth.ClientSecretPost],
    ['with HTTP Basic', oauth.ClientSecretBasic],
  ])('exchanges a code, calls the API and refreshes the token with the secret %s', async (_, createAuthentication) => {
    const authentication = createAuthentication(app.secret)
    const tokens = await exchange(await requestAuthorization(), authentication)
    expect(tokens).toMatchObject({ token_type: 'bearer', scope: 'read write' })
    expect((await call(tokens.access_token)).status).toBe(200)
    const reply = await oauth.refreshTokenGrantRequest(server, client, authentication, tokens.refresh_token!, insecure)
    const refreshed = await oauth.processRefreshTokenResponse(server, client, reply)
    expect(refreshed.access_token).not.toBe(tokens.access_token)
    expect((await call(refreshed.access_token)).status).toBe(200)
  })

  test('gets an error for a code_verifier that does not match the challenge', async () => {
    const authorization = await requestAuthorization()
    await expect(exchange({ ...authorization, verifier: oauth.generateRandomCodeVerifier() })).rejects.toMatchObject({
      error: 'invalid_grant',
    })
  })

  test('gets an error for a code_verifier without a challenge, to prevent downgrade attacks', async () => {
    const authorization = await requestAuthorization({ code_challenge: '', code_challenge_method: '' })
    await expect(exchange(authorization)).rejects.toMatchObject({ error: 'invalid_grant' })
  })

  test('gets an error for a challenge without a code_verifier', async () => {
    const authorization = await requestAuthorization()
    const reply = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      oauth.ClientSecretPost(app.secret),
      authorization.response,
      app.callback,
      oauth.nopkce,
      insecure,
    )
    await expect(oauth.processAuthorizationCodeResponse(server, client, reply)).rejects.toMatchObject({
      error: 'invalid_grant',
    })
  })

  test('gets specific errors for a wrong secret, token or scope', async () => {
    await expect(exchange(await requestAuthorization(), oauth.ClientSecretBasic('wrong'))).rejects.toMatchObject({
      cause: [{ scheme: 'basic' }],
    })
    await expect(exchange(await requestAuthorization(), oauth.ClientSecretPost('wrong'))).rejects.toMatchObject({
      error: 'invalid_client',
    })
    await expect(call('unknown')).rejects.toMatchObject({
      status: 401,
      cause: expect.arrayContaining([
        expect.objectContaining({ scheme: 'bearer', parameters: expect.objectContaining({ error: 'invalid_token' }) }),
      ]),
    })
    const tokens = await exchange(await requestAuthorization({ scope: 'read' }))
    await expect(call(tokens.access_token, 'POST', '/api/v3/surveys/')).rejects.toMatchObject({
      status: 403,
      cause: [{ scheme: 'bearer', parameters: { error: 'insufficient_scope', scope: 'write' } }],
    })
  })

  test('revokes a token', async () => {
    const tokens = await exchange(await requestAuthorization())
    const authentication = oauth.ClientSecretBasic(app.secret)
    const revoke = async (token: string) =>
      oauth.processRevocationResponse(await oauth.revocationRequest(server, client, authentication, token, insecure))
    expect((await call(tokens.access_token)).status).toBe(200)
    await revoke(tokens.access_token)
    await expect(call(tokens.access_token)).rejects.toMatchObject({ status: 401 })
    await revoke(tokens.refresh_token!)
    const reply = await oauth.refreshTokenGrantRequest(server, client, authentication, tokens.refresh_token!, insecure)
    await expect(oauth.processRefreshTokenResponse(server, client, reply)).rejects.toMatchObject({
      error: 'invalid_grant',
    })
  })
})
