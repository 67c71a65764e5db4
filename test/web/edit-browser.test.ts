import { describe, expect, it } from '@jest/globals'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { demoStructure } from '../../src/command/demo.ts'
import { saveScreenshot } from '../support/axe.ts'
import { makeSurvey } from '../support/responses.ts'
import { onEveryScreen } from '../support/screens.ts'
import { press, signInOn, useChromium } from '../support/use-chromium.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()
const chromium = useChromium()

/** Signs in on a page, and opens the structure editor of a new survey. */
async function openEditor(page: Page) {
  const person = await world.person()
  const id = await makeSurvey(person, demoStructure)
  const root = `${world.base}/account/surveys/${id}/edit/`
  await page.goto(`${root}json/`)
  await signInOn(page, person)
  await page.getByRole('heading', { name: 'Structure' }).waitFor()
  return { person, root }
}

/** Opens the structure editor on a desktop. @returns also the errors in the console of the page */
async function openEditorOnDesktop(options: BrowserContextOptions = {}) {
  const page = await chromium.newPage({ viewport: { width: 1280, height: 800 }, ...options })
  const consoleErrors: string[] = []
  page.on('console', (message) => message.type() === 'error' && consoleErrors.push(message.text()))
  return { page, consoleErrors, ...(await openEditor(page)) }
}

const structureBox = (page: Page) => page.getByRole('textbox', { name: /^Structure of / })
const preview = (page: Page) => page.frameLocator('iframe[name=preview]')

/** Searches a text in the editor and puts the cursor after it. */
async function moveCursorAfter(page: Page, searchText: string) {
  await structureBox(page).focus()
  await page.keyboard.press('Control+Home')
  await page.keyboard.press('Control+f')
  await page.getByRole('textbox', { name: 'Find' }).pressSequentially(searchText)
  await page.keyboard.press('Enter')
  await page.keyboard.press('Escape')
  await page.keyboard.press('ArrowRight')
}

describe('the structure editor in Chromium', () => {
  it('shows an error at its line, previews the corrected text and saves it as a version', async () => {
    const { page, consoleErrors } = await openEditorOnDesktop()
    await preview(page).getByText('What do you drink in the morning?').waitFor()
    await moveCursorAfter(page, '"idname": "single-choice')
    for (let n = 0; n < 'single-choice'.length; n += 1) await page.keyboard.press('Backspace')
    const line = await page.locator('.cm-lineNumbers .cm-activeLineGutter').textContent()
    // One error for the missing type, and two for the conditions that use the answer to this question.
    await page.getByText('3 errors found.').waitFor()
    expect(await page.locator('#errors').textContent()).toContain('is required')
    const number = /Line (\d+)/.exec((await page.locator('#errors').textContent())!)![1]!
    expect(line).toBe(number)
    await page.locator('.cm-lint-marker-error').waitFor()
    const notSaved = page.waitForResponse((reply) => reply.status() === 422)
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    await notSaved
    await page.getByText('3 errors found. Nothing was saved.').waitFor()
    await page.getByRole('button', { name: `Line ${number}` }).click()
    await page.keyboard.press('End')
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.type('dropdo')
    await page.getByRole('option', { name: 'dropdown-choice' }).click()
    await moveCursorAfter(page, '"type": "single')
    for (let n = 0; n < 'single'.length; n += 1) await page.keyboard.press('Backspace')
    await page.keyboard.type('dropdown')
    await page.keyboard.press('Escape')
    await page.getByText('No errors found.').waitFor()
    await preview(page).locator('select').waitFor()
    await page.keyboard.press('Control+s')
    await page.getByText('Draft saved.').waitFor()
    await preview(page).locator('select').waitFor()
    // Saving by keyboard does not move the cursor.
    await page.locator('.cm-focused').waitFor()
    expect(await page.locator('.cm-activeLine').textContent()).toContain('"type": "dropdown"')
    await press(page, 'Publish')
    await page.getByText('Version 2 published.').waitFor()
    await page.getByRole('link', { name: 'Versions' }).click()
    await page.getByRole('link', { name: 'Show changes in version 2' }).click()
    await page.getByRole('heading', { name: 'Changes from version 1 to 2' }).waitFor()
    expect(await page.locator('tr.added').first().textContent()).toContain('"idname": "dropdown-choice"')
    expect(consoleErrors.filter((line) => !line.includes('422'))).toEqual([])
  }, 60_000)

  it('shows the page at the cursor, keeps answers in the preview, and lets Tab leave the editor', async () => {
    const { page, consoleErrors } = await openEditorOnDesktop()
    await moveCursorAfter(page, '"id": "recommend')
    await preview(page).getByText('How likely are you to recommend that').waitFor()
    await preview(page).getByRole('button', { name: 'Page 1' }).click()
    await preview(page).getByLabel('Coffee').check()
    await preview(page).getByRole('button', { name: 'Next' }).click()
    await preview(page).getByText('How important to you is').waitFor()
    await page.keyboard.press('Escape')
    await structureBox(page).press('Escape')
    await page.keyboard.press('Tab')
    expect(await page.evaluate("document.activeElement.closest('.cm-editor') === null")).toBe(true)
    expect(consoleErrors).toEqual([])
  }, 60_000)

  it('shows both versions after a conflict and saves the chosen one', async () => {
    const { page, root } = await openEditorOnDesktop()
    await preview(page).getByText('What do you drink in the morning?').waitFor()
    const otherTab = await page.context().newPage()
    await otherTab.goto(`${root}json/`)
    await moveCursorAfter(otherTab, '"en": "Tea')
    await otherTab.keyboard.type(' leaves')
    await press(otherTab, 'Publish')
    await otherTab.getByText('Version 2 published.').waitFor()
    await moveCursorAfter(page, '"en": "Coffee')
    await page.keyboard.type(' beans')
    await page.getByText('Someone else has saved version 2.').waitFor()
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    await page.getByRole('heading', { name: 'Someone else saved a new version' }).waitFor()
    await preview(page).getByText('Coffee beans').waitFor()
    await structureBox(page).scrollIntoViewIfNeeded()
    await saveScreenshot(page, `edit-conflict-desk-light`)
    expect(await page.locator('tr.removed').allTextContents()).toEqual(
      expect.arrayContaining([expect.stringContaining('Tea leaves')]),
    )
    expect(await page.locator('tr.added').allTextContents()).toEqual(
      expect.arrayContaining([expect.stringContaining('Coffee beans')]),
    )
    await page.getByRole('button', { name: 'Publish my version' }).click()
    await page.getByText('Version 3 published.').waitFor()
  }, 60_000)

  it('restores unsaved text after the session has ended', async () => {
    const { page, root, person } = await openEditorOnDesktop()
    await preview(page).getByText('What do you drink in the morning?').waitFor()
    await page.context().clearCookies()
    await moveCursorAfter(page, '"en": "Coffee')
    await page.keyboard.type(' beans')
    await page.getByText('You are signed out.').waitFor()
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    await signInOn(page, person)
    await page.goto(`${root}json/`)
    await page.getByRole('button', { name: 'Restore' }).click()
    await preview(page).getByText('Coffee beans').waitFor()
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    await page.getByText('Version 2 published.').waitFor()
    await page.getByText('No errors found.').waitFor()
    expect(await page.getByRole('button', { name: 'Restore' }).count()).toBe(0)
  }, 60_000)

  it('shows errors, previews and saves without scripts', async () => {
    const { page } = await openEditorOnDesktop({ javaScriptEnabled: false })
    const textArea = page.getByLabel(/^Structure of /)
    const structure = await textArea.inputValue()
    await textArea.fill(structure.replace('"en": "Tea"', '"en": 7'))
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    await page.getByText('/form/0/children/0/children/0/choices/0/label/en').waitFor()
    await textArea.fill(structure.replace('"en": "Tea"', '"en": "Green tea"'))
    await page.getByRole('button', { name: 'Preview', exact: true }).click()
    await preview(page).getByText('Green tea').waitFor()
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    await page.getByText('Version 2 published.').waitFor()
  }, 60_000)
})

