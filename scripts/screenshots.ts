// Pictures of every page, phone and desk, light and dark, and a sheet of them all: build/screenshots/. The browser tests
// take them on their way. Run it as `make screenshots`.
import { spawn } from 'node:child_process'
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { html } from 'hono/html'
import { launchBrowser } from '../test/support/browser.ts'

const root = path.resolve(import.meta.dirname, '..')
const folder = path.join(root, 'build/screenshots')
const JEST = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', 'node_modules/jest/bin/jest.js']
/** Which tests, if not all that show a page: make screenshots ARGS=test/web/journey */
const named = process.argv.slice(2)
const tests = named.length > 0 ? named : ['test/web', 'test/oauth/browser']
/** Pages on one sheet; a longer one could not be looked at. */
const ON_A_SHEET = 6
/** What a picture is called after its page: `-phone-light.png`. */
const LOOK = /(-(small|phone|desk))?(-(light|dark))?\.png$/
const pageOf = (name: string) => name.replace(LOOK, '')

/** Runs the browser tests with a folder for pictures. @returns whether all went well */
function takePictures(): Promise<boolean> {
  const env = { ...process.env, SCREENSHOTS: folder }
  const child = spawn(process.execPath, [...JEST, ...tests], {
    cwd: root,
    env,
    stdio: 'inherit',
  })
  return new Promise((resolve) => child.once('close', (code) => resolve(code === 0)))
}

/** A row for each page, phones first. A long page is cut off; a click shows the whole. */
const sheetOf = (pages: readonly string[], names: readonly string[]) => html`<!doctype html>
<meta charset="utf-8"><title>Canvass, every page</title>
<style>
  body { margin: 16px; background: #888; font: 14px sans-serif; }
  section { display: flex; gap: 12px; align-items: start; margin: 8px 0 24px; }
  h2 { margin: 0; font-size: 18px; overflow-wrap: anywhere; }
  img { width: 180px; max-height: 560px; object-fit: cover; object-position: top; display: block; }
  .desk { width: 580px; }
</style>${pages.map((page) => {
  const desk = (name: string) => name.includes('-desk')
  const row = names.filter((name) => pageOf(name) === page).sort((a, b) => Number(desk(a)) - Number(desk(b)))
  const seen = (name: string) =>
    html`<a href="${name}"><img src="${name}" alt="${name}" class="${desk(name) ? 'desk' : 'phone'}"></a>`
  return html`<h2>${page}</h2><section>${row.map(seen)}</section>`
})}`

await rm(folder, { recursive: true, force: true })
await mkdir(folder, { recursive: true })
const green = await takePictures()
const names = (await readdir(folder)).filter((name) => name.endsWith('.png')).sort()
const pages = [...new Set(names.map(pageOf))]
const browser = await launchBrowser()
const page = await browser.newPage({ viewport: { width: 1600, height: 1000 } })
for (let from = 0, sheet = 1; from < pages.length; from += ON_A_SHEET, sheet += 1) {
  const file = path.join(folder, `sheet-${sheet}.html`)
  await writeFile(file, String(sheetOf(pages.slice(from, from + ON_A_SHEET), names)))
  await page.goto(pathToFileURL(file).href)
  await page.screenshot({ path: path.join(folder, `sheet-${sheet}.jpeg`), type: 'jpeg', quality: 80, fullPage: true })
  console.log(`sheet ${sheet}: build/screenshots/sheet-${sheet}.html and .jpeg`)
}
await browser.close()
console.log(`${names.length} pictures of ${pages.length} pages in build/screenshots/`)
if (!green) {
  console.error('Some browser tests failed (above), so pictures may be missing.')
  process.exitCode = 1
}
