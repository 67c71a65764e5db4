import { createRequire } from 'node:module'
import { expect } from '@jest/globals'
import type { Page } from 'playwright-core'

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

interface Violation {
  id: string
  nodes: { html: string; failureSummary: string }[]
}

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/**
 * Checks a page with axe-core: against WCAG 2.2 AA and the best practices of axe-core, or only against the given rules.
 * Also checks that the page is not wider than its window. The browser context needs `bypassCSP`, because the policy of
 * the page does not allow the script of axe-core.
 * @param rules the rules of axe-core to check; by default all
 * @returns the violations
 */
export async function violations(page: Page, rules?: readonly string[]): Promise<string[]> {
  // A click returns as soon as the next page starts to load.
  await page.waitForLoadState()
  await page.addScriptTag({ path: axe })
  const runAxe = () =>
    page.evaluate(
      `axe.run({ runOnly: ${JSON.stringify(rules ?? TAGS)} }).then(({ violations }) => violations)`,
    ) as Promise<Violation[]>
  // axe fails if the page changes during the check, for example while an editor is drawn. In this case, axe runs again.
  const found = await runAxe().catch(runAxe)
  const wide = await page.evaluate('document.documentElement.scrollWidth > innerWidth')
  return [
    ...found.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`)),
    ...(wide ? ['wider than the window'] : []),
  ]
}

/** Saves a screenshot of the page in the folder named by SCREENSHOTS, which `make screenshots` sets. */
export async function saveScreenshot(page: Page, name: string): Promise<void> {
  const folder = process.env.SCREENSHOTS
  if (folder) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true })
}

/**
 * Expects a page without violations, and saves its screenshot.
 *
 * @param name the name of the page
 * @param screen the screen and colour scheme, such as `phone-dark`
 */
export async function expectClean(page: Page, name: string, screen: string): Promise<void> {
  expect([name, await violations(page)]).toEqual([name, []])
  await saveScreenshot(page, `${name.replaceAll(' ', '-')}-${screen}`)
}
