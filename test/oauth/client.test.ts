import { beforeAll, describe, expect, test } from '@jest/globals'
import { signInAs } from '../support/http-browser.ts'
import { codeFor, exchangeCode, type RegisteredApp, registerApp, requestToken } from '../support/oauth.ts'
import { type Person, useWorld } from '../support/world.ts'

const world = useWorld({
  settings: { RATE_LIMIT: 'on', SIGN_IN_FAILURES_PER_MINUTE: '0', API_FAILURES_PER_MINUTE: '0' },
})
let ann: Person
let app: RegisteredApp
beforeAll(async () => {
  ann = await world.person()
  app = await registerApp(world, { owner: ann })
})

const failure = (error: string) => ({ error, error_description: expect.any(String) })
const form = { grant_type: 'authorization_code', code: 'x', redirect_uri: 'https://app.example/callback' }
const path = '/accounts/oauth/token/'

describe('a client with invalid credentials', () => {
  test.each<[string, Record<string, string>]>([
    ['a wrong secret', { client_secret: 'wrong' }],
    ['no secret', { client_secret: '' }],
    ['no secret, but a PKCE verifier', { client_secret: '', code_verifier: 'v'.repeat(43) }],
    ['an unknown id', { client_id: 'unknown' }],
    ['no id', { client_id: '' }],
  ])('gets 400 invalid_client for %s in the form', async (_, credentials) => {
    const { status, body, headers } = await requestToken(world, app, { ...form, ...credentials })
    expect([status, body]).toEqual([400, failure('invalid_client')])
    expect(headers.get('www-authenticate')).toBeNull()
  })

  test('gets 401 with a challenge if it uses HTTP Basic', async () => {
    for (const [id, secret] of [
      [app.clientId, 'wrong'],
      ['unknown', app.secret],
      [app.clientId, ''],
      ['', ''],
    ] as const) {
      const { status, body, headers } = await world.anonymous.with(id, secret).post(path, { form })
      expect([status, body]).toEqual([401, failure('invalid_client')])
      expect(headers.get('www-authenticate')).toBe('Basic realm="oauth"')
    }
  })

  test('gets invalid_request for a secret in both header and form, and for different client IDs', async () => {
    const basic = world.anonymous.with(app.clientId, app.secret)
    const repeated = await basic.post(path, { form: { ...form, client_secret: app.secret } })
    expect([repeated.status, repeated.body]).toEqual([400, failure('invalid_request')])
    const different = await basic.post(path, { form: { ...form, client_id: 'unknown' } })
    expect([different.status, different.body]).toEqual([400, failure('invalid_request')])
    const same = await basic.post(path, { form: { ...form, client_id: app.clientId } })
    expect(same.body).toEqual(failure('invalid_grant'))
  })

  test('can send ID and secret with white space around them, as copied', async () => {
    const client_id = ` ${app.clientId}`
    for (const client_secret of [`${app.secret}\n`, ` ${app.secret}\r\n`, `${app.secret}\t`])
      expect((await requestToken(world, app, { ...form, client_id, client_secret })).body).toEqual(
        failure('invalid_grant'),
      )
    const basic = await world.anonymous.with(app.clientId, `${app.secret}\n`).post(path, { form })
    expect(basic.body).toEqual(failure('invalid_grant'))
  })

  test('gets 429 after ten wrong secrets, and the application can still get tokens with the correct secret', async () => {
    const other = await registerApp(world)
    const sendWrongSecret = () => requestToken(world, other, { ...form, client_secret: 'wrong' })
    for (let n = 0; n < 10; n += 1) expect((await sendWrongSecret()).status).toBe(400)
    const throttled = await sendWrongSecret()
    expect([throttled.status, throttled.body]).toEqual([429, failure('temporarily_unavailable')])
    expect(Number(throttled.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await exchangeCode(world, other, await codeFor(other, ann))).status).toBe(200)
  })
})

describe('a new secret', () => {
  test('replaces the old secret and keeps all tokens', async () => {
    const browser = await signInAs(ann)
    const { access_token } = (await exchangeCode(world, app, await codeFor(app, ann))).body
    const { text, headers } = await browser.post(`/accounts/developer/${app.id}/secret/`)
    expect(headers.get('cache-control')).toBe('no-store')
    const secret = /id="client-secret">(\w+)</.exec(text)![1]!
    expect(secret).not.toBe(app.secret)
    expect((await requestToken(world, app, form)).body).toEqual(failure('invalid_client'))
    expect((await requestToken(world, { ...app, secret }, form)).body).toEqual(failure('invalid_grant'))
    const bearer = { headers: { authorization: `Bearer ${access_token}` } }
    expect((await world.anonymous.get('/api/v3/', bearer)).status).toBe(200)
    expect((await browser.get(`/accounts/developer/${app.id}/`)).text).not.toContain(secret)
  })
})

describe('the database', () => {
  test('stores no usable secret, code or token', async () => {
    const other = await registerApp(world)
    const code = await codeFor(other, ann)
    const { body } = await exchangeCode(world, other, code)
    const dump = await Promise.all(
      ['oauth_application', 'oauth_grant', 'oauth_token'].map((table) =>
        world.em().getConnection().execute(`select t::text as row from ${table} t`),
      ),
    )
    const text = JSON.stringify(dump)
    expect(text).toContain(other.clientId)
    for (const secret of [other.secret, code, body.access_token, body.refresh_token]) {
      expect(text).not.toContain(secret)
      expect(text).not.toContain(Buffer.from(secret).toString('hex'))
    }
  })
})
