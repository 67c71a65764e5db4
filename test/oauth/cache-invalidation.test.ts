import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { Client } from '../support/client.ts'
import { type RegisteredApp, refresh, registerApp, tokensFor, visitorOf } from '../support/oauth.ts'
import { type RunningProgram, startProcess } from '../support/process.ts'
import { type Person, useWorld } from '../support/world.ts'

const world = useWorld({ realTime: true })
let neighbour: RunningProgram
let there: string
let app: RegisteredApp
beforeAll(async () => {
  neighbour = startProcess(world, 'test/support/second-process.ts')
  await neighbour.waitForOutput('ready')
  there = `http://127.0.0.1:${/port (\d+)/.exec(neighbour.output())![1]}`
  app = await registerApp(world)
}, 30_000)
afterAll(() => neighbour.kill('SIGTERM'))

/** Far below the half minute for which a server believes what it does not hear of. */
const SOON = 10_000

/** How the other server answers to these credentials. */
const asks = async (authorization: string, write = false) => {
  const client = new Client(there, authorization)
  const path = '/api/v3/surveys/'
  return (await (write ? client.post(path, { json: { name: 'Tea' } }) : client.get(path))).status
}

/** Has the other server believe somebody, does something here, and waits until the other one knows. */
async function knowsOf(authorization: string, status: number, change: () => Promise<unknown>, write = false) {
  expect(await asks(authorization, write)).toBe(write ? 201 : 200)
  await change()
  for (const deadline = Date.now() + SOON; Date.now() < deadline; await pause(10))
    if ((await asks(authorization, write)) === status) return
  throw new Error(`the other server does not answer ${status} within ${SOON / 1000} seconds`)
}
const bearer = (token: string) => `Bearer ${token}`
const actionIn = (page: string, pattern: RegExp) => pattern.exec(page)![1]!

/** Somebody in front of the account page of this server. */
async function atHome(): Promise<{ ann: Person; browser: Awaited<ReturnType<typeof visitorOf>> }> {
  const ann = await world.person()
  return { ann, browser: await visitorOf(world, ann) }
}

describe('another server of the same database', () => {
  test('applies a new password and a new e-mail address immediately', async () => {
    const { ann, browser } = await atHome()
    const byEmail = ann.with(ann.actor.email, ann.password).authorization!
    const profile = { name: '', email: 'elsewhere@example.org', current: ann.password }
    await browser.post('/account/', profile)
    const { rows } = await world.application.services.pool.query<{ text: string }>(
      "select data->>'text' as text from pgboss.job where data->>'to' = 'elsewhere@example.org'",
    )
    const key = /key=(\S+)/.exec(rows[0]!.text)![1]!
    await knowsOf(byEmail, 401, () => browser.post('/accounts/email/', { key }))
    const change = { current: ann.password, password: 'another secret' }
    await knowsOf(ann.authorization!, 401, () => browser.post('/account/password/', change))
    expect(await asks(ann.with(ann.apiKey, 'another secret').authorization!)).toBe(200)
  })

  test('applies the revocation of an API key immediately', async () => {
    const { ann, browser } = await atHome()
    const action = actionIn((await browser.get('/account/keys/')).text, /"(\/account\/keys\/\d+\/revoke\/)"/)
    await knowsOf(ann.authorization!, 401, () => browser.post(action))
  })

  test('applies every way of revoking tokens immediately', async () => {
    const { ann, browser } = await atHome()
    const end = { client_id: app.clientId, client_secret: app.secret }
    const first = await tokensFor(world, app, ann)
    await knowsOf(bearer(first.access_token), 401, () =>
      world.anonymous.post('/accounts/oauth/revoke/', { form: { ...end, token: first.access_token } }),
    )
    const copied = await tokensFor(world, app, ann)
    const { body: fresh } = await refresh(world, app, copied.refresh_token)
    await knowsOf(bearer(fresh.access_token), 401, () => refresh(world, app, copied.refresh_token))
    const second = await tokensFor(world, app, ann)
    const page = (await browser.get('/account/')).text
    await knowsOf(
      bearer(second.access_token),
      403,
      () => browser.post(actionIn(page, /"(\/account\/applications\/\d+\/limit\/)"/)),
      true,
    )
    await knowsOf(bearer(second.access_token), 401, () =>
      browser.post(actionIn(page, /"(\/account\/applications\/\d+\/revoke\/)"/)),
    )
    const developer = await world.person()
    const doomed = await registerApp(world, { owner: developer })
    const last = await tokensFor(world, doomed, ann)
    const office = await visitorOf(world, developer)
    await knowsOf(bearer(last.access_token), 401, () => office.post(`/accounts/developer/${doomed.id}/delete/`))
  })

  test('clears its cache after a lost connection', async () => {
    const { ann, browser } = await atHome()
    const action = actionIn((await browser.get('/account/keys/')).text, /"(\/account\/keys\/\d+\/revoke\/)"/)
    await knowsOf(ann.authorization!, 401, async () => {
      const { rowCount } = await world.application.services.pool.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and query ilike '%listen%' and pid <> pg_backend_pid()`,
      )
      expect(rowCount).toBe(2)
      await browser.post(action)
    })
    const { ann: bob, browser: later } = await atHome()
    const change = { current: bob.password, password: 'another secret' }
    await knowsOf(bob.authorization!, 401, () => later.post('/account/password/', change))
  })
})
