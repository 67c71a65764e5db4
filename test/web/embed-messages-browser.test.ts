import { beforeAll, describe, expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { useOtherSite } from '../support/other-site.ts'
import { addSurvey, pageOf, text } from '../support/surveys.ts'
import { useChromium } from '../support/use-chromium.ts'
import { type Person, useWorld } from '../support/world.ts'

const world = useWorld()
const chromium = useChromium()
const otherSite = useOtherSite()
let ann: Person
beforeAll(async () => {
  ann = await world.person()
})

async function openOtherSite(): Promise<Page> {
  const page = await chromium.newPage()
  await page.goto(otherSite.url)
  return page
}

/** Returns the height of the frame, the height of the page in it, and the scroll position of the other site. */
const sizes = async (page: Page) => ({
  frame: await page.locator('iframe').evaluate((element) => element.getBoundingClientRect().height),
  content: (await page.frames()[1]!.evaluate('document.documentElement.scrollHeight')) as number,
  top: await page.locator('iframe').evaluate((element) => element.getBoundingClientRect().top),
})
const LONG = Array.from({ length: 12 }, (_, index) => text(`q${index}`))
/** Keeps the messages that the page receives, with their origins. */
const RECORDER = `<script>messages = []; addEventListener('message', ({ origin, data }) => messages.push({ origin, ...data }))</script>`

describe('an inline snippet', () => {
  let snippet: string
  beforeAll(async () => {
    const structure = { title: 'Tea', form: [pageOf(...LONG), pageOf(text('last'))] }
    const { survey } = await addSurvey(ann, structure)
    const { body } = await ann.post('/api/v3/embeds/', { form: { survey: survey.id, kind: 'iframe' } })
    snippet = body.html
  })

  test('has the height of each page, and shows the top of the next page', async () => {
    // The page is long below the frame: without the script, it would stay scrolled to the pressed button.
    otherSite.html = `${RECORDER}${snippet}<div style="height: 3000px"></div>`
    const page = await openOtherSite()
    const frame = page.frameLocator('iframe')
    await frame.getByRole('button', { name: 'Next' }).waitFor()
    await page.waitForFunction('document.querySelector("iframe").offsetHeight > 1000')
    const long = await sizes(page)
    expect(long.frame).toBe(long.content)
    await frame.getByRole('button', { name: 'Next' }).click()
    await frame.getByRole('textbox', { name: 'Text last' }).waitFor()
    await page.waitForFunction('document.querySelector("iframe").offsetHeight < 720')
    const short = await sizes(page)
    expect(short.frame).toBe(short.content)
    expect(Math.abs(short.top)).toBeLessThan(1)
    await frame.getByRole('button', { name: 'Submit' }).click()
    await frame.getByRole('heading', { name: /Thank/ }).waitFor()
    await page.waitForFunction('messages.some(({ type }) => type === "completed")')
    const messages = (await page.evaluate('messages')) as Record<string, unknown>[]
    expect(new Set(messages.map(({ origin }) => origin))).toEqual(new Set([world.base]))
    const members = messages.map(({ origin: _, height, ...rest }) => ({ ...rest, ...(height ? { height: true } : {}) }))
    const about = { source: 'canvass', version: 1 }
    expect(new Set(members.map((each) => JSON.stringify(each)))).toEqual(
      new Set(
        [
          { ...about, type: 'page' },
          { ...about, type: 'height', height: true },
          { ...about, type: 'completed' },
        ].map((each) => JSON.stringify(each)),
      ),
    )
    expect(messages.filter(({ type }) => type === 'completed')).toHaveLength(1)
    expect(messages.filter(({ type }) => type === 'page')).toHaveLength(3)
  })

  test('gets the height of its page even if the script is loaded after the survey', async () => {
    const [iframe, script] = snippet.split(/(?=<script)/)
    otherSite.html = iframe!
    const page = await openOtherSite()
    await page.frameLocator('iframe').getByRole('button', { name: 'Next' }).waitFor()
    expect((await sizes(page)).frame).toBe(720)
    await page.addScriptTag({ url: /src="([^"]+)"/.exec(script!)![1]! })
    await page.waitForFunction('document.querySelector("iframe").offsetHeight > 1000')
  })

  test('keeps its height of 720 pixels without scripts', async () => {
    otherSite.html = snippet
    const page = await chromium.newPage({ javaScriptEnabled: false })
    await page.goto(otherSite.url)
    const frame = page.frameLocator('iframe')
    await frame.getByRole('button', { name: 'Next' }).click()
    await frame.getByRole('textbox', { name: 'Text last' }).waitFor()
    expect(await page.locator('iframe').boundingBox()).toMatchObject({ height: 720 })
  })

  test('ignores messages of other origins and of other frames', async () => {
    otherSite.html = snippet
    const page = await openOtherSite()
    await page.waitForFunction('document.querySelector("iframe").offsetHeight > 1000')
    const before = (await page.locator('iframe').boundingBox())!.height
    const message = "postMessage({ source: 'canvass', version: 1, type: 'height', height: 5 }, '*')"
    await page.evaluate(message)
    await page.evaluate(`new Promise((resolve) => {
      const other = document.body.appendChild(document.createElement('iframe'))
      other.dataset.canvassFrame = ''
      other.srcdoc = "<script>parent.${message}</scr" + "ipt>"
      other.addEventListener('load', resolve)
    })`)
    expect((await page.locator('iframe').first().boundingBox())!.height).toBe(before)
    expect(await page.locator('iframe').last().getAttribute('style')).toBe(null)
  })
})

describe('a survey that is not in a frame', () => {
  test('sends no messages', async () => {
    const page = await chromium.newPage()
    await page.addInitScript('messages = []; addEventListener("message", ({ data }) => messages.push(data))')
    const { path } = await addSurvey(ann, { title: 'Alone', form: [pageOf(text('only'))] })
    await page.goto(world.base + path)
    await page.getByRole('button', { name: 'Submit' }).click()
    await page.getByRole('heading', { name: /Thank/ }).waitFor()
    expect(await page.evaluate('messages')).toEqual([])
  })
})
