import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type { Browser, Page } from 'playwright-core'
import { expectClean, saveScreenshot, violations } from '../support/axe.ts'
import { launchBrowser } from '../support/browser.ts'
import { authorizePath, exchangeCode, minimalQuery, registerApp, statusWithToken, tokensFor } from '../support/oauth.ts'
import { type Person, useWorld } from '../support/world.ts'

const world = useWorld()
let browser: Browser
/** The application's own site: another origin, which the browser is led to and from. */
let site: Server
let home: string

beforeAll(async () => {
  browser = await launchBrowser()
  site = createServer((_, response) => {
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end('<title>Tea Counter</title><h1>Back at Tea Counter</h1>')
  })
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
  home = `http://127.0.0.1:${(site.address() as AddressInfo).port}`
})

afterAll(async () => {
  await browser.close()
  site.closeAllConnections()
  await new Promise((resolve) => site.close(resolve))
})

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
const seen = (page: Page, heading: string | RegExp) => page.getByRole('heading', { name: heading }).waitFor()
const given = (page: Page) => Object.fromEntries(new URL(page.url()).searchParams)

const enter = async (page: Page, { actor, password }: Person) => {
  await page.getByLabel('Username or email').fill(actor.username)
  await page.getByLabel('Password').fill(password)
  await press(page, 'Sign in')
}

it('sign-in and consent redirect to another origin under our Content-Security-Policy', async () => {
  const context = await browser.newContext()
  context.setDefaultTimeout(15_000)
  try {
    const page = await context.newPage()
    const app = await registerApp(world, { callback: `${home}/back` })
    for (const decision of ['Allow', 'Deny']) {
      await page.goto(world.base + authorizePath(minimalQuery(app)))
      if (decision === 'Allow') await enter(page, await world.person())
      await press(page, decision)
      await seen(page, 'Back at Tea Counter')
    }
  } finally {
    await context.close()
  }
})

it('a name of 100 characters and a long URL fit on a phone', async () => {
  const context = await browser.newContext({ viewport: { width: 360, height: 780 }, bypassCSP: true })
  context.setDefaultTimeout(15_000)
  try {
    const page = await context.newPage()
    const owner = await world.person()
    const callback = `https://${'long-'.repeat(12)}host.example/${'back/'.repeat(40)}`
    const app = await registerApp(world, { owner, name: 'W'.repeat(100), callback })
    await tokensFor(world, app, owner)
    await page.goto(world.base + authorizePath(minimalQuery(app)))
    await enter(page, owner)
    await seen(page, /^Allow/)
    const paths = [
      '/account/',
      '/accounts/developer/',
      `/accounts/developer/${app.id}/`,
      `/accounts/developer/${app.id}/delete/`,
    ]
    const found = [await violations(page)]
    await saveScreenshot(page, `consent-long-phone-light`)
    for (const [at, path] of paths.entries()) {
      await page.goto(world.base + path)
      found.push(await violations(page))
      await saveScreenshot(page, `application-long-${at}-phone-light`)
    }
    expect(found).toEqual([[], [], [], [], []])
  } finally {
    await context.close()
  }
})

describe.each(['light', 'dark'] as const)('an application, %s,', (colorScheme) => {
  it.each([
    ['phone', 360, 780],
    ['desktop', 1280, 800],
  ])(
    'on a %s: registered, refused, let in, used, limited, revoked',
    async (name, width, height) => {
      const context = await browser.newContext({ colorScheme, viewport: { width, height }, bypassCSP: true })
      context.setDefaultTimeout(15_000)
      try {
        const page = await context.newPage()
        const email = `a.rather.long.name.${name}.${colorScheme}@tea-drinkers.example.org`
        const [developer, user] = [await world.person(), await world.person({ email })]
        const clean = async (where: string) => {
          await expectClean(page, where, `${name}-${colorScheme}`)
        }

        await page.goto(`${world.base}/account/keys/`)
        await enter(page, developer)
        await page.getByRole('link', { name: 'Your applications' }).click()
        await seen(page, 'Your applications')
        await clean('applications-none')
        await page.getByRole('link', { name: 'Register application' }).click()
        await seen(page, 'Register application')
        await page.getByLabel('Application name').fill('Tea Counter')
        await page.getByLabel('Homepage URL').fill(home)
        await page.getByLabel('Callback URL').fill('http://tea.example/back')
        await page.getByLabel('Description').fill('Counts who drinks what, and draws the leaves.')
        await press(page, 'Register')
        await page.getByText('must start with https://').waitFor()
        await clean('application-refused')
        await page.getByLabel('Callback URL').fill(`${home}/back?from=canvass`)
        await press(page, 'Register')
        await page.locator('#client-secret').waitFor()
        await clean('application-made')
        const app = {
          id: '',
          clientId: await page.locator('#client-id').innerText(),
          secret: await page.locator('#client-secret').innerText(),
          callback: `${home}/back?from=canvass`,
        }
        await page.getByRole('link', { name: 'Your applications' }).click()
        await page.getByText(app.clientId).waitFor()
        await clean('applications')
        await press(page, 'Sign out')
        await seen(page, 'Sign in')

        await page.goto(world.base + authorizePath({ ...minimalQuery(app), redirect_uri: `${home}/elsewhere` }))
        await seen(page, 'Authorization failed')
        await clean('consent-stranger')
        await page.goto(world.base + authorizePath({ ...minimalQuery(app), state: 'abc' }))
        await enter(page, user)
        await seen(page, 'Allow “Tea Counter” to access your account?')
        await clean('consent')
        await press(page, 'Deny')
        await seen(page, 'Back at Tea Counter')
        expect(given(page)).toMatchObject({ from: 'canvass', error: 'access_denied', state: 'abc', iss: world.base })

        await page.goto(world.base + authorizePath({ ...minimalQuery(app), state: 'def' }))
        await page.getByRole('checkbox', { name: /^View/ }).uncheck()
        await page.getByRole('checkbox', { name: /^Create/ }).uncheck()
        await press(page, 'Allow')
        await page.getByText('Select at least one permission').waitFor()
        await clean('consent-nothing')
        await press(page, 'Allow')
        await seen(page, 'Back at Tea Counter')
        const { code, ...rest } = given(page)
        expect(rest).toEqual({ from: 'canvass', state: 'def', iss: world.base })
        const { body } = await exchangeCode(world, app, code!)
        expect(body.scope).toBe('read write')
        expect(await statusWithToken(world, body.access_token)).toBe(200)

        await page.goto(`${world.base}/account/`)
        await page.getByText('Tea Counter', { exact: true }).waitFor()
        await clean('account-connected')
        await press(page, 'Make read-only: Tea Counter')
        await page.getByText('Access limited to read-only.').waitFor()
        await page.getByRole('link', { name: 'Revoke access of Tea Counter' }).click()
        await page.getByText('The application can no longer access your account').waitFor()
        await clean('revoke-access')
        await press(page, 'Revoke access')
        await page.getByText('Access revoked.').waitFor()
        expect(await statusWithToken(world, body.access_token)).toBe(401)
      } finally {
        await context.close()
      }
    },
    60_000,
  )
})
