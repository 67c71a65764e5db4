import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Browser, Page } from 'playwright-core'
import { launchBrowser } from '../support/browser.ts'
import { type Person, useWorld } from '../support/world.ts'

const world = useWorld()
let ann: Person
let browser: Browser
let survey: { id: number; deploy_uri: string }
beforeAll(async () => {
  browser = await launchBrowser()
  ann = await world.person()
  const question = { idname: 'text-response', id: 'q1', title: 'How was the tea?' }
  const structure = { title: 'Tea & "cake"', form: [{ children: [question] }] }
  survey = (await ann.post('/api/v2/surveys/', { json: structure })).body
})
afterAll(() => browser.close())

/** Somebody else's page with the snippets of some embeds in it. */
async function pasted(...kinds: string[]): Promise<Page> {
  const snippets = await Promise.all(
    kinds.map(async (kind) => (await ann.post('/api/v3/embeds/', { form: { survey: survey.id, kind } })).body.html),
  )
  const page = await browser.newPage()
  await page.setContent(
    `<!doctype html><html lang="en"><title>Theirs</title><h1>Theirs</h1>${snippets.join('')}</html>`,
  )
  return page
}

describe('a pasted snippet', () => {
  test('iframe: the survey is in the page', async () => {
    const page = await pasted('iframe')
    const frame = page.frameLocator('iframe[title=\'Tea & "cake"\']')
    await frame.getByText('How was the tea?').first().waitFor()
    await page.close()
  })

  test('link: it leads to the survey', async () => {
    const page = await pasted('link')
    await page.getByRole('link', { name: 'Tea & "cake"' }).click()
    await page.waitForURL(survey.deploy_uri)
    await page.close()
  })

  test('popup: the button opens the survey over the page, Escape and the close button close it', async () => {
    const page = await pasted('popup', 'popup')
    const button = page.getByRole('button', { name: 'Tea & "cake"' }).first()
    const dialog = page.getByRole('dialog', { name: 'Tea & "cake"' })
    await page.waitForFunction('window.canvassPopup === true')

    await button.click()
    await page.frameLocator('dialog iframe').getByText('How was the tea?').first().waitFor()
    expect(await dialog.count()).toBe(1)
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    expect(await button.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true)

    await button.press('Enter')
    await dialog.getByRole('button', { name: 'Close' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.close()
  })

  test('popup: a button that leads elsewhere is left alone', async () => {
    const page = await pasted('popup')
    await page.waitForFunction('window.canvassPopup === true')
    await page
      .getByRole('button')
      .evaluate((element) => element.setAttribute('data-canvass-survey', 'https://example.org/'))
    await page.getByRole('button').click()
    expect(await page.locator('dialog').count()).toBe(0)
    await page.close()
  })
})
