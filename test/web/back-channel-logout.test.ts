import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { SignJWT } from 'jose'
import type { Tables } from '../../src/domain/tables.ts'
import { unescapeHtml } from '../support/html.ts'
import { HttpBrowser, signInAs } from '../support/http-browser.ts'
import { useOidcProvider } from '../support/oidc-provider.ts'
import { useWorld, type World } from '../support/world.ts'

const oidc = useOidcProvider()
const file = join(mkdtempSync(join(tmpdir(), 'canvass-oidc-')), 'providers.json')
beforeAll(() => {
  const provider = {
    name: 'Example Ltd',
    issuer: oidc.endpoint,
    client_id: 'survey-service',
    client_secret: oidc.clientSecret,
    create_accounts: true,
  }
  writeFileSync(
    file,
    JSON.stringify([
      { ...provider, id: 'company' },
      { ...provider, id: 'other' },
    ]),
  )
})
const world = useWorld({ settings: { OIDC_PROVIDERS_FILE: file } })
const limited = useWorld({ settings: { OIDC_PROVIDERS_FILE: file, RATE_LIMIT: 'on' } })
const PATH = '/accounts/sign-in/company/logout/'
beforeAll(() => {
  oidc.scope = 'openid email profile'
  oidc.redirectUris = ['company', 'other'].map((id) => `${world.base}/accounts/sign-in/${id}/callback/`)
  oidc.logoutUri = world.base + PATH
})
beforeEach(() => {
  oidc.isUp = true
})

let count = 0
/** Another person appears at the provider. */
function arrive() {
  count += 1
  oidc.person = { sub: `subject-${count}`, email: `arrival${count}@example.org`, email_verified: true }
  return oidc.person
}

/** Signs in at the provider, in a new browser. */
async function signIn(id = 'company') {
  const browser = new HttpBrowser(world.base)
  let reply = await browser.get(`/accounts/sign-in/${id}/`)
  for (let step = 0; step < 8 && reply.to && !reply.to.includes('/callback/'); step += 1)
    reply = await browser.get(new URL(reply.to, oidc.endpoint).href)
  expect((await browser.get(reply.to!)).status).toBe(303)
  return browser
}

const isSignedIn = async (browser: HttpBrowser) => (await browser.get('/account/')).status === 200
const storedSession = async () =>
  (await world
    .em()
    .getKysely<Tables>()
    .selectFrom('session')
    .select(['provider_subject', 'provider_session'])
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst())!

const EVENT = { 'http://schemas.openid.net/event/backchannel-logout': {} }
const now = () => Math.floor(Date.now() / 1000)
let tokens = 0

/** Signs a logout token as the provider does. */
function tokenOf(claims: Record<string, unknown>, header: Record<string, unknown> = {}, key = oidc.key) {
  tokens += 1
  const all = { iss: oidc.endpoint, aud: 'survey-service', iat: now(), jti: `t${tokens}`, events: EVENT, ...claims }
  return new SignJWT(all).setProtectedHeader({ alg: 'RS256', typ: 'logout+jwt', ...header }).sign(key)
}

/** Sends a form as the provider does: without cookies, and without Origin. */
async function send(body: Record<string, string> | string, of: World = world, path = PATH) {
  const reply = await fetch(of.base + path, {
    method: 'POST',
    body: new URLSearchParams(body),
  })
  return { status: reply.status, headers: reply.headers, text: await reply.text() }
}
const logOut = async (...parameters: Parameters<typeof tokenOf>) => send({ logout_token: await tokenOf(...parameters) })

