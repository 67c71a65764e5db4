// Runs the browser tests, which save screenshots of each page on a phone and a desktop screen, in the light and the
// dark theme. Builds overviews of the screenshots in build/screenshots/. Run it as `make screenshots`.
import { spawn } from 'node:child_process'
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { html } from '../src/lib/html.ts'
import { launchBrowser } from '../test/support/browser.ts'

const root = path.resolve(import.meta.dirname, '..')
const folder = path.join(root, 'build/screenshots')
const JEST = ['--disable-warning=ExperimentalWarning', 'test/runner/run.ts']
const paths = process.argv.slice(2)
/** The tests to run, for example with `make screenshots ARGS=test/web/journey`. Default: the tests of all pages. */
const tests = paths.length > 0 ? paths : ['test/web', 'test/oauth/browser']
/** The number of pages on an overview sheet. */
const PAGES_PER_SHEET = 6
/** The end of the name of a screenshot file, for example `-phone-light.png`. */
const VARIANT = /(-(small|phone|desk))?(-(light|dark))?\.png$/
const pageOf = (name: string) => name.replace(VARIANT, '')

/**
 * Runs the browser tests with a folder for screenshots.
 * @returns whether all tests passed
 */
function takeScreenshots(): Promise<boolean> {
  const env = { ...process.env, SCREENSHOTS: folder }
  const child = spawn(process.execPath, [...JEST, ...tests], {
    cwd: root,
    env,
    stdio: 'inherit',
  })
  return new Promise((resolve) => child.once('close', (code) => resolve(code === 0)))
}

/** Returns an overview with a row for each page, phones first. Long pages are cropped; a click shows the whole page. */
const sheetOf = (pages: readonly string[], names: readonly string[]) => html`<!doctype html>
<meta charset="utf-8"><title>Canvass, every page</title>
<style>
  body { margin: 16px; background: #888; font: 14px sans-serif; }
  section { display: flex; gap: 12px; align-items: start; margin: 8px 0 24px; }
  h2 { margin: 0; font-size: 18px; overflow-wrap: anywhere; }
  img { width: 180px; max-height: 560px; object-fit: cover; object-position: top; display: block; }
  .desk { width: 580px; }
</style>${pages.map((page) => {
  const isDesk = (name: string) => name.includes('-desk')
  const row = names.filter((name) => pageOf(name) === page).sort((a, b) => Number(isDesk(a)) - Number(isDesk(b)))
  const linkTo = (name: string) =>
    html`<a href="${name}"><img src="${name}" alt="${name}" class="${isDesk(name) ? 'desk' : 'phone'}"></a>`
  return html`<h2>${page}</h2><section>${row.map(linkTo)}</section>`
})}`

await rm(folder, { recursive: true, force: true })
await mkdir(folder, { recursive: true })
const allPassed = await takeScreenshots()
const names = (await readdir(folder)).filter((name) => name.endsWith('.png')).sort()
const pages = [...new Set(names.map(pageOf))]
const browser = await launchBrowser()
const page = await browser.newPage({ viewport: { width: 1600, height: 1000 } })
for (let from = 0, sheet = 1; from < pages.length; from += PAGES_PER_SHEET, sheet += 1) {
  const file = path.join(folder, `sheet-${sheet}.html`)
  await writeFile(file, String(sheetOf(pages.slice(from, from + PAGES_PER_SHEET), names)))
  await page.goto(pathToFileURL(file).href)
  await page.screenshot({ path: path.join(folder, `sheet-${sheet}.jpeg`), type: 'jpeg', quality: 80, fullPage: true })
  console.log(`sheet ${sheet}: build/screenshots/sheet-${sheet}.html and .jpeg`)
}
await browser.close()
console.log(`${names.length} screenshots of ${pages.length} pages in build/screenshots/`)
if (!allPassed) {
  console.error('Some browser tests failed (see above). Screenshots can be missing.')
  process.exitCode = 1
}
