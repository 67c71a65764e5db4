import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, test } from '@jest/globals'
import type { Browser, Page } from 'playwright-core'
import { saveScreenshot, violations } from '../support/axe.ts'
import { launchBrowser } from '../support/browser.ts'
import { Visitor } from '../support/http-browser.ts'
import { pageOf, responsesTo, text } from '../support/surveys.ts'
import { type Person, useWorld } from '../support/world.ts'

const world = useWorld()
let browser: Browser
let ann: Person
let survey: { id: number; uri: string }
let root: string
/** Somebody else's site: another origin, which serves what was pasted into its page. */
let theirs: Server
let pasted = ''

beforeAll(async () => {
  browser = await launchBrowser()
  ann = await world.person()
  const structure = { title: 'Tea & "cake"', form: [pageOf(text('first')), pageOf(text('second'))] }
  survey = (await ann.post('/api/v2/surveys/', { json: structure })).body
  root = `/account/surveys/${survey.id}/embeds/`
  theirs = createServer((_, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8')
    response.end(`<!doctype html><html lang="en"><title>Theirs</title><h1>Theirs</h1>${pasted}</html>`)
  })
  await new Promise<void>((resolve) => theirs.listen(0, 'localhost', resolve))
})
afterAll(async () => {
  await browser.close()
  theirs.closeAllConnections()
  await new Promise((resolve) => theirs.close(resolve))
})

/** The embeds page of somebody who is signed in. */
async function opened(options: Parameters<Browser['newContext']>[0] = {}): Promise<Page> {
  const context = await browser.newContext({ ...options, bypassCSP: true })
  context.setDefaultTimeout(15_000)
  const page = await context.newPage()
  await page.goto(world.base + root)
  await page.getByLabel('Username or email').fill(ann.actor.username)
  await page.getByLabel('Password').fill(ann.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Create a snippet' }).waitFor()
  return page
}

/** Makes a snippet on the page, and gives what would be copied. */
async function made(page: Page, kind: RegExp): Promise<string> {
  const before = await page.getByRole('textbox').count()
  await page.getByRole('radio', { name: kind }).check()
  await page.getByRole('button', { name: 'Create snippet' }).click()
  const snippet = page.getByRole('textbox').nth(before)
  await snippet.waitFor()
  return snippet.inputValue()
}

describe('a snippet on a page of another origin', () => {
  it.each([
    ['iframe', /Inline/, async (page: Page) => page.frameLocator('iframe')],
    [
      'popup',
      /Popup/,
      async (page: Page) => {
        await page.waitForFunction('window.canvassPopup === true')
        await page.getByRole('button', { name: 'Tea & "cake"' }).click()
        return page.frameLocator('dialog iframe')
      },
    ],
    [
      'link',
      /Link/,
      async (page: Page) => {
        await page.getByRole('link', { name: 'Tea & "cake"' }).click()
        return page.mainFrame()
      },
    ],
  ] as const)('%s: the survey is taken there', async (kind, name, enter) => {
    const desk = await opened()
    pasted = await made(desk, name)
    await desk.context().close()
    const context = await browser.newContext()
    context.setDefaultTimeout(15_000)
    const page = await context.newPage()
    await page.goto(`http://localhost:${(theirs.address() as AddressInfo).port}/`)
    const frame = await enter(page)
    for (const [at, question] of ['Text first', 'Text second'].entries()) {
      await frame.getByRole('textbox', { name: question }).fill(`${kind} ${at}`)
      await frame.getByRole('button', { name: at === 0 ? 'Next' : 'Submit' }).click()
    }
    await frame.getByRole('heading', { name: /Thank/ }).waitFor()
    await context.close()
    const [response] = (await responsesTo(world, survey.id)).slice(-1)
    expect(response).toMatchObject({ completed: 1 })
    expect(Object.values(response!.answers)).toEqual([`${kind} 0`, `${kind} 1`])
  })

  test('is copied by the Copy button', async () => {
    const page = await opened()
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    const snippet = await made(page, /Link/)
    await page
      .getByRole('button', { name: /^Copy snippet/ })
      .last()
      .click()
    await page
      .getByRole('status')
      .filter({ hasText: /^Copied$/ })
      .waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(snippet)
    await page.context().close()
  })
})

describe.each(['light', 'dark'] as const)('the page, %s,', (colorScheme) => {
  it.each([
    ['phone', 360, 780],
    ['desktop', 1280, 800],
  ])('on a %s: axe-core finds nothing', async (name, width, height) => {
    const page = await opened({ colorScheme, viewport: { width, height } })
    await made(page, /Inline/)
    expect(await violations(page)).toEqual([])
    await saveScreenshot(page, `embeds-${name}-${colorScheme}`)
    await page.context().close()
  })
})

describe('the embeds page without scripts', () => {
  test('creates, lists and deletes snippets for users with the Deploy role only', async () => {
    const collector = (await ann.post(`/api/v3/surveys/${survey.id}/collectors/`, { json: { name: 'Fair' } })).body.id
    const visitor = new Visitor(world.base)
    await visitor.signIn(ann.actor.username, ann.password)
    await visitor.get(root)
    const { to } = await visitor.post(root, { kind: 'link', collector: String(collector) })
    const page = await visitor.get(to!)
    expect(page.text).toContain('collector “Fair”')
    expect(page.text).toContain(`?collector=${collector}`)
    const id = /#snippet-(\d+)$/.exec(to!)![1]
    const other = (await ann.post('/api/v2/surveys/', { json: { title: 'Other' } })).body
    expect((await visitor.post(`/account/surveys/${other.id}/embeds/${id}/delete/`)).status).toBe(404)
    await visitor.post(`${root}${id}/delete/`)
    expect((await visitor.get(root)).text).not.toContain(`id="snippet-${id}"`)
    expect((await visitor.post(root, { kind: 'carpet' })).status).toBe(422)
    const stranger = await world.person()
    const theirs = new Visitor(world.base)
    await theirs.signIn(stranger.actor.username, stranger.password)
    expect((await theirs.get(root)).status).toBe(404)
  })
})
