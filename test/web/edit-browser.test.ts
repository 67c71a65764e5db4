import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { demoStructure } from '../../src/command/demo-survey.ts'
import { expectClean, saveScreenshot } from '../support/axe.ts'
import { launchBrowser } from '../support/browser.ts'
import { makeSurvey } from '../support/responses.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()
let browser: Browser

beforeAll(async () => {
  browser = await launchBrowser()
})

afterAll(() => browser.close())

/** Somebody who has signed in and opened the editor of a survey. */
async function editing(
  looks: BrowserContextOptions,
  walk: (page: Page, at: { root: string; complaints: string[]; signIn: () => Promise<void> }) => Promise<void>,
) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...looks })
  context.setDefaultTimeout(15_000)
  try {
    const person = await world.person()
    const survey = await makeSurvey(person, demoStructure)
    const page = await context.newPage()
    const complaints: string[] = []
    page.on('console', (line) => line.type() === 'error' && complaints.push(line.text()))
    page.on('pageerror', (error) => complaints.push(String(error)))
    const root = `${world.base}/account/surveys/${survey}/edit/`
    await page.goto(root)
    const signIn = async () => {
      await page.getByLabel('Username or email').fill(person.actor.username)
      await page.getByLabel('Password').fill(person.password)
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await page.getByRole('button', { name: 'Sign out', exact: true }).waitFor()
    }
    await signIn()
    await page.getByRole('heading', { name: 'Structure' }).waitFor()
    await walk(page, { root, complaints, signIn })
  } finally {
    await context.close()
  }
}

const text = (page: Page) => page.getByRole('textbox', { name: /^Structure of version/ })
const preview = (page: Page) => page.frameLocator('iframe[name=preview]')

/** Puts the cursor behind a piece of the text, found as people find it. */
async function goBehind(page: Page, piece: string) {
  await text(page).focus()
  await page.keyboard.press('Control+Home')
  await page.keyboard.press('Control+f')
  await page.getByRole('textbox', { name: 'Find' }).pressSequentially(piece)
  await page.keyboard.press('Enter')
  await page.keyboard.press('Escape')
  await page.keyboard.press('ArrowRight')
}

describe('the structure editor in a browser', () => {
  it('shows an error at its line, previews the corrected text and saves it as a version', async () => {
    await editing({}, async (page, { complaints }) => {
      await preview(page).getByText('What do you drink in the morning?').waitFor()
      await goBehind(page, '"idname": "single-choice')
      for (let n = 0; n < 'single-choice'.length; n += 1) await page.keyboard.press('Backspace')
      const line = await page.locator('.cm-lineNumbers .cm-activeLineGutter').textContent()
      // Two conditions ask about its answer.
      await page.getByText('3 errors found.').waitFor()
      expect(await page.locator('#errors').textContent()).toContain('is required')
      const number = /Line (\d+)/.exec((await page.locator('#errors').textContent())!)![1]!
      expect(line).toBe(number)
      await page.locator('.cm-lint-marker-error').waitFor()
      const refused = page.waitForResponse((reply) => reply.status() === 422)
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await refused
      await page.getByText('3 errors found. Nothing was saved.').waitFor()
      await page.getByRole('button', { name: `Line ${number}` }).click()
      await page.keyboard.press('End')
      await page.keyboard.press('ArrowLeft')
      await page.keyboard.press('ArrowLeft')
      await page.keyboard.type('dropdo')
      await page.getByRole('option', { name: 'dropdown-choice' }).click()
      await goBehind(page, '"type": "single')
      for (let n = 0; n < 'single'.length; n += 1) await page.keyboard.press('Backspace')
      await page.keyboard.type('dropdown')
      await page.keyboard.press('Escape')
      await page.getByText('No errors found.').waitFor()
      await preview(page).locator('select').waitFor()
      await page.keyboard.press('Control+s')
      await page.getByText('Version 2 saved.').waitFor()
      await preview(page).locator('select').waitFor()
      // The keys that save leave the cursor where it was.
      await page.locator('.cm-focused').waitFor()
      expect(await page.locator('.cm-activeLine').textContent()).toContain('"type": "dropdown"')
      await page.getByRole('link', { name: 'Versions' }).click()
      await page.getByRole('link', { name: 'Show changes in version 2' }).click()
      await page.getByRole('heading', { name: 'Changes from version 1 to 2' }).waitFor()
      expect(await page.locator('tr.added').first().textContent()).toContain('"idname": "dropdown-choice"')
      expect(complaints.filter((line) => !line.includes('422'))).toEqual([])
    })
  }, 60_000)

  it('shows the page at the cursor, keeps answers in the preview, and lets Tab leave the editor', async () => {
    await editing({}, async (page, { complaints }) => {
      await goBehind(page, '"id": "recommend')
      await preview(page).getByText('How likely are you to recommend that').waitFor()
      await preview(page).getByRole('button', { name: 'Page 1' }).click()
      await preview(page).getByLabel('Coffee').check()
      await preview(page).getByRole('button', { name: 'Next' }).click()
      await preview(page).getByText('How important to you is').waitFor()
      await page.keyboard.press('Escape')
      await text(page).press('Escape')
      await page.keyboard.press('Tab')
      expect(await page.evaluate("document.activeElement.closest('.cm-editor') === null")).toBe(true)
      expect(complaints).toEqual([])
    })
  }, 60_000)

  it('shows both versions after a conflict and saves the chosen one', async () => {
    await editing({}, async (page, { root }) => {
      await preview(page).getByText('What do you drink in the morning?').waitFor()
      const other = await page.context().newPage()
      await other.goto(root)
      await goBehind(other, '"en": "Tea')
      await other.keyboard.type(' leaves')
      await other.keyboard.press('Control+s')
      await other.getByText('Version 2 saved.').waitFor()
      await goBehind(page, '"en": "Coffee')
      await page.keyboard.type(' beans')
      await page.getByText('Someone else has saved version 2.').waitFor()
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await page.getByRole('heading', { name: 'Someone else saved a new version' }).waitFor()
      await preview(page).getByText('Coffee beans').waitFor()
      await text(page).scrollIntoViewIfNeeded()
      await saveScreenshot(page, `edit-conflict-desktop-light`)
      expect(await page.locator('tr.removed').allTextContents()).toEqual(
        expect.arrayContaining([expect.stringContaining('Tea leaves')]),
      )
      expect(await page.locator('tr.added').allTextContents()).toEqual(
        expect.arrayContaining([expect.stringContaining('Coffee beans')]),
      )
      await page.getByRole('button', { name: 'Save my version' }).click()
      await page.getByText('Version 3 saved.').waitFor()
    })
  }, 60_000)

  it('restores unsaved text after the session has ended', async () => {
    await editing({}, async (page, { root, signIn }) => {
      await preview(page).getByText('What do you drink in the morning?').waitFor()
      await page.context().clearCookies()
      await goBehind(page, '"en": "Coffee')
      await page.keyboard.type(' beans')
      await page.getByText('You are signed out.').waitFor()
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await signIn()
      await page.goto(root)
      await page.getByRole('button', { name: 'Restore' }).click()
      await preview(page).getByText('Coffee beans').waitFor()
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await page.getByText('Version 2 saved.').waitFor()
      await page.getByText('No errors found.').waitFor()
      expect(await page.getByRole('button', { name: 'Restore' }).count()).toBe(0)
    })
  }, 60_000)

  it('works without scripts', async () => {
    await editing({ javaScriptEnabled: false }, async (page) => {
      const area = page.getByLabel(/^Structure of version/)
      const whole = await area.inputValue()
      await area.fill(whole.replace('"en": "Tea"', '"en": 7'))
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await page.getByText('/form/0/children/0/children/0/choices/0/label/en').waitFor()
      await area.fill(whole.replace('"en": "Tea"', '"en": "Green tea"'))
      await page.getByRole('button', { name: 'Preview', exact: true }).click()
      await preview(page).getByText('Green tea').waitFor()
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await page.getByText('Version 2 saved.').waitFor()
    })
  }, 60_000)
})

