import { beforeAll, describe, expect, it } from '@jest/globals'
import type { Page } from 'playwright-core'
import { accountRoutes, publicRoutes, respondentRoutes } from '../../src/web/routes.ts'
import { surveyRoutes, webhookRoutes } from '../../src/web/survey-routes.ts'
import { saveScreenshot, violations } from '../support/axe.ts'
import { useReceiver } from '../support/receiver.ts'
import { press, signInOn, useChromium } from '../support/use-chromium.ts'
import { useWorld } from '../support/world.ts'
import { createSiteMapData, type SiteMapData } from './site-map-data.ts'

const world = useWorld()
const receiver = useReceiver()
const chromium = useChromium()

/** Pages that return a file, a part of another page, or a redirect. */
const NOT_A_PAGE = new Set([
  ...['applyListForm', 'applyReportForm', 'countNewResponses', 'followShortLink', 'measureAccountTheme'],
  ...[
    'measureSurveyTheme',
    'resumeResponse',
    'returnFromSignIn',
    'exportFile',
    'showEmailHtml',
    'showImage',
    'showLogo',
  ],
  ...['showQrCode', 'showThemeSheet'],
])

/** The rules of axe-core whose result depends on the size and the colour scheme. The others run on a desktop only. */
const DEPENDS_ON_SCREEN = ['color-contrast', 'scrollable-region-focusable', 'target-size']

/** Public pages that ask an anonymous visitor to sign in. */
const ASKS_FOR_SIGN_IN = new Set(['showConsent', 'showDevMailbox', 'showDevMessage'])

const pages = [
  ...[...respondentRoutes, ...publicRoutes].map(([method, path, { name }]) => ({
    method,
    path,
    name,
    isPublic: !ASKS_FOR_SIGN_IN.has(name),
  })),
  ...[...accountRoutes, ...surveyRoutes].map(([method, path, , { name }]) => ({ method, path, name, isPublic: false })),
  ...webhookRoutes.map(([method, path, { name }]) => {
    return { method, path: `/account/webhooks/${path}`, name, isPublic: false }
  }),
].filter(({ method, name }) => method === 'GET' && !NOT_A_PAGE.has(name) && !name.startsWith('download'))

let data: SiteMapData

/** Returns an address of a page of the site map. */
function addressOf({ path, name }: (typeof pages)[number]): string {
  const address = path.replace(/(\w*)\/:(\w+)/g, (part, before: string, parameter: string) => {
    const value = data.values[`${name}/${parameter}`] ?? data.values[parameter === 'id' ? before : parameter]
    if (value === undefined) throw new Error(`${name}: site-map-data.ts has no value for “${part}”`)
    return `${before}/${value}`
  })
  return `${address}${data.queries[name] ?? ''}`
}

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
    for (const one of pages.filter(({ isPublic }) => isPublic)) {
      await visit(one)
      if (one.name !== 'showSharedReport') continue
      await page.getByLabel('Password').fill(data.reportPassword)
      await press(page, 'View report')
      await page.getByRole('heading', { name: 'Rye eaters' }).waitFor()
      found.push(...(await violationsOf(page, `${one.name}-open`)))
    }
    await page.goto(`${world.base}/account/`)
    await signInOn(page, data.owner)
    for (const one of pages.filter(({ isPublic }) => !isPublic)) await visit(one)
    expect(found).toEqual([])
  }, 600_000)

  async function visit(one: (typeof pages)[number]): Promise<void> {
    const address = addressOf(one)
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.emulateMedia({ colorScheme: 'light' })
    const reply = await page.goto(world.base + address)
    const isExpected = reply!.ok() && new URL(page.url()).pathname === new URL(world.base + address).pathname
    if (!isExpected) found.push(`${one.name}: ${address} returns ${reply!.status()} at ${page.url()}`)
    found.push(...(await violationsOf(page, one.name)))
  }
})
