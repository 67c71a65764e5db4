import { beforeAll, describe, expect, test } from '@jest/globals'
import { upsertAdmin } from '../../src/domain/account/commands.ts'
import { HttpBrowser, signInAs } from '../support/http-browser.ts'
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
import { createLoginUrl } from './login-url.ts'

const world = useWorld()
let app: RegisteredApp
beforeAll(async () => {
  app = await registerApp(world)
})

const newBrowser = () => new HttpBrowser(world.base)
const NEW_PASSWORD = 'another secret'
const KEEP_APPLICATIONS = 'name="keep_applications"'

/** Requests a password reset. @returns the key in the link of its message */
async function requestResetKey(person: Person): Promise<string> {
  await newBrowser().post('/accounts/password/', { username: person.actor.username })
  await world.runJobs()
  const { rows } = await world.application.services.pool.query<{ text: string }>(
    "select data->>'text' as text from pgboss.job where name = 'send-system-email' and data->>'account' = $1",
    [String(person.actor.id)],
  )
  return /key=(\S+)/.exec(rows.at(-1)!.text)![1]!
}

/** Returns the statuses of a request with the access token and of an exchange of the refresh token. */
const tokenStatuses = async ({ access_token, refresh_token }: Awaited<ReturnType<typeof tokensFor>>) => [
  await statusWithToken(world, access_token),
  (await refresh(world, app, refresh_token)).status,
]

describe('a new password on the account page', () => {
  test('revokes the tokens and pending codes of every application', async () => {
    const ann = await world.person()
    const browser = await signInAs(ann)
    expect((await browser.get('/account/')).text).not.toContain(KEEP_APPLICATIONS)
    const tokens = await tokensFor(world, app, ann)
    const code = await codeFor(app, ann)
    expect(await statusWithToken(world, tokens.access_token)).toBe(200)
    expect((await browser.get('/account/')).text).toContain(KEEP_APPLICATIONS)
    expect((await browser.post('/account/password/', { current: ann.password, password: NEW_PASSWORD })).status).toBe(
      303,
    )
    expect(await tokenStatuses(tokens)).toEqual([401, 400])
    const exchange = { grant_type: 'authorization_code', code, redirect_uri: app.callback }
    expect((await requestToken(world, app, exchange)).body.error).toBe('invalid_grant')
    expect((await browser.get('/account/')).text).toContain(
      'You have not given any application access to your account.',
    )
  })

  test('with keep_applications keeps the tokens, also after an invalid form, and never changes other accounts', async () => {
    const [ann, bob] = [await world.person(), await world.person()]
    const [tokens, bobsTokens] = [await tokensFor(world, app, ann), await tokensFor(world, app, bob)]
    const browser = await signInAs(ann)
    const change = { current: ann.password, password: NEW_PASSWORD, keep_applications: 'on' }
    const invalid = await browser.post('/account/password/', { ...change, password: 'short' })
    expect(invalid.text).toContain(`${KEEP_APPLICATIONS} value="on" checked`)
    expect((await browser.post('/account/password/', change)).status).toBe(303)
    expect(await tokenStatuses(tokens)).toEqual([200, 200])
    expect(
      (await browser.post('/account/password/', { current: NEW_PASSWORD, password: 'a third secret' })).status,
    ).toBe(303)
    expect(await tokenStatuses(bobsTokens)).toEqual([200, 200])
  })

  test('disables Basic credentials with the old password, and keeps API keys', async () => {
    const ann = await world.person()
    const { username, email } = ann.actor
    const clients = [
      ann,
      ann.with(username, ann.password),
      ann.with(email, ann.password),
      ann.with(username, ann.apiKey),
    ]
    const statuses = async () => Promise.all(clients.map(async (client) => (await client.get('/api/v3/')).status))
    expect(await statuses()).toEqual([200, 200, 200, 200])
    await (await signInAs(ann)).post('/account/password/', { current: ann.password, password: NEW_PASSWORD })
    expect(await statuses()).toEqual([401, 401, 401, 200])
    expect((await ann.with(ann.apiKey, NEW_PASSWORD).get('/api/v3/')).status).toBe(200)
  })

  test('also ends sessions and login URLs that a concurrent request creates with the old password', async () => {
    const [ann, developer] = [await world.person(), await world.person({ isDeveloper: true })]
    const browser = await signInAs(ann)
    const others = Array.from({ length: 8 }, newBrowser)
    const createUrl = () => createLoginUrl(world, developer, ann)
    const earlierUrl = await createUrl()
    const [change, ...results] = await Promise.allSettled([
      browser.post('/account/password/', { current: ann.password, password: NEW_PASSWORD }),
      ...Array.from({ length: 4 }, createUrl),
      ...others.map((other) => other.signIn(ann.actor.username, ann.password)),
    ])
    expect(change).toMatchObject({ value: { status: 303 } })
    for (const other of others) expect((await other.get('/account/')).status).toBe(303)
    const urls = results.flatMap((result) =>
      result.status === 'fulfilled' && typeof result.value === 'string' ? [result.value] : [],
    )
    for (const url of [earlierUrl, ...urls]) expect((await newBrowser().get(url)).status).toBe(410)
  })
})

