import { beforeAll, describe, expect, test } from '@jest/globals'
import { HttpBrowser, signInAs } from '../support/http-browser.ts'
import {
  authorizeApp,
  authorizePath,
  exchangeCode,
  minimalQuery,
  type RegisteredApp,
  registerApp,
} from '../support/oauth.ts'
import { type Person, useWorld } from '../support/world.ts'

const world = useWorld()
let ann: Person
let app: RegisteredApp
let browser: HttpBrowser
beforeAll(async () => {
  ann = await world.person({ username: 'ann', email: 'ann@example.org' })
  app = await registerApp(world, { name: 'Tea <Counter>' })
  browser = await signInAs(ann)
})

const redirectParts = (to: string | null) => {
  const url = new URL(to!)
  return { address: url.origin + url.pathname, ...Object.fromEntries(url.searchParams) }
}

describe('the consent page', () => {
  test('shows the application, its homepage, the requested access, the user and the redirect URI', async () => {
    const { status, text: page, headers } = await browser.get(authorizePath(minimalQuery(app)))
    expect(status).toBe(200)
    for (const text of ['Tea &lt;Counter&gt;', 'href="https://app.example/"', 'ann@example.org', 'View your surveys'])
      expect(page).toContain(text)
    expect(page).toContain('<strong>app.example</strong>')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('x-frame-options')).toBe('DENY')
    const policy = headers.get('content-security-policy')
    expect(policy).toContain("form-action 'self' https://app.example;")
    expect(policy).toContain("frame-ancestors 'none'")
  })

  test('redirects to the sign-in page without a session, and back afterwards', async () => {
    const signedOut = new HttpBrowser(world.base)
    const path = authorizePath({ ...minimalQuery(app), state: 'a b&c' })
    const { status, to } = await signedOut.get(path)
    expect(status).toBe(303)
    const signInUrl = new URL(to!, world.base)
    expect(signInUrl.pathname).toBe('/accounts/login/')
    const next = signInUrl.searchParams.get('next')!
    expect((await signedOut.post('/accounts/login/', { username: 'ann', password: ann.password, next })).to).toBe(path)
  })

  test('lets another user sign in, and redirects back', async () => {
    const [annsBrowser, bob] = [await signInAs(ann), await world.person()]
    const path = authorizePath(minimalQuery(app))
    const { text } = await annsBrowser.get(path)
    expect(text).toContain('Use another account')
    const { to } = await annsBrowser.post('/accounts/logout/', { next: path })
    expect(to).toBe(`/accounts/login/?next=${encodeURIComponent(path)}`)
    await annsBrowser.post('/accounts/login/', { username: bob.actor.username, password: bob.password, next: path })
    expect((await annsBrowser.get(path)).text).toContain(bob.actor.email)
    expect((await annsBrowser.post('/accounts/logout/', { next: 'https://evil.example/' })).to).toBe('/accounts/login/')
  })

  test('redirects from its path without the trailing slash to the path with it', async () => {
    const path = authorizePath(minimalQuery(app))
    const { status, to } = await browser.get(path.replace('/?', '?'))
    expect([status, to]).toEqual([308, path])
  })

  test('stores nothing before the user decides', async () => {
    const { text } = await browser.get(authorizePath(minimalQuery(app)))
    expect(text).not.toContain('code=')
    expect(await world.em().getConnection().execute('select id from oauth_grant')).toEqual([])
  })

  test('redirects with code, state and iss after consent [spec 3.3]', async () => {
    const state = 'x y&z=%20'
    const redirect = await authorizeApp(browser, { ...minimalQuery(app), state })
    expect(redirectParts(redirect.href)).toEqual({
      address: app.callback,
      code: expect.any(String),
      state,
      iss: world.base,
    })
    expect([...redirect.searchParams.keys()]).toEqual(['code', 'state', 'iss'])
  })

  test('omits state if the request has no state', async () => {
    expect([...(await authorizeApp(browser, minimalQuery(app))).searchParams.keys()]).toEqual(['code', 'iss'])
  })

  test('keeps the query of the redirect URI', async () => {
    const callback = 'http://127.0.0.1:4321/back?a=1&b=%20+c'
    const other = await registerApp(world, { callback })
    const redirect = await authorizeApp(browser, minimalQuery(other))
    expect(redirect.href.startsWith(`${callback}&code=`)).toBe(true)
    const denied = await browser.post(authorizePath({ ...minimalQuery(other), state: 's' }), { decision: 'deny' })
    expect(denied.to?.startsWith(`${callback}&error=access_denied&`)).toBe(true)
  })

  test('redirects with access_denied, state and iss after denial', async () => {
    const { status, to } = await browser.post(authorizePath({ ...minimalQuery(app), state: 's' }), { decision: 'deny' })
    expect(status).toBe(303)
    expect(redirectParts(to)).toMatchObject({
      address: app.callback,
      error: 'access_denied',
      state: 's',
      iss: world.base,
    })
  })

  test('lets the user grant fewer scopes, but at least one', async () => {
    const redirect = await authorizeApp(browser, minimalQuery(app), ['read'])
    expect((await exchangeCode(world, app, redirect.searchParams.get('code')!)).body.scope).toBe('read')
    const path = authorizePath(minimalQuery(app))
    const withoutScope = await browser.post(path, { decision: 'allow' })
    expect([withoutScope.status, withoutScope.to]).toEqual([422, null])
    const wider = await authorizeApp(browser, { ...minimalQuery(app), scope: 'read' }, ['read', 'write'])
    expect((await exchangeCode(world, app, wider.searchParams.get('code')!)).body.scope).toBe('read')
  })

  test('rejects a form from another origin or without the CSRF token', async () => {
    const path = authorizePath(minimalQuery(app))
    const crossSite = await browser.post(path, { decision: 'allow', scope: 'read' }, { origin: 'https://evil.example' })
    const withoutToken = await browser.post(path, { decision: 'allow', scope: 'read', _csrf: 'x' })
    expect([crossSite.status, withoutToken.status]).toEqual([403, 403])
  })
})