describe('back-channel logout', () => {
  test('ends the session of the browser that signs out at the provider, and no other', async () => {
    arrive()
    const [one, two] = [await signIn(), await signIn()]
    const { text } = await one.get(`${oidc.endpoint}/session/end?client_id=survey-service`)
    const xsrf = /name="xsrf" value="([^"]+)"/.exec(text)![1]!
    await one.post(`${oidc.endpoint}/session/end/confirm`, { xsrf, logout: 'yes' })
    expect([await isSignedIn(one), await isSignedIn(two)]).toEqual([false, true])
    const log = unescapeHtml((await two.get('/account/security/')).text)
    expect(log).toContain('Signed out by the provider company')
  })

  test('ends all sessions of a person if the token names no session, and those of nobody else', async () => {
    const person = await world.person()
    const withPassword = await signInAs(person)
    arrive()
    const another = await signIn()
    const { sub } = arrive()
    const [one, two, elsewhere] = [await signIn(), await signIn(), await signIn('other')]
    const reply = await logOut({ sub })
    expect([reply.status, reply.text, reply.headers.get('cache-control')]).toEqual([200, '{}', 'no-store'])
    expect(await Promise.all([one, two, elsewhere, another, withPassword].map(isSignedIn))).toEqual([
      ...[false, false],
      ...[true, true, true],
    ])
  })

  test('finds a session by its ID alone, and by the person if the provider named none at the sign-in', async () => {
    arrive()
    const one = await signIn()
    const { provider_subject: sub, provider_session: sid } = await storedSession()
    expect([sub, typeof sid]).toEqual([oidc.person.sub, 'string'])
    expect((await logOut({ sub: 'somebody else', sid })).status).toBe(200)
    expect(await isSignedIn(one)).toBe(true)
    expect((await logOut({ sid })).status).toBe(200)
    expect(await isSignedIn(one)).toBe(false)

    const two = await signIn()
    await world.em().getKysely<Tables>().updateTable('session').set({ provider_session: null }).execute()
    expect((await logOut({ sub, sid: 'unknown' })).status).toBe(200)
    expect(await isSignedIn(two)).toBe(false)
  })

  test('accepts a token once, and one for nobody who is signed in', async () => {
    const logout_token = await tokenOf({ sub: 'nobody' })
    const replies = await Promise.all([send({ logout_token }), send({ logout_token })])
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 400])
    expect(replies.find(({ status }) => status === 400)!.text).toContain('has been used')
    const { rows } = await world.application.services.pool.query('select count(*)::integer as count from used_token')
    expect(rows[0].count).toBeGreaterThan(0)
    const before = world.now
    world.now = new Date(before.getTime() + 86_400_000)
    await world.application.boss.send('purge-expired-credentials', {})
    await world.runJobs()
    world.now = before
    expect((await world.application.services.pool.query('select from used_token')).rows).toEqual([])
  })

  test.each<[string, Record<string, unknown>]>([
    ['another issuer', { iss: 'https://login.example.com' }],
    ['another audience', { aud: 'another-client' }],
    ['no audience', { aud: undefined }],
    ['no time', { iat: undefined }],
    ['an old time', { iat: now() - 600 }],
    ['a future time', { iat: now() + 600 }],
    ['an end that is over', { exp: now() - 120 }],
    ['no ID', { jti: undefined }],
    ['an empty ID', { jti: '' }],
    ['an ID that is no text', { jti: 1 }],
    ['no events', { events: undefined }],
    ['other events', { events: { 'http://schemas.openid.net/event/other': {} } }],
    ['events that are no object', { events: ['http://schemas.openid.net/event/backchannel-logout'] }],
    ['an event that is no object', { events: { 'http://schemas.openid.net/event/backchannel-logout': true } }],
    ['a nonce, as an ID token has', { nonce: 'n' }],
    ['neither person nor session', { sub: undefined }],
    ['a person that is no text', { sub: ['subject'] }],
    ['a session that is no text', { sid: 7 }],
  ])('refuses a token with %s', async (_, claims) => {
    const { sub } = arrive()
    const browser = await signIn()
    const reply = await logOut({ sub, ...claims })
    expect([reply.status, JSON.parse(reply.text).error]).toEqual([400, 'invalid_request'])
    expect(reply.headers.get('cache-control')).toBe('no-store')
    expect(await isSignedIn(browser)).toBe(true)
  })

  test('refuses a token that the provider has not signed', async () => {
    const { sub } = arrive()
    const browser = await signIn()
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const secret = Buffer.from(oidc.clientSecret)
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const claims = { iss: oidc.endpoint, aud: 'survey-service', iat: now(), jti: 'unsigned', events: EVENT, sub }
    const refused = [
      await tokenOf({ sub }, {}, privateKey),
      await new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(secret),
      `${encode({ alg: 'none' })}.${encode(claims)}.`,
      `${(await tokenOf({ sub })).slice(0, -4)}AAAA`,
      'no token',
      '',
    ]
    for (const logout_token of refused) expect((await send({ logout_token })).status).toBe(400)
    expect((await send({})).status).toBe(400)
    expect(await isSignedIn(browser)).toBe(true)
  })

  test('answers 400 while the provider is down, 404 for an unknown provider, 413 for a long body', async () => {
    const logout_token = await tokenOf({ sub: 'somebody' })
    oidc.isUp = false
    // This server has not read the metadata yet.
    expect((await send({ logout_token }, limited)).status).toBe(400)
    oidc.isUp = true
    expect((await send({ logout_token }, limited)).status).toBe(200)
    expect((await send({ logout_token }, world, '/accounts/sign-in/unknown/logout/')).status).toBe(404)
    expect((await send({ logout_token: 'x'.repeat(17_000) })).status).toBe(413)
  })

  test('limits the refused tokens of a network', async () => {
    const statuses: number[] = []
    for (let attempt = 0; attempt < 60 && statuses.at(-1) !== 429; attempt += 1)
      statuses.push((await send({ logout_token: 'x' }, limited)).status)
    expect([statuses[0], statuses.at(-1)]).toEqual([400, 429])
  })
})
