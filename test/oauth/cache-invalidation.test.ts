import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { Client } from '../support/client.ts'
import { type HttpBrowser, signInAs } from '../support/http-browser.ts'
import { type RegisteredApp, refresh, registerApp, tokensFor } from '../support/oauth.ts'
import { type RunningProgram, startProcess } from '../support/process.ts'
import { type Person, useWorld } from '../support/world.ts'

const world = useWorld({ realTime: true })
let secondServer: RunningProgram
let secondUrl: string
let app: RegisteredApp
beforeAll(async () => {
  secondServer = startProcess(world, 'test/support/second-process.ts')
  await secondServer.waitForOutput('ready')
  secondUrl = `http://127.0.0.1:${/port (\d+)/.exec(secondServer.output())![1]}`
  app = await registerApp(world)
}, 30_000)
afterAll(() => secondServer.kill('SIGTERM'))

/** Far below the 30 seconds for which a server caches credentials. */
const INVALIDATION_TIMEOUT_MS = 10_000

/** Returns the status of a request to the second server with these credentials. */
const statusAtSecond = async (authorization: string, write = false) => {
  const client = new Client(secondUrl, authorization)
  const path = '/api/v3/surveys/'
  return (await (write ? client.post(path, { json: { name: 'Tea' } }) : client.get(path))).status
}

/** Fills the cache of the second server, makes a change at the first one, and waits for the status at the second. */
async function expectInvalidation(
  authorization: string,
  status: number,
  change: () => Promise<unknown>,
  write = false,
) {
  expect(await statusAtSecond(authorization, write)).toBe(write ? 201 : 200)
  await change()
  for (const deadline = Date.now() + INVALIDATION_TIMEOUT_MS; Date.now() < deadline; await pause(10))
    if ((await statusAtSecond(authorization, write)) === status) return
  throw new Error(`the second server did not return ${status} within ${INVALIDATION_TIMEOUT_MS / 1000} seconds`)
}
const bearer = (token: string) => `Bearer ${token}`
const actionIn = (page: string, pattern: RegExp) => pattern.exec(page)![1]!

/** Signs in at the first server. */
async function signInAtFirst(): Promise<{ ann: Person; browser: HttpBrowser }> {
  const ann = await world.person()
  return { ann, browser: await signInAs(ann) }
}

describe('a second server on the same database', () => {
  test('applies a new password and a new email address immediately', async () => {
    const { ann, browser } = await signInAtFirst()
    const byEmail = ann.with(ann.actor.email, ann.password).authorization!
    const profile = { name: '', email: 'new@example.org', current: ann.password }
    await browser.post('/account/', profile)
    const { rows } = await world.application.services.pool.query<{ text: string }>(
      "select data->>'text' as text from pgboss.job where data->>'to' = 'new@example.org'",
    )
    const key = /key=(\S+)/.exec(rows[0]!.text)![1]!
    await expectInvalidation(byEmail, 401, () => browser.post('/accounts/email/', { key }))
    const change = { current: ann.password, password: 'another secret' }
    await expectInvalidation(ann.authorization!, 401, () => browser.post('/account/password/', change))
    expect(await statusAtSecond(ann.with(ann.apiKey, 'another secret').authorization!)).toBe(200)
  })

  test('applies the revocation of an API key immediately', async () => {
    const { ann, browser } = await signInAtFirst()
    const action = actionIn((await browser.get('/account/keys/')).text, /"(\/account\/keys\/\d+\/revoke\/)"/)
    await expectInvalidation(ann.authorization!, 401, () => browser.post(action))
  })

  test('applies every way of revoking tokens immediately', async () => {
    const { ann, browser } = await signInAtFirst()
    const credentials = { client_id: app.clientId, client_secret: app.secret }
    const first = await tokensFor(world, app, ann)
    await expectInvalidation(bearer(first.access_token), 401, () =>
      world.anonymous.post('/accounts/oauth/revoke/', { form: { ...credentials, token: first.access_token } }),
    )
    const rotated = await tokensFor(world, app, ann)
    const { body: fresh } = await refresh(world, app, rotated.refresh_token)
    await expectInvalidation(bearer(fresh.access_token), 401, async () => {
      await world.application.services.pool.query("update oauth_token set used_at = used_at - interval '61 seconds'")
      await refresh(world, app, rotated.refresh_token)
    })
    const second = await tokensFor(world, app, ann)
    const page = (await browser.get('/account/')).text
    await expectInvalidation(
      bearer(second.access_token),
      403,
      () => browser.post(actionIn(page, /"(\/account\/applications\/\d+\/limit\/)"/)),
      true,
    )
    await expectInvalidation(bearer(second.access_token), 401, () =>
      browser.post(actionIn(page, /"(\/account\/applications\/\d+\/revoke\/)"/)),
    )
    const developer = await world.person()
    const deleted = await registerApp(world, { owner: developer })
    const last = await tokensFor(world, deleted, ann)
    const developerBrowser = await signInAs(developer)
    await expectInvalidation(bearer(last.access_token), 401, () =>
      developerBrowser.post(`/accounts/developer/${deleted.id}/delete/`),
    )
  })

  test('clears its cache after it has lost the database connection on which it receives changes', async () => {
    const { ann, browser } = await signInAtFirst()
    const action = actionIn((await browser.get('/account/keys/')).text, /"(\/account\/keys\/\d+\/revoke\/)"/)
    await expectInvalidation(ann.authorization!, 401, async () => {
      const { rowCount } = await world.application.services.pool.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and query ilike '%listen%' and pid <> pg_backend_pid()`,
      )
      expect(rowCount).toBe(2)
      await browser.post(action)
    })
    const { ann: bob, browser: bobsBrowser } = await signInAtFirst()
    const change = { current: bob.password, password: 'another secret' }
    await expectInvalidation(bob.authorization!, 401, () => bobsBrowser.post('/account/password/', change))
  })
})
