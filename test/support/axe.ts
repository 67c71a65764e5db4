import { createRequire } from 'node:module'
import { expect } from '@jest/globals'
import type { Page } from 'playwright-core'

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

interface Violation {
  id: string
  nodes: { html: string; failureSummary: string }[]
}

/**
 * What axe-core finds on a page against WCAG 2.2 AA and its best practices, and whether the page is wider than its
 * window: none is right. The browser's context has `bypassCSP`, for the script is not one of the page's own.
 */
export async function violations(page: Page): Promise<string[]> {
  // A click comes back when the next page has begun, and may find it still without any element.
  await page.waitForLoadState()
  await page.addScriptTag({ path: axe })
  const look = () =>
    page.evaluate(`axe.run({
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
    }).then(({ violations }) => violations)`) as Promise<Violation[]>
  // Where the page changes while axe walks through it, as an editor does that is still drawing, axe fails: look again.
  const found = await look().catch(look)
  const wide = await page.evaluate('document.documentElement.scrollWidth > innerWidth')
  return [
    ...found.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`)),
    ...(wide ? ['wider than the window'] : []),
  ]
}

/** Keeps a picture of the page in the folder that SCREENSHOTS names (`make screenshots` does). */
export async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env.SCREENSHOTS
  if (folder) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true })
}

/** Nothing is wrong with the page; and its picture. @param look what the page is seen with: `phone-dark` */
export async function expectClean(page: Page, where: string, look: string): Promise<void> {
  expect([where, await violations(page)]).toEqual([where, []])
  await picture(page, `${where.replaceAll(' ', '-')}-${look}`)
}
