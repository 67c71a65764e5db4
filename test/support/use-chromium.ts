import { afterAll, afterEach, beforeAll, expect } from '@jest/globals'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { launchBrowser } from './browser.ts'
import type { Person } from './world.ts'

/** Long enough for one step on a busy machine. */
const ACTION_TIMEOUT_MS = 15_000

export interface Chromium {
  /** Opens a page in a new browser context, which is closed after the test. */
  newPage(options?: BrowserContextOptions): Promise<Page>
}

/** The browser of the present test file. */
let current: { testPath: string | undefined; chromium: Chromium } | undefined

/**
 * Starts Chromium before the tests of a file and closes it after them. Call it at the top of the file. A test fails if
 * a page violates its Content-Security-Policy or if one of its scripts throws an error.
 */
export function useChromium(): Chromium {
  const { testPath } = expect.getState()
  if (current?.testPath !== testPath) current = { testPath, chromium: startChromium() }
  return current!.chromium
}

function startChromium(): Chromium {
  const contexts: BrowserContext[] = []
  const errors: string[] = []
  let browser: Browser

  beforeAll(async () => {
    browser = await launchBrowser()
  })
  afterEach(async () => {
    await Promise.all(contexts.splice(0).map((context) => context.close()))
    expect(errors.splice(0)).toEqual([])
  })
  afterAll(() => browser.close())

  return {
    async newPage(options) {
      const context = await browser.newContext(options)
      contexts.push(context)
      context.setDefaultTimeout(ACTION_TIMEOUT_MS)
      const page = await context.newPage()
      page.on('pageerror', (error) => errors.push(String(error)))
      page.on('console', (message) => {
        if (message.text().includes('Content Security Policy')) errors.push(message.text())
      })
      return page
    },
  }
}

/** Presses the button with exactly this label. */
export const press = (page: Page, label: string) => page.getByRole('button', { name: label, exact: true }).click()

/** The sections in the side list of the account. */
const BELOW_ACCOUNT = ['API keys', 'Webhooks']

/** Follows a link of the main navigation, or of the side list of the account. A button opens them on phones. */
export async function openSection(page: Page, name: string): Promise<void> {
  if (BELOW_ACCOUNT.includes(name)) {
    await openSection(page, 'Account')
    const list = page.getByRole('navigation', { name: 'Account', exact: true })
    const button = list.getByRole('button')
    if (await button.isVisible()) await button.click()
    return list.getByRole('link', { name, exact: true }).click()
  }
  const menu = page.getByRole('button', { name: 'Menu', exact: true })
  if (await menu.isVisible()) await menu.click()
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true }).click()
}

type Credentials = Pick<Person, 'actor' | 'password'>

/** Submits the sign-in form of the open page. */
export async function submitSignIn(page: Page, { actor, password }: Credentials): Promise<void> {
  await page.getByLabel('Username or email').fill(actor.username)
  await page.getByLabel('Password').fill(password)
  await press(page, 'Sign in')
}

/** Submits the sign-in form of the open page, and waits for a page of the account. */
export async function signInOn(page: Page, credentials: Credentials): Promise<void> {
  await submitSignIn(page, credentials)
  await page.getByRole('button', { name: 'Sign out', exact: true }).waitFor()
}
