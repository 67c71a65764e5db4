import { describe, it } from '@jest/globals'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { expectClean } from './axe.ts'
import { openSection, press, signInOn, useChromium } from './use-chromium.ts'
import type { Person } from './world.ts'

/** A page on one of the screens, and the steps of a test on it. */
export interface ScreenTest {
  page: Page
  /** Opens a page in another browser. */
  newPage(options?: BrowserContextOptions): Promise<Page>
  /** Expects the page to have no accessibility violations, and saves its screenshot. */
  expectClean(name: string): Promise<void>
  /** Presses the button with exactly this label. */
  press(label: string): Promise<void>
  /** Follows a link of the main navigation. */
  openSection(name: string): Promise<void>
  /** Submits the sign-in form of the open page. */
  signIn(person: Pick<Person, 'actor' | 'password'>): Promise<void>
}

const SCREENS = [
  ['phone', 'dark', 360, 780],
  ['desk', 'light', 1280, 800],
] as const
/**
 * The other combinations of device and colour scheme, used only for screenshots. For tests, each device with one colour
 * scheme is enough, because an error depends on the colour scheme or on the device, rarely on both.
 */
const OTHER_SCREENS = [
  ['phone', 'light', 360, 780],
  ['desk', 'dark', 1280, 800],
] as const

/** Long enough for thirty pages on a busy machine. */
const TEST_TIMEOUT_MS = 120_000

/**
 * Adds a test that runs on a dark phone and a light desktop, each in a separate browser context. If SCREENSHOTS is set,
 * the test runs on both devices in both colour schemes.
 */
export function onEveryScreen(group: string, title: string, run: (screen: ScreenTest) => Promise<void>): void {
  const chromium = useChromium()
  describe(group, () => {
    it.each(process.env.SCREENSHOTS ? [...SCREENS, ...OTHER_SCREENS] : SCREENS)(
      `${title} (%s, %s)`,
      async (device, colorScheme, width, height) => {
        const screen = { colorScheme, viewport: { width, height } }
        // The policy of the pages does not allow the script of axe-core.
        const page = await chromium.newPage({ ...screen, bypassCSP: true })
        await run({
          page,
          newPage: (options) => chromium.newPage({ ...screen, ...options }),
          expectClean: (name) => expectClean(page, name, `${device}-${colorScheme}`),
          press: (label) => press(page, label),
          openSection: (name) => openSection(page, name),
          signIn: (person) => signInOn(page, person),
        })
      },
      TEST_TIMEOUT_MS,
    )
  })
}
