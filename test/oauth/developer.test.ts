import { beforeAll, describe, expect, test } from '@jest/globals'
import { HttpBrowser, signInAs } from '../support/http-browser.ts'
import { authorizePath, minimalQuery, refresh, registerApp, statusWithToken, tokensFor } from '../support/oauth.ts'
import { type Person, useWorld } from '../support/world.ts'

const world = useWorld()
const ROOT = '/accounts/developer/'
const draft = { name: 'Tea', homepage: 'https://tea.example/', callback: 'https://tea.example/cb', description: 'Tea.' }
let ann: Person
let browser: HttpBrowser
beforeAll(async () => {
  ann = await world.person()
  browser = await signInAs(ann)
})

describe('registering an application', () => {
  test('returns a client ID, and a secret that is shown once [spec 3.3]', async () => {
    const { status, text, headers } = await browser.post(ROOT, draft)
    expect(status).toBe(200)
    expect(headers.get('cache-control')).toBe('no-store')
    const secret = /id="client-secret">(\w{44})</.exec(text)![1]!
    const list = await browser.get(ROOT)
    expect(list.text).toContain(/id="client-id">(\w{20})</.exec(text)![1]!)
    const path = new RegExp(`href="(${ROOT}\\d+/)"`).exec(list.text)![1]!
    const page = await browser.get(path)
    expect(page.text).toContain('>https://tea.example/cb</textarea>')
    expect(list.text + page.text).not.toContain(secret)
  })

  test.each<[string, Record<string, string>, string]>([
    ['no name', { name: ' ' }, 'Application name is required.'],
    ['a long name', { name: 'x'.repeat(101) }, 'at most 100 characters'],
    ['an invalid homepage', { homepage: 'javascript:alert(1)' }, 'start with https:// or http://'],
    ['no callback', { callback: '' }, 'Callback URL is required.'],
    ['an invalid callback', { callback: 'tea.example/cb' }, 'start with https://'],
    ['an invalid second callback', { callback: 'https://tea.example/cb\ntea.example/cb' }, 'password: tea.example/cb'],
    [
      'too many callbacks',
      { callback: Array.from({ length: 11 }, (_, at) => `https://tea.example/${at}`).join('\n') },
      'at most 10',
    ],
    ['a callback without https', { callback: 'http://tea.example/cb' }, 'start with https://'],
    ['a callback with a fragment', { callback: 'https://tea.example/cb#x' }, 'fragment'],
    ['a callback with a password', { callback: 'https://a:b@tea.example/' }, 'start with https://'],
    ['a callback with a backslash', { callback: 'https://tea.example\\@other.example/' }, 'backslash'],
    ['a callback with a wildcard', { callback: 'https://*.example/' }, 'have a host name'],
    ['a callback with a semicolon', { callback: 'https://tea.example;sandbox/' }, 'have a host name'],
    ['a callback with a space', { callback: 'https://tea.example/c b' }, 'ASCII characters without spaces'],
  ])('rejects %s and keeps the input', async (_, fields, message) => {
    const { status, text } = await browser.post(ROOT, { ...draft, ...fields })
    expect(status).toBe(422)
    expect(text).toMatch(new RegExp(message))
    expect(text).toContain('value="Tea."')
  })

  test('accepts a loopback redirect URI without https', async () => {
    for (const callback of ['http://localhost:3000/cb', 'http://127.0.0.1/cb', 'http://[::1]:9/cb'])
      expect((await registerApp(world, { callback })).clientId).toMatch(/^\w{20}$/)
  })

  test('requires a session', async () => {
    const { to } = await new HttpBrowser(world.base).get(ROOT)
    expect(to).toBe(`/accounts/login/?next=${encodeURIComponent(ROOT)}`)
  })
})

describe('the page of an application', () => {
  test('lets the owner change the application, which then has to use its new redirect URI', async () => {
    const app = await registerApp(world, { owner: ann })
    const changed = { ...draft, name: 'Coffee', callback: 'https://coffee.example/cb' }
    expect((await browser.post(`${ROOT}${app.id}/`, changed)).status).toBe(303)
    expect((await browser.get(authorizePath(minimalQuery(app)))).status).toBe(400)
    const { text } = await browser.get(authorizePath(minimalQuery({ ...app, callback: changed.callback })))
    expect(text).toContain('Coffee')
    expect((await browser.post(`${ROOT}${app.id}/`, { ...draft, callback: 'x' })).status).toBe(422)
  })

  test('returns 404 to other users, as do the pages below it', async () => {
    const app = await registerApp(world)
    const path = `${ROOT}${app.id}/`
    for (const page of [path, `${path}delete/`, `${ROOT}0/`, `${ROOT}x/`])
      expect((await browser.get(page)).status).toBe(404)
    for (const page of [path, `${path}delete/`, `${path}secret/`])
      expect((await browser.post(page, draft)).status).toBe(404)
  })

  test('deletes the application after a confirmation, which revokes all access', async () => {
    const app = await registerApp(world, { owner: ann })
    const bob = await world.person()
    const tokens = await tokensFor(world, app, bob)
    expect(await statusWithToken(world, tokens.access_token)).toBe(200)
    expect((await browser.get(`${ROOT}${app.id}/delete/`)).text).toContain('Delete application')
    expect((await browser.post(`${ROOT}${app.id}/delete/`)).to).toBe(ROOT)
    expect(await statusWithToken(world, tokens.access_token)).toBe(401)
    expect((await refresh(world, app, tokens.refresh_token)).body.error).toBe('invalid_client')
    expect((await browser.get(authorizePath(minimalQuery(app)))).status).toBe(400)
  })
})
