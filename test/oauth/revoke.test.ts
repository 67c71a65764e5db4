import { beforeAll, describe, expect, test } from '@jest/globals'
import { signInAs } from '../support/http-browser.ts'
import { type RegisteredApp, refresh, registerApp, statusWithToken, tokensFor } from '../support/oauth.ts'
import { type Person, useWorld } from '../support/world.ts'

const world = useWorld()
let ann: Person
let app: RegisteredApp
beforeAll(async () => {
  ann = await world.person()
  app = await registerApp(world, { name: 'Tea Counter' })
})

const failure = (error: string) => ({ error, error_description: expect.any(String) })
const revoke = (token: string, by: RegisteredApp = app, more: Record<string, string> = {}) =>
  world.anonymous.post('/accounts/oauth/revoke/', {
    form: { client_id: by.clientId, client_secret: by.secret, token, ...more },
  })

describe('the revocation endpoint', () => {
  test('revokes an access token immediately, and keeps the refresh token', async () => {
    const tokens = await tokensFor(world, app, ann)
    expect(await statusWithToken(world, tokens.access_token)).toBe(200)
    const { status, text, headers } = await revoke(tokens.access_token, app, { token_type_hint: 'access_token' })
    expect([status, text, headers.get('cache-control')]).toEqual([200, '{}', 'no-store'])
    expect(headers.get('content-type')).toMatch(/^application\/json/)
    expect(await statusWithToken(world, tokens.access_token)).toBe(401)
    expect((await refresh(world, app, tokens.refresh_token)).status).toBe(200)
  })

  test('revokes the whole grant when the token is a refresh token, and ignores a wrong token_type_hint', async () => {
    const tokens = await tokensFor(world, app, ann)
    const others = await tokensFor(world, app, ann)
    expect((await revoke(tokens.refresh_token, app, { token_type_hint: 'access_token' })).status).toBe(200)
    expect(await statusWithToken(world, tokens.access_token)).toBe(401)
    expect((await refresh(world, app, tokens.refresh_token)).body).toEqual(failure('invalid_grant'))
    expect(await statusWithToken(world, others.access_token)).toBe(200)
  })

  test('returns 200 for an unknown token', async () => {
    expect((await revoke('unknown')).status).toBe(200)
  })

  test('does not revoke a token of another application', async () => {
    const tokens = await tokensFor(world, app, ann)
    const other = await registerApp(world)
    const { status, body } = await revoke(tokens.access_token, other)
    expect([status, body]).toEqual([400, failure('invalid_grant')])
    expect(await statusWithToken(world, tokens.access_token)).toBe(200)
  })

  test('rejects a client with a wrong secret, and a request without a token', async () => {
    expect((await revoke('x', { ...app, secret: 'wrong' })).body).toEqual(failure('invalid_client'))
    expect((await revoke('')).body).toEqual(failure('invalid_request'))
    const basic = await world.anonymous.with('x', 'y').post('/accounts/oauth/revoke', { form: { token: 'x' } })
    expect([basic.status, basic.headers.get('www-authenticate')]).toEqual([401, 'Basic realm="oauth"'])
  })
})

describe('the account page', () => {
  test('lists authorized applications with scopes and last use, and revokes them [spec 3.3]', async () => {
    const bob = await world.person()
    const browser = await signInAs(bob)
    expect((await browser.get('/account/')).text).toContain(
      'You have not given any application access to your account.',
    )
    const first = await tokensFor(world, app, bob, 'read')
    const second = await tokensFor(world, app, bob)
    expect((await browser.get('/account/')).text).toContain('never used')
    await statusWithToken(world, first.access_token)
    const { text } = await browser.get('/account/')
    expect(text.match(/<strong>Tea Counter<\/strong>/g)).toHaveLength(1)
    expect(text).toMatch(/authorized <time[^>]+>15 Jan 2026<\/time>, last used <time[^>]+>15 Jan 2026</)
    const action = /href="(\/account\/applications\/\d+)\/revoke\/"/.exec(text)![1]!
    const otherBrowser = await signInAs(await world.person())
    expect((await otherBrowser.get(`${action}/revoke/`)).status).toBe(404)
    expect((await otherBrowser.post(`${action}/revoke/`)).status).toBe(404)
    expect((await otherBrowser.post(`${action}/limit/`)).status).toBe(404)
    expect(await statusWithToken(world, first.access_token)).toBe(200)
    expect((await browser.post(`${action}/revoke/`)).status).toBe(303)
    for (const { access_token, refresh_token } of [first, second]) {
      expect(await statusWithToken(world, access_token)).toBe(401)
      expect((await refresh(world, app, refresh_token)).body).toEqual(failure('invalid_grant'))
    }
    expect((await browser.get('/account/')).text).toContain(
      'You have not given any application access to your account.',
    )
  })

  test('restricts an authorized application to read access, which also applies to tokens that it refreshes later [spec 3.3]', async () => {
    const bob = await world.person()
    const browser = await signInAs(bob)
    const { access_token, refresh_token } = await tokensFor(world, app, bob)
    const createSurvey = async (token: string) => {
      const options = { headers: { authorization: `Bearer ${token}` }, json: { name: 'Tea' } }
      return (await world.anonymous.post('/api/v3/surveys/', options)).status
    }
    expect(await createSurvey(access_token)).toBe(201)
    const { text } = await browser.get('/account/')
    await browser.post(/action="(\/account\/applications\/\d+\/limit\/)"/.exec(text)![1]!)
    expect([await createSurvey(access_token), await statusWithToken(world, access_token)]).toEqual([403, 200])
    const refreshed = await refresh(world, app, refresh_token)
    expect(refreshed.body.scope).toBe('read')
    expect(await createSurvey(refreshed.body.access_token)).toBe(403)
  })
})
