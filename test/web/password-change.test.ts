import { beforeAll, describe, expect, test } from '@jest/globals'
import { upsertAdmin } from '../../src/domain/account/upsert-admin.ts'
import { Visitor } from '../support/http-browser.ts'
import {
  codeFor,
  type RegisteredApp,
  refresh,
  registerApp,
  requestToken,
  statusWithToken,
  tokensFor,
} from '../support/oauth.ts'
import { type Person, useWorld } from '../support/world.ts'

const world = useWorld()
let app: RegisteredApp
beforeAll(async () => {
  app = await registerApp(world)
})

const visitor = () => new Visitor(world.base)
async function signedIn(person: Person): Promise<Visitor> {
  const browser = visitor()
  await browser.signIn(person.actor.username, person.password)
  return browser
}
const NEW = 'another secret'
const box = 'name="keep_applications"'

/** The link that was mailed last to choose a new password. */
async function mailedKey(person: Person): Promise<string> {
  await visitor().post('/accounts/password/', { username: person.actor.username })
  await world.runJobs()
  const { rows } = await world.application.services.pool.query<{ text: string }>(
    "select data->>'text' as text from pgboss.job where name = 'send-system-email' and data->>'account' = $1",
    [String(person.actor.id)],
  )
  return /key=(\S+)/.exec(rows.at(-1)!.text)![1]!
}

/** What becomes of an access token, and of its refresh token. */
const fates = async ({ access_token, refresh_token }: Awaited<ReturnType<typeof tokensFor>>) => [
  await statusWithToken(world, access_token),
  (await refresh(world, app, refresh_token)).status,
]

describe('a new password on the account page', () => {
  test('revokes the tokens and pending codes of every application', async () => {
    const ann = await world.person()
    const browser = await signedIn(ann)
    expect((await browser.get('/account/')).text).not.toContain(box)
    const tokens = await tokensFor(world, app, ann)
    const code = await codeFor(world, app, ann)
    expect(await statusWithToken(world, tokens.access_token)).toBe(200)
    expect((await browser.get('/account/')).text).toContain(box)
    expect((await browser.post('/account/password/', { current: ann.password, password: NEW })).status).toBe(303)
    expect(await fates(tokens)).toEqual([401, 400])
    const exchange = { grant_type: 'authorization_code', code, redirect_uri: app.callback }
    expect((await requestToken(world, app, exchange)).body.error).toBe('invalid_grant')
    expect((await browser.get('/account/')).text).toContain(
      'You have not given any application access to your account.',
    )
  })

  test('keeps them if the owner chooses so, even after a rejected form, and never affects other accounts', async () => {
    const [ann, bob] = [await world.person(), await world.person()]
    const [tokens, other] = [await tokensFor(world, app, ann), await tokensFor(world, app, bob)]
    const browser = await signedIn(ann)
    const change = { current: ann.password, password: NEW, keep_applications: 'on' }
    const wrong = await browser.post('/account/password/', { ...change, password: 'short' })
    expect(wrong.text).toContain(`${box} value="on" checked`)
    expect((await browser.post('/account/password/', change)).status).toBe(303)
    expect(await fates(tokens)).toEqual([200, 200])
    expect((await browser.post('/account/password/', { current: NEW, password: 'a third secret' })).status).toBe(303)
    expect(await fates(other)).toEqual([200, 200])
  })

  test('disables the old password with a username or a key; keys keep working', async () => {
    const ann = await world.person()
    const { username, email } = ann.actor
    const ways = [ann, ann.with(username, ann.password), ann.with(email, ann.password), ann.with(username, ann.apiKey)]
    const statuses = async () => Promise.all(ways.map(async (way) => (await way.get('/api/v2/me')).status))
    expect(await statuses()).toEqual([200, 200, 200, 200])
    await (await signedIn(ann)).post('/account/password/', { current: ann.password, password: NEW })
    expect(await statuses()).toEqual([401, 401, 401, 200])
    expect((await ann.with(ann.apiKey, NEW).get('/api/v2/me')).status).toBe(200)
  })

  test('ends a simultaneous sign-in with the old password', async () => {
    const [ann, developer] = [await world.person(), await world.person({ isDeveloper: true })]
    const browser = await signedIn(ann)
    const others = Array.from({ length: 8 }, visitor)
    const form = { key: developer.apiKey, username: ann.actor.username, password: ann.password }
    const address = async () => (await world.anonymous.post('/api/v2/accounts/generate-login-url/', { form })).body
    const waiting = (await address())['login-url'] as string
    const [changed, ...made] = await Promise.all([
      browser.post('/account/password/', { current: ann.password, password: NEW }),
      ...Array.from({ length: 4 }, address),
      ...others.map((other) => other.signIn(ann.actor.username, ann.password)),
    ])
    expect(changed.status).toBe(303)
    for (const other of others) expect((await other.get('/account/')).status).toBe(303)
    const links = made.flatMap((body) => ('login-url' in body ? [body['login-url'] as string] : []))
    for (const link of [waiting, ...links]) expect((await visitor().get(link)).status).toBe(410)
  })
})

describe('a new password by a reset link', () => {
  test('revokes the tokens of every application unless the owner chooses otherwise', async () => {
    const [ann, bob] = [await world.person(), await world.person()]
    expect((await visitor().get(`/accounts/password/new/?key=${await mailedKey(bob)}`)).text).not.toContain(box)
    const [ended, kept] = [await tokensFor(world, app, ann), await tokensFor(world, app, bob)]
    const [annKey, bobKey] = [await mailedKey(ann), await mailedKey(bob)]
    expect((await visitor().get(`/accounts/password/new/?key=${annKey}`)).text).toContain(box)
    const choose = (key: string, password: string) =>
      visitor().post('/accounts/password/new/', { key, password, ...(key === bobKey && { keep_applications: 'on' }) })
    expect((await choose(bobKey, 'short')).text).toContain(`${box} value="on" checked`)
    expect((await choose(annKey, 'short')).text).not.toContain('checked')
    for (const key of [annKey, bobKey]) expect((await choose(key, NEW)).status).toBe(200)
    expect([await fates(ended), await fates(kept)]).toEqual([
      [401, 400],
      [200, 200],
    ])
  })

  test('reports an invalid link before a password that is too short', async () => {
    expect((await visitor().post('/accounts/password/new/', { key: 'x', password: 'short' })).status).toBe(410)
  })
})

describe('a new password in the environment settings', () => {
  test('ends sessions and tokens; an unchanged password ends nothing', async () => {
    const ann = await world.person({ isDeveloper: true })
    const { username, email } = ann.actor
    const tokens = await tokensFor(world, app, ann)
    const browser = await signedIn(ann)
    const start = (password: string) =>
      world.em().transactional((em) => upsertAdmin({ ...world.context(), em }, { username, email, password }))
    await start(ann.password)
    expect([(await browser.get('/account/')).status, await statusWithToken(world, tokens.access_token)]).toEqual([
      200, 200,
    ])
    await start(NEW)
    expect((await browser.get('/account/')).status).toBe(303)
    expect((await refresh(world, app, tokens.refresh_token)).status).toBe(400)
    expect((await visitor().signIn(username, NEW)).status).toBe(303)
  })
})