describe.each(['light', 'dark'] as const)('the pages of the editor, %s,', (colorScheme) => {
  it.each([
    ['phone', 360, 780],
    ['desktop', 1280, 800],
  ])(
    'on a %s: axe-core finds nothing',
    async (name, width, height) => {
      await editing({ colorScheme, viewport: { width, height }, bypassCSP: true }, async (page, { root }) => {
        const clean = async (where: string) => {
          await expectClean(page, where, `${name}-${colorScheme}`)
        }
        await preview(page).getByText('What do you drink in the morning?').waitFor()
        await page.getByText('No errors found.').waitFor()
        await clean('edit')
        await goBehind(page, '"idname": "single-choice')
        await page.keyboard.type('x')
        await page.getByText('2 errors found.').waitFor()
        await page.keyboard.press('Escape')
        await page.keyboard.press('Control+f')
        await page.getByRole('textbox', { name: 'Find' }).waitFor()
        await clean('edit-faults')
        const refused = page.waitForResponse((reply) => reply.status() === 422)
        await page.getByRole('button', { name: 'Save', exact: true }).click()
        await refused
        await page.getByText('2 errors found. Nothing was saved.').waitFor()
        await clean('edit-refused')
        await page.goto(`${root}preview/`)
        await clean('edit-preview')
        await page.goto(`${root}versions/`)
        await clean('edit-versions')
        await page.goto(`${root}versions/1/`)
        await clean('edit-version')
        await page.goto(`${root}versions/1/restore/`)
        await page.getByRole('button', { name: 'Restore version' }).click()
        await page.getByText('Version 1 restored as version 2.').waitFor()
        await clean('edit-versions-two')
        await page.goto(`${root}versions/1/restore/`)
        await clean('edit-restore')
        await page.goto(`${root}settings/`)
        await page
          .getByLabel('Title (English)')
          .fill('How do you take your coffee, and when, and with whom, on a working day?')
        await page.getByLabel('Password').fill('open sesame')
        await page.getByRole('button', { name: 'Save settings' }).click()
        await page.getByText('Settings saved. The introduction is saved as version 3.').waitFor()
        await clean('edit-settings')
        await page.goto(`${root}versions/diff/?from=1&to=3`)
        await clean('edit-diff')
        await page.goto(`${root}settings/`)
        await page.getByLabel('Redirect to').fill('ftp://example.org')
        await page.getByRole('button', { name: 'Save settings' }).click()
        await page.getByText('must start with https:// or http://').waitFor()
        await clean('edit-settings-refused')
      })
    },
    60_000,
  )
})