onEveryScreen('the editor pages', 'have no accessibility violations', async ({ page, expectClean }) => {
  const { root } = await openEditor(page)
  await preview(page).getByText('What do you drink in the morning?').waitFor()
  await page.getByText('No errors found.').waitFor()
  await expectClean('edit')
  await moveCursorAfter(page, '"idname": "single-choice')
  await page.keyboard.type('x')
  await page.getByText('2 errors found.').waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.press('Control+f')
  await page.getByRole('textbox', { name: 'Find' }).waitFor()
  await expectClean('edit-errors')
  const notSaved = page.waitForResponse((reply) => reply.status() === 422)
  await page.getByRole('button', { name: 'Publish', exact: true }).click()
  await notSaved
  await page.getByText('2 errors found. Nothing was saved.').waitFor()
  await expectClean('edit-not-saved')
  await page.goto(`${root}preview/`)
  await expectClean('edit-preview')
  await page.goto(`${root}versions/`)
  await expectClean('edit-versions')
  await page.goto(`${root}versions/1/`)
  await expectClean('edit-version')
  await page.goto(`${root}versions/1/restore/`)
  await page.getByRole('button', { name: 'Restore version' }).click()
  await page.getByText('Version 1 restored as version 2.').waitFor()
  await expectClean('edit-versions-two')
  await page.goto(`${root}versions/1/restore/`)
  await expectClean('edit-restore')
  await page.goto(`${root}settings/`)
  await page
    .getByLabel('Title (English)')
    .fill('How do you take your coffee, and when, and with whom, on a working day?')
  await page.getByLabel('Password').fill('open sesame')
  await page.getByRole('button', { name: 'Save settings' }).click()
  await page.getByText('Settings saved. The changes to the title and description are published as version 3.').waitFor()
  await expectClean('edit-settings')
  await page.goto(`${root}versions/diff/?from=1&to=3`)
  await expectClean('edit-diff')
  await page.goto(`${root}settings/`)
  await page.getByLabel('Redirect to').fill('ftp://example.org')
  await page.getByRole('button', { name: 'Save settings' }).click()
  await page.getByRole('alert').getByRole('link', { name: 'must start with https:// or http://' }).waitFor()
  await expectClean('edit-settings-invalid')
})
