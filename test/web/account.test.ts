import { describe, expect, test } from '@jest/globals'
import { HttpBrowser, signInAsNewUser } from '../support/http-browser.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld({
  settings: { RATE_LIMIT: 'on', SIGN_IN_FAILURES_PER_MINUTE: '0', API_FAILURES_PER_MINUTE: '0' },
})
const newBrowser = () => new HttpBrowser(world.base)
const advanceClock = (seconds: number) => {
  world.now = new Date(world.now.getTime() + seconds * 1000)
}
const redirectToSignIn = { status: 303, to: expect.stringMatching(/^\/accounts\/login\//) }

describe('the sign-in page', () => {
  test('signs in by username or email and redirects to the requested page', async () => {
    const { actor, password } = await world.person()
    const browser = newBrowser()
    const { to } = await browser.get('/account/keys/?x=1')
    expect(to).toBe('/accounts/login/?next=%2Faccount%2Fkeys%2F%3Fx%3D1')
    const fields = { username: actor.email.toUpperCase(), password, next: '/account/keys/?x=1' }
    expect(await browser.post('/accounts/login/', fields)).toMatchObject({ status: 303, to: '/account/keys/?x=1' })
    expect((await browser.get('/account/keys/')).status).toBe(200)
  })

  test.each([
    'https://evil.example/',
    '//evil.example/',
    '/\\evil.example',
    'javascript:alert(1)',
    '/\t/evil.example',
    '/.//evil.example/',
  ])('does not redirect to %s after sign-in', async (next) => {
    const { actor, password } = await world.person()
    const { to } = await newBrowser().post('/accounts/login/', { username: actor.username, password, next })
    expect(to).toBe('/account/surveys/')
  })

  test('returns 401 and keeps the username for a wrong password or an API key', async () => {
    const { actor, apiKey } = await world.person()
    for (const password of ['wrong', apiKey]) {
      const reply = await newBrowser().post('/accounts/login/', { username: actor.username, password })
      expect(reply.status).toBe(401)
      expect(reply.text).toContain(`value="${actor.username}"`)
    }
  })

  test('rejects a form from another site', async () => {
    const { actor, password } = await world.person()
    const fields = { username: actor.username, password }
    const otherSiteHeaders: Record<string, string>[] = [
      { origin: 'https://evil.example' },
      { 'sec-fetch-site': 'cross-site' },
      { origin: 'null' },
    ]
    for (const headers of otherSiteHeaders)
      expect((await newBrowser().post('/accounts/login/', fields, headers)).status).toBe(403)
  })

  test('throttles wrong passwords, except in a browser that has signed in before', async () => {
    const { person, browser } = await signInAsNewUser(world)
    await browser.post('/accounts/logout/')
    const fields = { username: person.actor.username, password: 'wrong' }
    for (let n = 0; n < 10; n += 1) await newBrowser().post('/accounts/login/', fields)
    const correct = { ...fields, password: person.password }
    const throttled = await newBrowser().post('/accounts/login/', correct)
    expect(throttled).toMatchObject({ status: 429 })
    expect(throttled.headers.get('retry-after')).toBe('30')
    expect((await browser.post('/accounts/login/', correct)).status).toBe(303)
  })

  test('starts a new session at each sign-in, with an HttpOnly and SameSite=Lax cookie', async () => {
    const { person, browser } = await signInAsNewUser(world)
    const oldSession = browser.cookies.get('session')
    const reply = await browser.post('/accounts/login/', { username: person.actor.username, password: person.password })
    const cookie = reply.headers.getSetCookie().find((line) => line.startsWith('session='))
    expect(cookie).toMatch(/httponly/i)
    expect(cookie).toMatch(/samesite=lax/i)
    expect(browser.cookies.get('session')).not.toBe(oldSession)
    const other = newBrowser()
    other.cookies.set('session', oldSession!)
    expect(await other.get('/account/')).toMatchObject(redirectToSignIn)
  })
})

describe('a session', () => {
  test('expires two weeks after the last request', async () => {
    const { browser } = await signInAsNewUser(world)
    for (let days = 0; days < 30; days += 10) {
      advanceClock(10 * 86_400)
      expect((await browser.get('/account/')).headers.getSetCookie().join()).toContain('session=')
    }
    advanceClock(15 * 86_400)
    expect(await browser.get('/account/')).toMatchObject(redirectToSignIn)
  })

  test('ends at sign-out, also for a copy of its cookie', async () => {
    const { browser } = await signInAsNewUser(world)
    const copy = newBrowser()
    copy.cookies.set('session', browser.cookies.get('session')!)
    expect(await browser.post('/accounts/logout/')).toMatchObject(redirectToSignIn)
    expect(await copy.get('/account/')).toMatchObject(redirectToSignIn)
  })

  test('can be ended in one other browser or in all browsers', async () => {
    const { person, browser } = await signInAsNewUser(world)
    const others = [newBrowser(), newBrowser()]
    for (const other of others) await other.signIn(person.actor.username, person.password)
    const [, id] = /\/account\/sessions\/(\d+)\//.exec((await browser.get('/account/')).text)!
    expect((await browser.post(`/account/sessions/${id}/`)).status).toBe(303)
    const statuses = await Promise.all(others.map(async (other) => (await other.get('/account/')).status))
    expect(statuses.sort()).toEqual([200, 303])
    expect((await (await signInAsNewUser(world)).browser.post(`/account/sessions/${id}/`)).status).toBe(404)
    expect(await browser.post('/account/sessions/')).toMatchObject(redirectToSignIn)
    for (const other of [browser, ...others]) expect(await other.get('/account/')).toMatchObject(redirectToSignIn)
  })

  test('rejects a form without the CSRF token of the session, and a form from another site', async () => {
    const { browser } = await signInAsNewUser(world)
    const { browser: other } = await signInAsNewUser(world)
    const path = '/account/keys/'
    expect((await browser.post(path, { name: 'x', _csrf: '' })).status).toBe(403)
    expect((await browser.post(path, { name: 'x', _csrf: other.csrf })).status).toBe(403)
    expect((await browser.post(path, { name: 'x' }, { origin: 'https://evil.example' })).status).toBe(403)
    expect((await browser.post(path, { name: 'x' }, { 'sec-fetch-site': 'same-site' })).status).toBe(403)
    expect((await browser.get(path)).status).toBe(200)
    expect((await browser.get(path)).text).not.toContain('<strong>x</strong>')
  })

  test('forbids framing and caching of its pages', async () => {
    const { headers } = await (await signInAsNewUser(world)).browser.get('/account/')
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    expect(headers.get('x-frame-options')).toBe('DENY')
    expect(headers.get('cache-control')).toBe('no-store')
  })
})

describe('the account page', () => {
  test('changes the password, ends other sessions, and disables API access with the old password', async () => {
    const { person, browser } = await signInAsNewUser(world)
    const other = newBrowser()
    await other.signIn(person.actor.username, person.password)
    expect((await person.get('/api/v3/')).status).toBe(200)
    const rejected = await browser.post('/account/password/', { current: 'wrong', password: 'another secret' })
    expect(rejected.status).toBe(422)
    expect(rejected.text).toContain('The password is incorrect.')
    expect((await browser.post('/account/password/', { current: person.password, password: 'short' })).status).toBe(422)
    const reply = await browser.post('/account/password/', { current: person.password, password: 'another secret' })
    expect(reply).toMatchObject({ status: 303, to: '/account/' })
    expect((await browser.get('/account/')).text).toContain('Password changed.')
    expect((await browser.get('/account/')).text).not.toContain('Password changed.')
    expect(await other.get('/account/')).toMatchObject(redirectToSignIn)
    expect((await person.get('/api/v3/')).status).toBe(401)
    expect((await person.with(person.apiKey, 'another secret').get('/api/v3/')).status).toBe(200)
  })

  test('changes name and email address; a new email address requires the password and must be unused', async () => {
    const { person, browser } = await signInAsNewUser(world)
    const { email } = person.actor
    expect((await browser.post('/account/', { name: 'Ann <b>', email })).status).toBe(303)
    expect((await browser.get('/account/')).text).toContain('Ann &lt;b&gt;')
    expect((await browser.post('/account/', { name: '', email: 'new@example.org' })).text).toContain(
      'The password is incorrect.',
    )
    const usedEmail = { name: '', email: (await world.person()).actor.email, current: person.password }
    expect((await browser.post('/account/', usedEmail)).text).toContain('Email address already has an account.')
    expect((await browser.post('/account/', { ...usedEmail, email: 'new@example.org' })).status).toBe(303)
  })
})

describe('the API keys page', () => {
  test('shows a new key once and rotates keys', async () => {
    const { person, browser } = await signInAsNewUser(world)
    const created = await browser.post('/account/keys/', { name: 'nightly export' })
    const [, key] = /<code class="secret" id="new-key">(\w{40})</.exec(created.text)!
    const page = await browser.get('/account/keys/')
    expect(page.text).toContain('nightly export')
    expect(page.text).not.toContain(key)
    expect((await person.with(key!, person.password).get('/api/v3/')).status).toBe(200)
    expect((await person.get('/api/v3/')).status).toBe(200)
    const ids = [...page.text.matchAll(/keys\/(\d+)\/revoke/g)].map(([, id]) => id)
    expect((await (await signInAsNewUser(world)).browser.post(`/account/keys/${ids[1]}/revoke/`)).status).toBe(404)
    expect((await browser.post(`/account/keys/${ids[1]}/revoke/`)).status).toBe(303)
    expect((await person.get('/api/v3/')).status).toBe(401)
    expect((await person.with(key!, person.password).get('/api/v3/')).status).toBe(200)
    expect((await browser.post('/account/keys/', { name: ' ' })).status).toBe(422)
  })
})
