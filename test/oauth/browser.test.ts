import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { expectClean } from '../support/axe.ts'
import { authorizePath, exchangeCode, minimalQuery, registerApp, statusWithToken, tokensFor } from '../support/oauth.ts'
import { onEveryScreen } from '../support/screens.ts'
import { press, submitSignIn, useChromium } from '../support/use-chromium.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()
const chromium = useChromium()
/** The site of the application, which has another origin. */
let appSite: Server
let appOrigin: string

beforeAll(async () => {
  appSite = createServer((_, response) => {
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end('<title>Tea Counter</title><h1>Back at Tea Counter</h1>')
  })
  await new Promise<void>((resolve) => appSite.listen(0, '127.0.0.1', resolve))
  appOrigin = `http://127.0.0.1:${(appSite.address() as AddressInfo).port}`
})

afterAll(async () => {
  appSite.closeAllConnections()
  await new Promise((resolve) => appSite.close(resolve))
})

const waitForHeading = (page: Page, heading: string | RegExp) => page.getByRole('heading', { name: heading }).waitFor()
const queryOf = (page: Page) => Object.fromEntries(new URL(page.url()).searchParams)

describe('the consent page', () => {
  test('redirects to another origin within the Content-Security-Policy', async () => {
    const page = await chromium.newPage()
    const app = await registerApp(world, { callback: `${appOrigin}/back` })
    for (const decision of ['Allow', 'Deny']) {
      await page.goto(world.base + authorizePath(minimalQuery(app)))
      if (decision === 'Allow') await submitSignIn(page, await world.person())
      await press(page, decision)
      await waitForHeading(page, 'Back at Tea Counter')
    }
  })

  test('redirects to an IPv6 loopback address, whose port the program chose', async () => {
    const program = createServer((_, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<title>Tea</title><h1>Back at Tea Counter</h1>'),
    )
    await new Promise<void>((resolve) => program.listen(0, '::1', resolve))
    const page = await chromium.newPage()
    const app = await registerApp(world, { callback: 'http://[::1]/back' })
    const callback = `http://[::1]:${(program.address() as AddressInfo).port}/back`
    await page.goto(world.base + authorizePath(minimalQuery({ ...app, callback })))
    await submitSignIn(page, await world.person())
    await press(page, 'Allow')
    await waitForHeading(page, 'Back at Tea Counter')
    program.closeAllConnections()
    await new Promise((resolve) => program.close(resolve))
  })

  test('fits on a phone, like the other pages that show the application, even if the application has a name of 100 characters and a long URL', async () => {
    const page = await chromium.newPage({ viewport: { width: 360, height: 780 }, bypassCSP: true })
    const owner = await world.person()
    const callback = `https://${'long-'.repeat(12)}host.example/${'back/'.repeat(40)}`
    const app = await registerApp(world, { owner, name: 'W'.repeat(100), callback })
    await tokensFor(world, app, owner)
    await page.goto(world.base + authorizePath(minimalQuery(app)))
    await submitSignIn(page, owner)
    await waitForHeading(page, /^Allow/)
    await expectClean(page, 'consent-long-name', 'phone-light')
    for (const [name, path] of [
      ['account', '/account/'],
      ['applications', '/accounts/developer/'],
      ['application', `/accounts/developer/${app.id}/`],
      ['application-delete', `/accounts/developer/${app.id}/delete/`],
    ] as const) {
      await page.goto(world.base + path)
      await expectClean(page, `${name}-long-name`, 'phone-light')
    }
  })
})

onEveryScreen('an application', 'is registered, authorized, limited to read-only and revoked', async (screen) => {
  const { page, expectClean, press, signIn } = screen
  const developer = await world.person()
  const user = await world.person({ email: `a.rather.long.name.${developer.actor.id}@tea-drinkers.example.org` })

  await page.goto(`${world.base}/account/keys/`)
  await signIn(developer)
  await page.getByRole('link', { name: 'Your applications' }).last().click()
  await waitForHeading(page, 'Your applications')
  await expectClean('applications-empty')
  await page.getByRole('link', { name: 'Register application' }).click()
  await waitForHeading(page, 'Register application')
  await page.getByLabel('Application name').fill('Tea Counter')
  await page.getByLabel('Homepage URL').fill(appOrigin)
  await page.getByLabel('Callback URL').fill('http://tea.example/back')
  await page.getByLabel('Description').fill('Counts cups of tea.')
  await press('Register')
  await page.getByText('must start with https://').waitFor()
  await expectClean('application-invalid')
  await page.getByLabel('Callback URL').fill(`${appOrigin}/back?from=canvass`)
  await press('Register')
  await page.locator('#client-secret').waitFor()
  await expectClean('application-registered')
  const app = {
    id: '',
    clientId: await page.locator('#client-id').innerText(),
    secret: await page.locator('#client-secret').innerText(),
    callback: `${appOrigin}/back?from=canvass`,
  }
  await page.getByRole('link', { name: 'Your applications' }).last().click()
  await page.getByText(app.clientId).waitFor()
  await expectClean('applications')
  await press('Sign out')
  await waitForHeading(page, 'Sign in')

  await page.goto(world.base + authorizePath({ ...minimalQuery(app), redirect_uri: `${appOrigin}/elsewhere` }))
  await waitForHeading(page, 'Authorization failed')
  await expectClean('consent-invalid-request')
  await page.goto(world.base + authorizePath({ ...minimalQuery(app), state: 'abc' }))
  await submitSignIn(page, user)
  await waitForHeading(page, 'Allow “Tea Counter” to access your account?')
  await expectClean('consent')
  await press('Deny')
  await waitForHeading(page, 'Back at Tea Counter')
  expect(queryOf(page)).toMatchObject({ from: 'canvass', error: 'access_denied', state: 'abc', iss: world.base })

  await page.goto(world.base + authorizePath({ ...minimalQuery(app), state: 'def' }))
  await page.getByRole('checkbox', { name: /^View/ }).uncheck()
  await page.getByRole('checkbox', { name: /^Create/ }).uncheck()
  await press('Allow')
  await page.getByText('Select at least one permission').waitFor()
  await expectClean('consent-no-permission')
  await press('Allow')
  await waitForHeading(page, 'Back at Tea Counter')
  const { code, ...rest } = queryOf(page)
  expect(rest).toEqual({ from: 'canvass', state: 'def', iss: world.base })
  const { body } = await exchangeCode(world, app, code!)
  expect(body.scope).toBe('read write')
  expect(await statusWithToken(world, body.access_token)).toBe(200)

  await page.goto(`${world.base}/account/`)
  await page.getByText('Tea Counter', { exact: true }).waitFor()
  await expectClean('account-authorized-app')
  await press('Make read-only: Tea Counter')
  await page.getByText('Access limited to read-only.').waitFor()
  await page.getByRole('link', { name: 'Revoke access of Tea Counter' }).click()
  await page.getByText('the application can no longer access your account').waitFor()
  await expectClean('revoke-access')
  await press('Revoke access')
  await page.getByText('Access revoked.').waitFor()
  expect(await statusWithToken(world, body.access_token)).toBe(401)
})
