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

/** The greatest distance of the content from the top of the window, by width of the window. */
const MAX_TOP_PX = { 1280: 130, 320: 230 } as const

/**
 * Returns where a page of the application leaves the grid of docs/design.md: the header, the bar of a survey and the
 * content have the same edges, each part of the content begins and ends at them, the content begins near the top, and
 * the page has one primary action at most.
 */
const offGrid = (page: Page, width: keyof typeof MAX_TOP_PX): Promise<string[]> =>
  page.evaluate(`(() => {
    const main = document.querySelector('.app > main:not(.auth)')
    if (!main) return []
    const edges = (element) => {
      const { left, right } = element.getBoundingClientRect()
      const { paddingLeft, paddingRight } = getComputedStyle(element)
      return { left: left + parseFloat(paddingLeft), right: right - parseFloat(paddingRight) }
    }
    const differ = (one, other) => Math.abs(one - other) > 1
    const found = []
    const header = edges(document.querySelector('header.bar'))
    const bar = document.querySelector('.survey-bar')
    if (bar && (differ(edges(bar).left, header.left) || differ(edges(bar).right, header.right)))
      found.push('the bar of the survey is off the grid')
    const content = edges(main)
    const side = main.querySelector(':scope > .side')
    const isBeside = side && getComputedStyle(side).position === 'absolute'
    if (differ(content.left - (isBeside ? 200 : 0), header.left) || differ(content.right, header.right))
      found.push('the content is off the grid')
    const parts = [...main.children].filter((part) => part !== side && !part.matches('.hidden, svg, script'))
      .map((part) => [part, part.getBoundingClientRect()]).filter(([, { width, height }]) => width > 1 && height > 1)
    for (const [part, { left, right }] of parts)
      if (differ(left, content.left) || right > content.right + 1) found.push(part.outerHTML.slice(0, 80) + ' is off the grid')
    const top = Math.min(...parts.map(([, { top }]) => top + scrollY))
    if (top > ${MAX_TOP_PX[width]}) found.push('the content begins ' + top + ' px from the top')
    const primary = [...document.querySelectorAll('.primary')].filter((element) => element.checkVisibility())
    if (primary.length > 1) found.push('several primary actions: ' + primary.map((element) => element.textContent.trim()))
    const headings = document.querySelectorAll('h1').length
    if (headings !== 1) found.push(headings + ' headings of the first level')
    return found
  })()`)

/**
 * Returns the violations of a page on a desktop and on a phone, light and dark, and at a zoom of 200 percent: of the
 * rules of axe-core, of the grid, and of the width of the window.
 */
async function violationsOf(page: Page, name: string): Promise<string[]> {
  const found: string[] = []
  const check = async (screen: string, width: 320 | 1280, colorScheme: 'light' | 'dark', rules?: string[]) => {
    await page.setViewportSize({ width, height: 800 })
    await page.emulateMedia({ colorScheme })
    const all = [...(await violations(page, rules)), ...(await offGrid(page, width))]
    if (await isWide(page)) all.push('wider than the window')
    found.push(...all.map((violation) => `${name}, ${screen}-${colorScheme}: ${violation}`))
    await saveScreenshot(page, `site-map-${name}-${screen}-${colorScheme}`)
  }
  await check('desk', 1280, 'light')
  await check('small', 320, 'dark', DEPENDS_ON_SCREEN)
  await check('desk', 1280, 'dark', ['color-contrast'])
  await check('small', 320, 'light', ['color-contrast'])
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

  it('is accessible and on the grid in both colour schemes, on a desktop, at 320 pixels and at a zoom of 200 percent', async () => {
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
  }, 900_000)

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