describe('the authorization endpoint returns 400 without a redirect for', () => {
  test.each<[string, (query: Record<string, string>) => string]>([
    ['no client id', ({ client_id, ...query }) => authorizePath(query)],
    ['an unknown client id', (query) => authorizePath({ ...query, client_id: 'unknown' })],
    ['two client ids', (query) => `${authorizePath(query)}&client_id=other`],
    ['another redirect URI', (query) => authorizePath({ ...query, redirect_uri: 'https://evil.example/callback' })],
    [
      'a redirect URI with a longer path',
      (query) => authorizePath({ ...query, redirect_uri: `${query.redirect_uri}/more` }),
    ],
    ['a redirect URI with a query', (query) => authorizePath({ ...query, redirect_uri: `${query.redirect_uri}?x=y` })],
    [
      'a redirect URI in upper case',
      (query) => authorizePath({ ...query, redirect_uri: 'https://APP.example/callback' }),
    ],
    ['a redirect URI that is not a URL', (query) => authorizePath({ ...query, redirect_uri: 'javascript:alert(1)' })],
    ['two redirect URIs', (query) => `${authorizePath(query)}&redirect_uri=https://evil.example/`],
  ])('%s', async (_, path) => {
    for (const client of [browser, new HttpBrowser(world.base)]) {
      const { status, to, text } = await client.get(path(minimalQuery(app)))
      expect([status, to]).toEqual([400, null])
      expect(text).toContain('Authorization failed')
      expect(text).not.toContain('href="https://evil.example')
    }
    const submitted = await browser.post(path(minimalQuery(app)), { decision: 'allow', scope: 'read' })
    expect([submitted.status, submitted.to]).toEqual([400, null])
  })

  test('another redirect URI, which the page shows as text', async () => {
    const redirect_uri = 'https://app.example/callback/?a=<script>'
    const { text } = await browser.get(authorizePath({ ...minimalQuery(app), redirect_uri }))
    expect(text).toContain('<code class="address">https://app.example/callback/?a=&lt;script&gt;</code>')
    const long = await browser.get(authorizePath({ ...minimalQuery(app), redirect_uri: `https://${'x'.repeat(2000)}` }))
    expect(long.text).not.toContain('x'.repeat(300))
  })
})

describe('the authorization endpoint redirects a signed-in user with an error for', () => {
  const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'

  test.each<[string, Record<string, string>, string]>([
    ['no response type', { response_type: '' }, 'invalid_request'],
    ['an unknown response type', { response_type: 'token' }, 'unsupported_response_type'],
    ['an unknown scope', { scope: 'read admin' }, 'invalid_scope'],
    ['a challenge without its method', { code_challenge: challenge }, 'invalid_request'],
    ['a plain challenge', { code_challenge: challenge, code_challenge_method: 'plain' }, 'invalid_request'],
    ['a method without a challenge', { code_challenge_method: 'S256' }, 'invalid_request'],
    ['a short challenge', { code_challenge: 'short', code_challenge_method: 'S256' }, 'invalid_request'],
  ])('%s', async (_, parameters, error) => {
    const path = authorizePath({ ...minimalQuery(app), state: 's', ...parameters })
    const signedOut = await new HttpBrowser(world.base).get(path)
    expect([signedOut.status, signedOut.to?.startsWith('/accounts/login/?next=')]).toEqual([303, true])
    const { status, to } = await browser.get(path)
    expect(status).toBe(303)
    expect(redirectParts(to)).toEqual({
      address: app.callback,
      error,
      error_description: expect.stringMatching(/^[\x20-\x7e]+$/),
      state: 's',
      iss: world.base,
    })
  })

  test('a repeated parameter, and omits a repeated state', async () => {
    const withRepeated = (name: string) => `${authorizePath({ ...minimalQuery(app), state: 's' })}&${name}=other`
    expect(redirectParts((await browser.get(withRepeated('response_type'))).to)).toMatchObject({
      error: 'invalid_request',
      state: 's',
    })
    expect(redirectParts((await browser.get(withRepeated('state'))).to)).not.toHaveProperty('state')
    for (const resource of ['https://a.example', 'https://b.example'])
      expect((await browser.get(`${withRepeated('resource')}&resource=${resource}`)).text).toContain('Allow')
  })

  test('a wrong scope, whose description names the scopes and the separator', async () => {
    const describe = async (scope: string) =>
      redirectParts((await browser.get(authorizePath({ ...minimalQuery(app), scope }))).to)
    expect(await describe('openid')).toMatchObject({
      error: 'invalid_scope',
      error_description: expect.stringMatching(/The scopes are read and write; .* scopes$/),
    })
    expect(await describe('read,write')).toMatchObject({
      error: 'invalid_scope',
      error_description: expect.stringMatching(/Separate scopes by spaces$/),
    })
  })
})
