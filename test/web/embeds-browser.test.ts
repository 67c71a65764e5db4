import { beforeAll, describe, expect, it, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { signInAs } from '../support/http-browser.ts'
import { useOtherSite } from '../support/other-site.ts'
import { makeSurvey } from '../support/responses.ts'
import { onEveryScreen } from '../support/screens.ts'
import { addSurvey, pageOf, storedResponses, text } from '../support/surveys.ts'
import { signInOn, useChromium } from '../support/use-chromium.ts'
import { type Person, useWorld } from '../support/world.ts'

const world = useWorld()
const chromium = useChromium()
const otherSite = useOtherSite()
const TITLE = 'Tea & "cake"'
let ann: Person
let id: number
let root: string

beforeAll(async () => {
  ann = await world.person()
  id = (await addSurvey(ann, { title: TITLE, form: [pageOf(text('first')), pageOf(text('second'))] })).survey.id
  root = `/account/surveys/${id}/embeds/`
})

async function openEmbedsPage(page: Page): Promise<void> {
  await page.goto(world.base + root)
  await signInOn(page, ann)
  await page.getByRole('heading', { name: 'Create a snippet' }).waitFor()
}

/** Creates a snippet on the embeds page. @returns its HTML */
async function createSnippet(page: Page, kind: RegExp): Promise<string> {
  const count = await page.getByRole('textbox').count()
  await page.getByRole('radio', { name: kind }).check()
  await page.getByRole('button', { name: 'Create snippet' }).click()
  const snippet = page.getByRole('textbox').nth(count)
  await snippet.waitFor()
  return snippet.inputValue()
}

/** Opens the page of the other site. */
async function openOtherSite(): Promise<Page> {
  const page = await chromium.newPage()
  await page.goto(otherSite.url)
  return page
}

describe('a snippet on a page of another origin', () => {
  it.each([
    ['iframe', /Inline/, async (page: Page) => page.frameLocator(`iframe[title='${TITLE}']`)],
    [
      'popup',
      /Popup/,
      async (page: Page) => {
        await page.waitForFunction('window.canvassPopups?.size > 0')
        await page.getByRole('button', { name: TITLE }).click()
        return page.frameLocator('dialog iframe')
      },
    ],
    [
      'link',
      /Link/,
      async (page: Page) => {
        await page.getByRole('link', { name: TITLE }).click()
        return page.mainFrame()
      },
    ],
  ] as const)('of the kind %s opens the survey, which can be completed there', async (kind, label, openSurvey) => {
    const embedsPage = await chromium.newPage()
    await openEmbedsPage(embedsPage)
    otherSite.html = await createSnippet(embedsPage, label)
    const frame = await openSurvey(await openOtherSite())
    for (const [index, question] of ['Text first', 'Text second'].entries()) {
      await frame.getByRole('textbox', { name: question }).fill(`${kind} ${index}`)
      await frame.getByRole('button', { name: index === 0 ? 'Next' : 'Submit' }).click()
    }
    await frame.getByRole('heading', { name: /Thank/ }).waitFor()
    const [response] = (await storedResponses(world, id)).slice(-1)
    expect(response).toMatchObject({ completed: 1 })
    expect(Object.values(response!.answers)).toEqual([`${kind} 0`, `${kind} 1`])
  })
})

describe('a popup snippet', () => {
  beforeAll(async () => {
    const { body } = await ann.post('/api/v3/embeds/', { form: { survey: id, kind: 'popup' } })
    otherSite.html = body.html.repeat(2)
  })

  test('closes its dialog with Escape and the Close button, and returns the focus', async () => {
    const page = await openOtherSite()
    const button = page.getByRole('button', { name: TITLE }).first()
    const dialog = page.getByRole('dialog', { name: TITLE })
    await page.waitForFunction('window.canvassPopups?.size > 0')

    await button.click()
    await page.frameLocator('dialog iframe').getByText('Text first').first().waitFor()
    expect(await dialog.count()).toBe(1)
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    expect(await button.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true)

    await button.press('Enter')
    await dialog.getByRole('button', { name: 'Close' }).click()
    await dialog.waitFor({ state: 'detached' })
  })

  test('opens its own survey on a page that also contains a snippet of another server', async () => {
    const { body } = await ann.post('/api/v3/embeds/', { form: { survey: id, kind: 'popup' } })
    const ofOtherServer = body.html.replaceAll('127.0.0.1', 'localhost')
    const page = await chromium.newPage()
    otherSite.html = ofOtherServer + body.html
    await page.goto(otherSite.url)
    await page.waitForFunction('window.canvassPopups?.size === 2')
    for (const host of ['localhost', '127.0.0.1']) {
      await page.locator(`button[data-canvass-survey*="//${host}:"]`).click()
      expect(await page.locator('dialog iframe').getAttribute('src')).toContain(`//${host}:`)
      await page.getByRole('button', { name: 'Close' }).click()
    }
  })

  test('opens no dialog for an address of another origin', async () => {
    const page = await openOtherSite()
    await page.waitForFunction('window.canvassPopups?.size > 0')
    const button = page.getByRole('button').first()
    await button.evaluate((element) => element.setAttribute('data-canvass-survey', 'https://example.org/'))
    await button.click()
    expect(await page.locator('dialog').count()).toBe(0)
  })
})

describe('the Copy button of the embeds page', () => {
  test('copies the snippet', async () => {
    const page = await chromium.newPage()
    await openEmbedsPage(page)
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    const snippet = await createSnippet(page, /Link/)
    await page
      .getByRole('button', { name: /^Copy snippet/ })
      .last()
      .click()
    await page
      .getByRole('status')
      .filter({ hasText: /^Copied$/ })
      .waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(snippet)
  })
})

onEveryScreen('the embeds page', 'has no accessibility violations', async ({ page, expectClean }) => {
  await openEmbedsPage(page)
  await createSnippet(page, /Inline/)
  await expectClean('embeds')
})

describe('the embeds page without scripts', () => {
  test('creates, lists and deletes snippets of a survey, and returns 404 to other users', async () => {
    const collector = (await ann.post(`/api/v3/surveys/${id}/collectors/`, { json: { name: 'Fair' } })).body.id
    const browser = await signInAs(ann)
    await browser.get(root)
    const { to } = await browser.post(root, { kind: 'link', collector: String(collector) })
    const page = await browser.get(to!)
    expect(page.text).toContain('collector “Fair”')
    expect(page.text).toContain(`?collector=${collector}`)
    const snippetId = /#snippet-(\d+)$/.exec(to!)![1]
    const otherSurvey = await makeSurvey(ann, { title: 'Other' })
    expect((await browser.post(`/account/surveys/${otherSurvey}/embeds/${snippetId}/delete/`)).status).toBe(404)
    await browser.post(`${root}${snippetId}/delete/`)
    expect((await browser.get(root)).text).not.toContain(`id="snippet-${snippetId}"`)
    expect((await browser.post(root, { kind: 'unknown' })).status).toBe(422)
    expect((await (await signInAs(await world.person())).get(root)).status).toBe(404)
  })
})
