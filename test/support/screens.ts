import { afterAll, beforeAll, describe, it } from '@jest/globals'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { expectClean } from './axe.ts'
import { launchBrowser } from './browser.ts'
import type { Person } from './world.ts'

/** A test in a browser with one screen size and colour scheme. */
export interface Walk {
  page: Page
  /** Opens a page in another browser context with the same screen. */
  openAnother(options?: BrowserContextOptions): Promise<Page>
  /** Expects a page without accessibility violations and saves its screenshot. */
  clean(where: string): Promise<void>
  /** Clicks the button with this name. */
  press(label: string): Promise<void>
  /** Signs in on the sign-in page. */
  signIn(person: Account): Promise<void>
}

type Account = Pick<Person, 'actor' | 'password'>

/** Signs in on the sign-in page, which is open. */
export async function signInOn(page: Page, { actor, password }: Account): Promise<void> {
  await page.getByLabel('Username or email').fill(actor.username)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('button', { name: 'Sign out', exact: true }).waitFor()
}

const WALK_TIMEOUT_MS = 120_000
const PAGE_TIMEOUT_MS = 15_000

/**
 * Runs a test on a phone and on a desktop, in light and dark mode, each in a separate browser context.
 *
 * @param title the title of the test after "on a phone: "
 */
export function onEveryScreen(group: string, title: string, walk: (walk: Walk) => Promise<void>): void {
  let browser: Browser

  beforeAll(async () => {
    browser = await launchBrowser()
  })

  afterAll(() => browser.close())

  describe.each(['light', 'dark'] as const)(`${group}, %s,`, (colorScheme) => {
    it.each([
      ['phone', 360, 780],
      ['desktop', 1280, 800],
    ])(
      `on a %s: ${title}`,
      async (name, width, height) => {
        const contexts: BrowserContext[] = []
        const open = async (options: BrowserContextOptions = {}) => {
          const context = await browser.newContext({ colorScheme, viewport: { width, height }, ...options })
          context.setDefaultTimeout(PAGE_TIMEOUT_MS)
          contexts.push(context)
          return context.newPage()
        }
        try {
          // The content security policy of the pages does not allow axe-core.
          const page = await open({ bypassCSP: true })
          const press = (label: string) => page.getByRole('button', { name: label, exact: true }).click()
          await walk({
            page,
            openAnother: open,
            press,
            clean: (where) => expectClean(page, where, `${name}-${colorScheme}`),
            signIn: (person) => signInOn(page, person),
          })
        } finally {
          await Promise.all(contexts.map((context) => context.close()))
        }
      },
      WALK_TIMEOUT_MS,
    )
  })
}
