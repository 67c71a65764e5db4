import { createHash } from 'node:crypto'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { type HttpBrowser, signInAs } from '../support/http-browser.ts'
import {
  authorizeApp,
  authorizePath,
  codeFor,
  minimalQuery,
  type RegisteredApp,
  refresh,
  registerApp,
  requestToken,
  statusWithToken,
} from '../support/oauth.ts'
import { type Person, useWorld } from '../support/world.ts'

const world = useWorld()
const verifier = 'v'.repeat(43)
const challenge = {
  code_challenge: createHash('sha256').update(verifier).digest('base64url'),
  code_challenge_method: 'S256',
}
const failure = (error: string) => ({ error, error_description: expect.any(String) })
let ann: Person
let browser: HttpBrowser
let app: RegisteredApp
beforeAll(async () => {
  ann = await world.person()
  browser = await signInAs(ann)
  app = await registerApp(world, { owner: ann, kind: 'public', callback: 'http://127.0.0.1/cb' })
})

const post = (path: string, form: Record<string, string>) =>
  world.anonymous.post(path, { form: { client_id: app.clientId, ...form } })
const exchange = async (form: Record<string, string> = {}) =>
  post('/accounts/oauth/token/', {
    grant_type: 'authorization_code',
    code: await codeFor(app, ann, challenge),
    redirect_uri: app.callback,
    code_verifier: verifier,
    ...form,
  })

describe('an application without a secret', () => {
  test('has no secret on its pages, and cannot get one', async () => {
    expect(app.secret).toBe('')
    const { text } = await browser.get(`/accounts/developer/${app.id}/`)
    expect(text).toContain('no client secret')
    expect(text).not.toContain(`/accounts/developer/${app.id}/secret/`)
    expect((await browser.post(`/accounts/developer/${app.id}/secret/`)).status).toBe(404)
  })

  test('gets, refreshes and revokes tokens with its client ID alone', async () => {
    const { status, body } = await exchange()
    expect(status).toBe(200)
    expect(await statusWithToken(world, body.access_token)).toBe(200)
    const refreshed = await post('/accounts/oauth/token', {
      grant_type: 'refresh_token',
      refresh_token: body.refresh_token,
    })
    expect(refreshed.status).toBe(200)
    const revoked = await post('/accounts/oauth/revoke/', { token: refreshed.body.refresh_token })
    expect([revoked.status, revoked.body]).toEqual([200, {}])
    expect(await statusWithToken(world, refreshed.body.access_token)).toBe(401)
  })

  test('can send its ID as a Basic header with an empty secret', async () => {
    const form = { grant_type: 'authorization_code', code: await codeFor(app, ann, challenge), code_verifier: verifier }
    const reply = await world.anonymous.with(app.clientId, '').post('/accounts/oauth/token/', { form })
    expect(reply.status).toBe(200)
  })

  test('needs no redirect URI at the token endpoint, because of PKCE', async () => {
    expect((await exchange({ redirect_uri: '' })).status).toBe(200)
  })

  test('must use PKCE', async () => {
    const { to } = await browser.get(authorizePath(minimalQuery(app)))
    expect(Object.fromEntries(new URL(to!).searchParams)).toMatchObject({
      error: 'invalid_request',
      error_description: expect.stringContaining('PKCE'),
    })
    for (const code_verifier of ['', 'w'.repeat(43)])
      expect((await exchange({ code_verifier })).body).toEqual(failure('invalid_grant'))
  })

  test('is not authenticated by a secret', async () => {
    for (const client_secret of ['x', 'undefined', 'null'])
      expect((await exchange({ client_secret })).body).toEqual(failure('invalid_client'))
  })

  test('loses its access when a refresh token is used again after a minute', async () => {
    const startTime = world.now
    const { body } = await exchange()
    const second = (await refresh(world, app, body.refresh_token)).body
    expect((await refresh(world, app, body.refresh_token)).status).toBe(200)
    world.now = new Date(startTime.getTime() + 61_000)
    expect((await refresh(world, app, body.refresh_token)).body).toEqual(failure('invalid_grant'))
    expect(await statusWithToken(world, second.access_token)).toBe(401)
    world.now = startTime
  })

  test('is announced by the metadata', async () => {
    const { body } = await world.anonymous.get('/.well-known/oauth-authorization-server')
    for (const endpoint of ['token', 'revocation'])
      expect(body[`${endpoint}_endpoint_auth_methods_supported`]).toEqual([
        'client_secret_post',
        'client_secret_basic',
        'none',
      ])
  })
})

