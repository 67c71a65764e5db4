import { afterAll, beforeAll, describe, it } from '@jest/globals'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { expectClean } from './axe.ts'
import { launchBrowser } from './browser.ts'
import type { Person } from './world.ts'

/** Somebody in front of one screen. */
export interface Walk {
  page: Page
  /** A page of somebody else, in a browser of their own with such a screen. */
  another(options?: BrowserContextOptions): Promise<Page>
  /** Nothing is wrong with the page, and its picture is kept. */
  clean(where: string): Promise<void>
  /** Presses the button of that name. */
  press(label: string): Promise<void>
  /** Fills in the form of the sign-in page, and is in. */
  signIn(person: Account): Promise<void>
}

type Account = Pick<Person, 'actor' | 'password'>

/** Fills in the form of the sign-in page, which is shown. */
export async function signInOn(page: Page, { actor, password }: Account): Promise<void> {
  await page.getByLabel('Username or email').fill(actor.username)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('button', { name: 'Sign out', exact: true }).waitFor()
}

/** Long enough for a journey of thirty pages on a machine that is busy. */
const WALK_TIMEOUT_MS = 120_000
/** And for one page of it. */
const PAGE_TIMEOUT_MS = 15_000

/**
 * Walks through pages on a phone and on a desk, light and dark, each in a browser's context of its own.
 * @param title continues "on a phone: "
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
      ['desk', 1280, 800],
    ])(
      `on a %s: ${title}`,
      async (name, width, height) => {
        const opened: BrowserContext[] = []
        const open = async (options: BrowserContextOptions = {}) => {
          const context = await browser.newContext({ colorScheme, viewport: { width, height }, ...options })
          context.setDefaultTimeout(PAGE_TIMEOUT_MS)
          opened.push(context)
          return context.newPage()
        }
        try {
          // axe-core is no script of the page's own policy.
          const page = await open({ bypassCSP: true })
          const press = (label: string) => page.getByRole('button', { name: label, exact: true }).click()
          await walk({
            page,
            another: open,
            press,
            clean: (where) => expectClean(page, where, `${name}-${colorScheme}`),
            signIn: (person) => signInOn(page, person),
          })
        } finally {
          await Promise.all(opened.map((context) => context.close()))
        }
      },
      WALK_TIMEOUT_MS,
    )
  })
}