describe('a new password by a reset link', () => {
  test('revokes the tokens of every application unless the owner chooses otherwise', async () => {
    const [ann, bob] = [await world.person(), await world.person()]
    expect((await newBrowser().get(`/accounts/password/new/?key=${await requestResetKey(bob)}`)).text).not.toContain(
      KEEP_APPLICATIONS,
    )
    const [annsTokens, bobsTokens] = [await tokensFor(world, app, ann), await tokensFor(world, app, bob)]
    const [annKey, bobKey] = [await requestResetKey(ann), await requestResetKey(bob)]
    expect((await newBrowser().get(`/accounts/password/new/?key=${annKey}`)).text).toContain(KEEP_APPLICATIONS)
    const submitPassword = (key: string, password: string) =>
      newBrowser().post('/accounts/password/new/', {
        key,
        password,
        ...(key === bobKey && { keep_applications: 'on' }),
      })
    expect((await submitPassword(bobKey, 'short')).text).toContain(`${KEEP_APPLICATIONS} value="on" checked`)
    expect((await submitPassword(annKey, 'short')).text).not.toContain('checked')
    for (const key of [annKey, bobKey]) expect((await submitPassword(key, NEW_PASSWORD)).status).toBe(200)
    expect([await tokenStatuses(annsTokens), await tokenStatuses(bobsTokens)]).toEqual([
      [401, 400],
      [200, 200],
    ])
  })

  test('returns 410 for an invalid link, even if the password is too short', async () => {
    expect((await newBrowser().post('/accounts/password/new/', { key: 'x', password: 'short' })).status).toBe(410)
  })
})

describe('a new ADMIN_PASSWORD', () => {
  test('ends sessions and tokens; an unchanged ADMIN_PASSWORD keeps them', async () => {
    const ann = await world.person({ isDeveloper: true })
    const { username, email } = ann.actor
    const tokens = await tokensFor(world, app, ann)
    const browser = await signInAs(ann)
    const upsert = (password: string) =>
      world.em().transactional((em) => upsertAdmin({ ...world.context(), em }, { username, email, password }))
    await upsert(ann.password)
    expect([(await browser.get('/account/')).status, await statusWithToken(world, tokens.access_token)]).toEqual([
      200, 200,
    ])
    await upsert(NEW_PASSWORD)
    expect((await browser.get('/account/')).status).toBe(303)
    expect((await refresh(world, app, tokens.refresh_token)).status).toBe(400)
    expect((await newBrowser().signIn(username, NEW_PASSWORD)).status).toBe(303)
  })
})
