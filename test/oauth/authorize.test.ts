import { beforeAll, describe, expect, test } from '@jest/globals'
import { Visitor } from '../support/http-browser.ts'
import {
  authorizeApp,
  authorizePath,
  exchangeCode,
  minimalQuery,
  type RegisteredApp,
  registerApp,
  visitorOf,
} from '../support/oauth.ts'
import { type Person, useWorld } from '../support/world.ts'

const world = useWorld()
let ann: Person
let app: RegisteredApp
let visitor: Visitor
beforeAll(async () => {
  ann = await world.person({ username: 'ann', email: 'ann@example.org' })
  app = await registerApp(world, { name: 'Tea <Counter>' })
  visitor = await visitorOf(world, ann)
})

const backTo = (to: string | null) => {
  const url = new URL(to!)
  return { address: url.origin + url.pathname, ...Object.fromEntries(url.searchParams) }
}

describe('the consent page', () => {
  test('shows the application, its homepage, the requested access, the user and the redirect address', async () => {
    const { status, text, headers } = await visitor.get(authorizePath(minimalQuery(app)))
    expect(status).toBe(200)
    for (const said of ['Tea &lt;Counter&gt;', 'href="https://app.example/"', 'ann@example.org', 'View your surveys'])
      expect(text).toContain(said)
    expect(text).toContain('<strong>app.example</strong>')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('x-frame-options')).toBe('DENY')
    const policy = headers.get('content-security-policy')
    expect(policy).toContain("form-action 'self' https://app.example;")
    expect(policy).toContain("frame-ancestors 'none'")
  })

  test('redirects to the sign-in page without a session, and back afterwards', async () => {
    const stranger = new Visitor(world.base)
    const path = authorizePath({ ...minimalQuery(app), state: 'a b&c' })
    const { status, to } = await stranger.get(path)
    expect(status).toBe(303)
    const door = new URL(to!, world.base)
    expect(door.pathname).toBe('/accounts/login/')
    const next = door.searchParams.get('next')!
    expect((await stranger.post('/accounts/login/', { username: 'ann', password: ann.password, next })).to).toBe(path)
  })

  test('lets another user sign in, and redirects back', async () => {
    const [first, bob] = [await visitorOf(world, ann), await world.person()]
    const path = authorizePath(minimalQuery(app))
    const { text } = await first.get(path)
    expect(text).toContain('Use another account')
    const { to } = await first.post('/accounts/logout/', { next: path })
    expect(to).toBe(`/accounts/login/?next=${encodeURIComponent(path)}`)
    await first.post('/accounts/login/', { username: bob.actor.username, password: bob.password, next: path })
    expect((await first.get(path)).text).toContain(bob.actor.email)
    expect((await first.post('/accounts/logout/', { next: 'https://evil.example/' })).to).toBe('/accounts/login/')
  })

  test('accepts an address without the trailing slash', async () => {
    const path = authorizePath(minimalQuery(app))
    const { status, to } = await visitor.get(path.replace('/?', '?'))
    expect([status, to]).toEqual([308, path])
  })

  test('stores nothing before the user decides', async () => {
    const { text } = await visitor.get(authorizePath(minimalQuery(app)))
    expect(text).not.toContain('code=')
    expect(await world.em().getConnection().execute('select id from oauth_grant')).toEqual([])
  })

  test('redirects with code, state and iss after consent', async () => {
    const state = 'x y&z=%20'
    const back = await authorizeApp(visitor, { ...minimalQuery(app), state })
    expect(backTo(back.href)).toEqual({ address: app.callback, code: expect.any(String), state, iss: world.base })
    expect([...back.searchParams.keys()]).toEqual(['code', 'state', 'iss'])
  })

  test('omits state if the request has none', async () => {
    expect([...(await authorizeApp(visitor, minimalQuery(app))).searchParams.keys()]).toEqual(['code', 'iss'])
  })

  test('keeps the query of the redirect URI', async () => {
    const callback = 'http://127.0.0.1:4321/back?a=1&b=%20+c'
    const other = await registerApp(world, { callback })
    const back = await authorizeApp(visitor, minimalQuery(other))
    expect(back.href.startsWith(`${callback}&code=`)).toBe(true)
    const denied = await visitor.post(authorizePath({ ...minimalQuery(other), state: 's' }), { decision: 'deny' })
    expect(denied.to?.startsWith(`${callback}&error=access_denied&`)).toBe(true)
  })

  test('redirects with access_denied, state and iss after denial', async () => {
    const { status, to } = await visitor.post(authorizePath({ ...minimalQuery(app), state: 's' }), { decision: 'deny' })
    expect(status).toBe(303)
    expect(backTo(to)).toMatchObject({ address: app.callback, error: 'access_denied', state: 's', iss: world.base })
  })

  test('lets the user grant fewer scopes, but at least one', async () => {
    const back = await authorizeApp(visitor, minimalQuery(app), ['read'])
    expect((await exchangeCode(world, app, back.searchParams.get('code')!)).body.scope).toBe('read')
    const path = authorizePath(minimalQuery(app))
    const none = await visitor.post(path, { decision: 'allow' })
    expect([none.status, none.to]).toEqual([422, null])
    const more = await authorizeApp(visitor, { ...minimalQuery(app), scope: 'read' }, ['read', 'write'])
    expect((await exchangeCode(world, app, more.searchParams.get('code')!)).body.scope).toBe('read')
  })

  test('rejects a form from another origin or without the CSRF token', async () => {
    const path = authorizePath(minimalQuery(app))
    const elsewhere = await visitor.post(path, { decision: 'allow', scope: 'read' }, { origin: 'https://evil.example' })
    const without = await visitor.post(path, { decision: 'allow', scope: 'read', _csrf: 'x' })
    expect([elsewhere.status, without.status]).toEqual([403, 403])
  })
})

