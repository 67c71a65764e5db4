import { beforeAll, describe, expect, it } from '@jest/globals'
import type { Page } from 'playwright-core'
import { saveScreenshot, violations } from '../support/axe.ts'
import { useReceiver } from '../support/receiver.ts'
import { press, signInOn, useChromium } from '../support/use-chromium.ts'
import { useWorld } from '../support/world.ts'
import { addressOf, siteMap } from './site-map.ts'
import { createSiteMapData, type SiteMapData } from './site-map-data.ts'

const world = useWorld()
const receiver = useReceiver()
const chromium = useChromium()

/** The rules of axe-core whose result depends on the size and the colour scheme. The others run on a desktop only. */
const DEPENDS_ON_SCREEN = ['color-contrast', 'scrollable-region-focusable', 'target-size']

let data: SiteMapData

const isWide = (page: Page) => page.evaluate('document.documentElement.scrollWidth > innerWidth')

/** Returns the violations of a page on a desktop and on a phone, light and dark, and at a zoom of 200 percent. */
async function violationsOf(page: Page, name: string): Promise<string[]> {
  const found: string[] = []
  const check = async (screen: string, width: number, colorScheme: 'light' | 'dark', rules?: string[]) => {
    await page.setViewportSize({ width, height: 800 })
    await page.emulateMedia({ colorScheme })
    found.push(...(await violations(page, rules)).map((violation) => `${name}, ${screen}-${colorScheme}: ${violation}`))
    await saveScreenshot(page, `site-map-${name}-${screen}-${colorScheme}`)
  }
  await check('desk', 1280, 'light')
  await check('small', 320, 'dark', DEPENDS_ON_SCREEN)
  if (process.env.SCREENSHOTS) {
    await check('desk', 1280, 'dark')
    await check('small', 320, 'light')
  }
  await page.setViewportSize({ width: 640, height: 400 })
  if (await isWide(page)) found.push(`${name} is wider than the window at a zoom of 200 percent`)
  return found
}

beforeAll(async () => {
  data = await createSiteMapData(world, receiver)
}, 120_000)

describe('every page of the site map', () => {
  let page: Page
  const found: string[] = []

  it('is accessible in both colour schemes, on a desktop, at 320 pixels and at a zoom of 200 percent', async () => {
    page = await chromium.newPage({ viewport: { width: 1280, height: 800 }, bypassCSP: true, reducedMotion: 'reduce' })
    await page.route(/^https:/, (route) => route.fulfill({ contentType: 'image/svg+xml', body: data.picture }))
    for (const one of siteMap.filter(({ isPublic }) => isPublic)) {
      await visit(one)
      if (one.name !== 'showSharedReport') continue
      await page.getByLabel('Password').fill(data.reportPassword)
      await press(page, 'View report')
      await page.getByRole('heading', { name: 'Rye eaters' }).waitFor()
      found.push(...(await violationsOf(page, `${one.name}-open`)))
    }
    await page.goto(`${world.base}/account/`)
    await signInOn(page, data.owner)
    for (const one of siteMap.filter(({ isPublic }) => !isPublic)) await visit(one)
    expect(found).toEqual([])
  }, 600_000)

  async function visit(one: (typeof siteMap)[number]): Promise<void> {
    const address = addressOf(one, data)
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.emulateMedia({ colorScheme: 'light' })
    const reply = await page.goto(world.base + address)
    const isExpected = reply!.ok() && new URL(page.url()).pathname === new URL(world.base + address).pathname
    if (!isExpected) found.push(`${one.name}: ${address} returns ${reply!.status()} at ${page.url()}`)
    found.push(...(await violationsOf(page, one.name)))
  }
})
