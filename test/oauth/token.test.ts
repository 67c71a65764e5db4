import { beforeAll, describe, expect, test } from '@jest/globals'
import {
  codeFor,
  exchangeCode,
  type RegisteredApp,
  refresh,
  registerApp,
  requestToken,
  statusWithToken,
  tokensFor,
} from '../support/oauth.ts'
import { type Person, useWorld } from '../support/world.ts'

const world = useWorld()
let ann: Person
let app: RegisteredApp
beforeAll(async () => {
  ann = await world.person({ username: 'ann' })
  app = await registerApp(world)
})

const failure = (error: string) => ({ error, error_description: expect.any(String) })
const advanceClock = (seconds: number) => {
  world.now = new Date(world.now.getTime() + seconds * 1000)
}

describe('a client without PKCE, state and scope', () => {
  test('gets a token, and calls the API as the user [spec 3.3]', async () => {
    const reply = await exchangeCode(world, app, await codeFor(app, ann))
    expect(reply.status).toBe(200)
    expect(reply.headers.get('cache-control')).toBe('no-store')
    expect(reply.headers.get('pragma')).toBe('no-cache')
    expect(reply.body).toEqual({
      access_token: expect.stringMatching(/^[\w-]{40,}$/),
      token_type: 'Bearer',
      expires_in: 30 * 86_400,
      refresh_token: expect.stringMatching(/^[\w-]{40,}$/),
      scope: 'read write',
    })
    const bearer = { headers: { authorization: `Bearer ${reply.body.access_token}` } }
    const user = await world.anonymous.get(`/api/v3/users/${ann.actor.id}/`, bearer)
    expect(user.body.username).toBe('ann')
    const created = await world.anonymous.post('/api/v3/surveys/', { ...bearer, json: { name: 'By an application' } })
    expect(created.status).toBe(201)
    expect((await ann.get(`/api/v3/surveys/${created.body.id}/`)).body.name).toBe('By an application')
  })

  test('can omit the trailing slash, send JSON, or omit the Content-Type', async () => {
    const form = async () => ({
      grant_type: 'authorization_code',
      code: await codeFor(app, ann),
      redirect_uri: app.callback,
      client_id: app.clientId,
      client_secret: app.secret,
    })
    expect((await world.anonymous.post('/accounts/oauth/token', { form: await form() })).status).toBe(200)
    expect((await world.anonymous.post('/accounts/oauth/token/', { json: await form() })).status).toBe(200)
    const body = new TextEncoder().encode(String(new URLSearchParams(await form())))
    expect((await world.anonymous.post('/accounts/oauth/token/', { body })).status).toBe(200)
  })

  test('can send ID and secret with HTTP Basic', async () => {
    const client = world.anonymous.with(app.clientId, app.secret)
    const form = { grant_type: 'authorization_code', code: await codeFor(app, ann), redirect_uri: app.callback }
    expect((await client.post('/accounts/oauth/token/', { form })).status).toBe(200)
  })
})

describe('an authorization code', () => {
  test('is rejected with a missing or different redirect URI', async () => {
    for (const redirect_uri of ['', `${app.callback}/`, `${app.callback}?a=b`, app.callback.toUpperCase()]) {
      const { status, body } = await exchangeCode(world, app, await codeFor(app, ann), { redirect_uri })
      expect([status, body]).toEqual([400, failure('invalid_grant')])
    }
  })

  test('needs no redirect URI at the token endpoint if the authorization request had no redirect URI', async () => {
    const code = () => codeFor(app, ann, { redirect_uri: '' })
    expect((await exchangeCode(world, app, await code(), { redirect_uri: '' })).status).toBe(200)
    expect((await exchangeCode(world, app, await code())).status).toBe(200)
    expect((await exchangeCode(world, app, await code(), { redirect_uri: 'https://other.example/' })).status).toBe(400)
  })

  test('is rejected after five minutes', async () => {
    const code = await codeFor(app, ann)
    advanceClock(301)
    const { status, body } = await exchangeCode(world, app, code)
    expect([status, body]).toEqual([400, failure('invalid_grant')])
  })

  test('is rejected for another application, and stays valid for its own application', async () => {
    const other = await registerApp(world)
    const code = await codeFor(app, ann)
    expect((await exchangeCode(world, other, code)).body).toEqual(failure('invalid_grant'))
    expect((await exchangeCode(world, app, code)).status).toBe(200)
  })
})