describe('shows a page without redirect if the application is not identified', () => {
  test.each<[string, (query: Record<string, string>) => string]>([
    ['no client id', ({ client_id, ...query }) => authorizePath(query)],
    ['an unknown client id', (query) => authorizePath({ ...query, client_id: 'unknown' })],
    ['two client ids', (query) => `${authorizePath(query)}&client_id=other`],
    ['another redirect URI', (query) => authorizePath({ ...query, redirect_uri: 'https://evil.example/callback' })],
    ['more after it', (query) => authorizePath({ ...query, redirect_uri: `${query.redirect_uri}/more` })],
    ['a query after it', (query) => authorizePath({ ...query, redirect_uri: `${query.redirect_uri}?x=y` })],
    ['another case', (query) => authorizePath({ ...query, redirect_uri: 'https://APP.example/callback' })],
    ['no address', (query) => authorizePath({ ...query, redirect_uri: 'javascript:alert(1)' })],
    ['two redirect URIs', (query) => `${authorizePath(query)}&redirect_uri=https://evil.example/`],
  ])('%s', async (_, path) => {
    for (const who of [visitor, new Visitor(world.base)]) {
      const { status, to, text } = await who.get(path(minimalQuery(app)))
      expect([status, to]).toEqual([400, null])
      expect(text).toContain('Authorization failed')
      expect(text).not.toContain('evil.example')
    }
    const sent = await visitor.post(path(minimalQuery(app)), { decision: 'allow', scope: 'read' })
    expect([sent.status, sent.to]).toEqual([400, null])
  })
})

describe('reports invalid requests to the application through the browser of a signed-in user', () => {
  const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'

  test.each<[string, Record<string, string>, string]>([
    ['no response type', { response_type: '' }, 'invalid_request'],
    ['an unknown response type', { response_type: 'token' }, 'unsupported_response_type'],
    ['an unknown scope', { scope: 'read admin' }, 'invalid_scope'],
    ['a challenge without its method', { code_challenge: challenge }, 'invalid_request'],
    ['a plain challenge', { code_challenge: challenge, code_challenge_method: 'plain' }, 'invalid_request'],
    ['a method without a challenge', { code_challenge_method: 'S256' }, 'invalid_request'],
    ['a short challenge', { code_challenge: 'short', code_challenge_method: 'S256' }, 'invalid_request'],
  ])('%s', async (_, wrong, error) => {
    const path = authorizePath({ ...minimalQuery(app), state: 's', ...wrong })
    const stranger = await new Visitor(world.base).get(path)
    expect([stranger.status, stranger.to?.startsWith('/accounts/login/?next=')]).toEqual([303, true])
    const { status, to } = await visitor.get(path)
    expect(status).toBe(303)
    expect(backTo(to)).toEqual({
      address: app.callback,
      error,
      error_description: expect.stringMatching(/^[\x20-\x7e]+$/),
      state: 's',
      iss: world.base,
    })
  })

  test('rejects a repeated parameter, and omits a repeated state', async () => {
    const twice = (name: string) => `${authorizePath({ ...minimalQuery(app), state: 's' })}&${name}=other`
    expect(backTo((await visitor.get(twice('response_type'))).to)).toMatchObject({
      error: 'invalid_request',
      state: 's',
    })
    expect(backTo((await visitor.get(twice('state'))).to)).not.toHaveProperty('state')
  })
})