test('an application with a secret is not authenticated without it', async () => {
  const other = await registerApp(world)
  const code = await codeFor(other, ann, challenge)
  for (const form of [{}, { client_secret: '' }] as Record<string, string>[]) {
    const { status, body } = await world.anonymous.post('/accounts/oauth/token/', {
      form: { grant_type: 'authorization_code', code, client_id: other.clientId, code_verifier: verifier, ...form },
    })
    expect([status, body]).toEqual([400, failure('invalid_client')])
  }
})

describe('redirect URIs', () => {
  const several = ['https://app.example/callback', 'https://test.example/callback', 'http://[::1]:9/cb?x=1']
  const statusOf = async (redirect_uri: string, of: RegisteredApp) =>
    (await browser.get(authorizePath({ ...minimalQuery(of), ...challenge, redirect_uri }))).status

  test('can be several, of which a request names one', async () => {
    const other = await registerApp(world, { owner: ann, callback: several.join('\r\n') })
    expect((await browser.get(`/accounts/developer/${other.id}/`)).text).toContain(`>${several.join('\n')}</textarea>`)
    for (const redirect_uri of several) {
      const to = await authorizeApp(browser, { ...minimalQuery(other), redirect_uri })
      expect(to.href.startsWith(redirect_uri)).toBe(true)
      const code = to.searchParams.get('code')!
      const wrong = several.find((uri) => uri !== redirect_uri)!
      const grant = { grant_type: 'authorization_code', code }
      expect((await requestToken(world, other, { ...grant, redirect_uri: wrong })).status).toBe(400)
      expect((await requestToken(world, other, { ...grant, redirect_uri })).status).toBe(200)
    }
    expect(await statusOf('https://third.example/callback', other)).toBe(400)
    expect(await statusOf('', other)).toBe(400)
  })

  test('can have any port of 127.0.0.1 and [::1] where such an address is registered, and of no other host', async () => {
    const other = await registerApp(world, { callback: 'http://127.0.0.1:19999/cb\nhttp://[::1]/cb' })
    for (const uri of [
      'http://127.0.0.1:51004/cb',
      'http://127.0.0.1/cb',
      'http://[::1]:1/cb',
      'http://[::1]:65535/cb',
    ])
      expect([uri, await statusOf(uri, other)]).toEqual([uri, 200])
    for (const uri of [
      'http://127.0.0.1:51004/cb/',
      'http://127.0.0.1:51004/',
      'http://127.0.0.1:51004/cb?x=1',
      'http://127.0.0.1:65536/cb',
      'http://127.0.0.1:80@evil.example/cb',
      'http://127.0.0.1.evil.example:80/cb',
      'http://127.0.0.2:19999/cb',
      'http://localhost:19999/cb',
      'https://127.0.0.1:19999/cb',
    ])
      expect([uri, await statusOf(uri, other)]).toEqual([uri, 400])
    const local = await registerApp(world, { callback: 'http://localhost:3000/cb' })
    expect(await statusOf('http://localhost:3001/cb', local)).toBe(400)
    const remote = await registerApp(world, { callback: 'https://app.example:444/cb' })
    expect(await statusOf('https://app.example:445/cb', remote)).toBe(400)
  })

  test('must keep the port of the authorization request at the token endpoint', async () => {
    const redirect_uri = 'http://127.0.0.1:51004/cb'
    const confidential = await registerApp(world, { callback: app.callback })
    const code = await codeFor(confidential, ann, { redirect_uri })
    const grant = { grant_type: 'authorization_code', code }
    expect((await requestToken(world, confidential, { ...grant, redirect_uri: app.callback })).status).toBe(400)
    expect((await requestToken(world, confidential, { ...grant, redirect_uri })).status).toBe(200)
  })
})

test('the address of OpenID Connect metadata returns JSON that names the OAuth metadata', async () => {
  const { status, body } = await world.anonymous.get('/.well-known/openid-configuration')
  expect(status).toBe(404)
  expect(body.error_description).toContain(`${world.base}/.well-known/oauth-authorization-server`)
})