describe('a refresh token', () => {
  test('is exchanged for a new pair, and the old access token expires within a minute', async () => {
    const first = await tokensFor(world, app, ann)
    const { status, body } = await refresh(world, app, first.refresh_token)
    expect(status).toBe(200)
    expect(body).toMatchObject({ token_type: 'Bearer', scope: 'read write', expires_in: 30 * 86_400 })
    expect(await statusWithToken(world, body.access_token)).toBe(200)
    expect(await statusWithToken(world, first.access_token)).toBe(200)
    advanceClock(61)
    expect(await statusWithToken(world, first.access_token)).toBe(401)
    expect(await statusWithToken(world, body.access_token)).toBe(200)
    expect((await refresh(world, app, body.refresh_token)).status).toBe(200)
  })

  test('can be exchanged for fewer scopes, and the next refresh returns all scopes again', async () => {
    const first = await tokensFor(world, app, ann)
    const narrowed = await refresh(world, app, first.refresh_token, { scope: 'read' })
    expect(narrowed.body.scope).toBe('read')
    expect((await refresh(world, app, narrowed.body.refresh_token)).body.scope).toBe('read write')
  })

  test('is not consumed by a request for more scopes than granted', async () => {
    const first = await tokensFor(world, app, ann, 'read')
    expect(first.scope).toBe('read')
    for (const scope of ['read write', 'admin']) {
      const { status, body } = await refresh(world, app, first.refresh_token, { scope })
      expect([status, body]).toEqual([400, failure('invalid_scope')])
    }
    expect((await refresh(world, app, first.refresh_token)).status).toBe(200)
  })

  test('is rejected if it belongs to another application, is an access token, or is outdated', async () => {
    const { refresh_token, access_token } = await tokensFor(world, app, ann)
    const other = await registerApp(world)
    expect((await refresh(world, other, refresh_token)).body).toEqual(failure('invalid_grant'))
    expect((await refresh(world, app, access_token)).body).toEqual(failure('invalid_grant'))
    advanceClock(181 * 86_400)
    expect((await refresh(world, app, refresh_token)).body).toEqual(failure('invalid_grant'))
  })
})

describe('the token endpoint rejects', () => {
  const grant = { grant_type: 'authorization_code', code: 'x', redirect_uri: 'https://app.example/callback' }

  test.each<[string, Record<string, string>, string]>([
    ['no grant type', {}, 'invalid_request'],
    ['an unknown grant type', { grant_type: 'password', username: 'ann', password: 'x' }, 'unsupported_grant_type'],
    ['client credentials', { grant_type: 'client_credentials' }, 'unsupported_grant_type'],
    ['no code', { grant_type: 'authorization_code' }, 'invalid_request'],
    ['an unknown code', grant, 'invalid_grant'],
    ['a code with invalid characters', { ...grant, code: '\u00e9' }, 'invalid_request'],
    ['no refresh token', { grant_type: 'refresh_token' }, 'invalid_request'],
    ['an unknown refresh token', { grant_type: 'refresh_token', refresh_token: 'x' }, 'invalid_grant'],
  ])('%s', async (_, form, error) => {
    const { status, body, headers } = await requestToken(world, app, form)
    expect([status, body]).toEqual([400, failure(error)])
    expect(headers.get('cache-control')).toBe('no-store')
  })

  test('a repeated parameter', async () => {
    const form: [string, string][] = [...Object.entries({ ...grant, client_id: app.clientId }), ['code', 'y']]
    const { status, body } = await world.anonymous.post('/accounts/oauth/token/', { form })
    expect([status, body]).toEqual([400, failure('invalid_request')])
  })

  test('parameters in the query, another method, and a body that is not a form', async () => {
    const query = new URLSearchParams({ ...grant, client_id: app.clientId, client_secret: app.secret })
    expect((await world.anonymous.post(`/accounts/oauth/token/?${query}`)).body).toEqual(failure('invalid_client'))
    const get = await world.anonymous.get(`/accounts/oauth/token/?${query}`)
    expect([get.status, get.headers.get('allow')]).toEqual([405, 'POST'])
    const xml = { body: '<x/>', headers: { 'content-type': 'application/xml' } }
    expect((await world.anonymous.post('/accounts/oauth/token/', xml)).body).toEqual(failure('invalid_request'))
  })
})
