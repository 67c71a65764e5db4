import { describe, expect, it } from '@jest/globals'
import type { Locator, Page } from 'playwright-core'
import { makeSurvey } from '../support/responses.ts'
import { onEveryScreen } from '../support/screens.ts'
import { press, signInOn, useChromium } from '../support/use-chromium.ts'
import { useWorld } from '../support/world.ts'
import { DRINKS } from './builder-owner.ts'

const world = useWorld()
const chromium = useChromium()

/** Signs in on a page, and opens the builder of a new survey. */
async function openBuilder(page: Page, structure: object = DRINKS) {
  const person = await world.person()
  const id = await makeSurvey(person, structure)
  await page.goto(`${world.base}/account/surveys/${id}/edit/`)
  await signInOn(page, person)
  await page.getByRole('heading', { name: 'Questions', level: 1 }).waitFor()
  const published = async () => (await person.get(`/api/v3/surveys/${id}/structure/`)).body
  return { person, id, published }
}

const titles = (page: Page) => page.locator('.builder-pages h3').allTextContents()
const toast = (page: Page, text: string) => page.locator('.toast').getByText(text).waitFor()
const openCard = async (page: Page, title: string) => {
  await page.getByRole('link', { name: title, exact: true }).click()
  await page.getByLabel('Question', { exact: true }).waitFor()
}

describe('the builder with scripts', () => {
  it('finds a type by search, edits in place by keyboard alone, and publishes', async () => {
    const page = await chromium.newPage({ viewport: { width: 1280, height: 800 } })
    const { published } = await openBuilder(page, { title: 'Lunch' })
    await page.getByRole('button', { name: 'Add question to page 1' }).press('Enter')
    await page.getByLabel('Search question types').fill('checkbox')
    await page.keyboard.press('Enter')
    await page.getByLabel('Question', { exact: true }).waitFor()
    await page.keyboard.type('Which vegetables?')
    await page.getByLabel('Choice 1', { exact: true }).fill('Leek')
    await page.getByLabel('Choice 2', { exact: true }).fill('Carrot')
    await page.keyboard.press('Enter')
    await page.keyboard.type('Pea')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Backspace')
    await page.getByText('Saved to the draft').waitFor()
    await page.keyboard.press('Alt+ArrowUp')
    await toast(page, 'Pea moved to position 2 of 3.')
    await page.keyboard.press('Escape')
    await page.getByRole('link', { name: 'Which vegetables?', exact: true }).waitFor()
    await page.frameLocator('.preview iframe:not(.loading)').getByText('Which vegetables?').waitFor()
    await press(page, 'Publish')
    await page.getByText('The choices keep their scores').waitFor()
    await press(page, 'Publish anyway')
    await page.getByText('Version 2 published.').waitFor()
    const [question] = (await published()).form[0].children
    expect(question.title).toEqual({ en: 'Which vegetables?' })
    expect(question.children[0].choices).toEqual([
      { label: { en: 'Leek' }, uid: 0 },
      { label: { en: 'Pea' }, score: 3, uid: 2 },
      { label: { en: 'Carrot' }, score: 2, uid: 1 },
    ])
  }, 90_000)

  it('lists types whose names begin with the search before other matches', async () => {
    const page = await chromium.newPage({ viewport: { width: 1280, height: 800 } })
    await openBuilder(page, { title: 'Lunch' })
    await page.getByRole('button', { name: 'Add question to page 1' }).click()
    const search = page.getByLabel('Search question types')
    const firstMatch = page.locator('.palette-list button:visible strong').first()
    for (const name of ['Multiple choice', 'Number', 'Text', 'Email', 'Single choice']) {
      await search.fill(name)
      expect(await firstMatch.textContent()).toBe(name)
    }
    await search.fill('checkbox')
    expect(await firstMatch.textContent()).toBe('Multiple choice')
    await search.fill('')
    expect(await firstMatch.textContent()).toBe('Single choice')
  })

  it('moves, deletes and restores questions without loading the page, and announces each step', async () => {
    const page = await chromium.newPage({ viewport: { width: 1280, height: 800 } })
    await openBuilder(page)
    await page.evaluate('window.sameDocument = true')
    await page.locator('.question-card', { hasText: 'Why?' }).focus()
    await page.keyboard.press('Alt+ArrowUp')
    await toast(page, '“Why?” moved up to position 1 of page 1.')
    expect((await titles(page)).slice(0, 2)).toEqual(['Why?', 'Which drink?'])
    await page.locator('summary', { hasText: 'More actions for “Why?”' }).click()
    await page.getByRole('button', { name: 'Delete “Why?”' }).click()
    await toast(page, '“Why?” deleted.')
    await page.keyboard.press('Control+z')
    await toast(page, 'Change undone: “Why?” deleted.')
    expect(await titles(page)).toContain('Why?')
    await page.locator('summary', { hasText: 'More actions for “Which drink?”' }).click()
    await page.getByRole('button', { name: 'Delete “Which drink?”' }).click()
    await toast(page, '“Milk?” depends on a question that would no longer exist.')
    expect(await titles(page)).toContain('Which drink?')
    expect(await page.evaluate('window.sameDocument')).toBe(true)
  }, 90_000)

  it('drags a question to another page, and a page to another position', async () => {
    const page = await chromium.newPage({ viewport: { width: 1280, height: 2000 } })
    const text = (title: string) => ({ idname: 'text-response', id: title.slice(0, -1).toLowerCase(), title })
    await openBuilder(page, {
      title: 'Tea',
      form: [
        { children: [text('When?'), text('Why?')] },
        { children: [text('Milk?')] },
        { children: [text('Where?')] },
      ],
    })
    const drag = async (grip: Locator, target: Locator) => {
      const [from, to] = [await grip.boundingBox(), await target.boundingBox()]
      await page.mouse.move(from!.x + 6, from!.y + 6)
      await page.mouse.down()
      await page.mouse.move(from!.x + 6, from!.y + 20, { steps: 5 })
      await page.mouse.move(to!.x + 60, to!.y + to!.height - 8, { steps: 15 })
      await page.mouse.up()
    }
    const card = (title: string) => page.locator('.question-card', { hasText: title })
    await drag(card('Why?').locator('.drag'), card('Milk?'))
    await toast(page, '“Why?” moved to page 2.')
    expect((await page.locator('#page-2 h3').allTextContents()).sort()).toEqual(['Milk?', 'Why?'])
    await drag(page.locator('#page-2 .page-head .drag'), page.locator('#page-3'))
    await toast(page, 'Page 2 moved to position 3 of 3.')
    expect((await titles(page)).slice(0, 2)).toEqual(['When?', 'Where?'])
  }, 90_000)

  it('keeps the typed text while the server is overloaded or cannot be reached, and saves it when the connection is back', async () => {
    const page = await chromium.newPage({ viewport: { width: 1280, height: 800 } })
    const { id, person } = await openBuilder(page)
    await openCard(page, 'Why?')
    await page.route('**/edit/**', (route) =>
      route.request().method() === 'POST' ? route.fulfill({ status: 503, body: 'Overloaded' }) : route.abort(),
    )
    await page.getByLabel('Question', { exact: true }).fill('Why not?')
    await toast(page, 'Not saved. The server cannot be reached, or is not available.')
    await page.getByLabel('Question', { exact: true }).pressSequentially('!')
    await page.unroute('**/edit/**')
    await page.evaluate('dispatchEvent(new Event("online"))')
    await toast(page, 'The connection is back. Your changes are saved.')
    const { structure } = (await person.get(`/api/v3/surveys/${id}/draft/`)).body
    expect(structure.form[0].children[1].title).toEqual({ en: 'Why not?!' })
  }, 90_000)

  it('keeps the typed text while the author is signed out, and saves it after they sign in in another tab', async () => {
    const page = await chromium.newPage({ viewport: { width: 1280, height: 800 } })
    const { id, person } = await openBuilder(page)
    const preview = page.waitForResponse(/edit\/preview\/\?page=1/)
    await openCard(page, 'Why?')
    await preview
    const other = await page.context().newPage()
    await other.goto(page.url())
    await press(other, 'Sign out')
    await other.getByLabel('Password').waitFor()
    await page.getByLabel('Question', { exact: true }).fill('Why not?')
    await toast(page, 'Not saved. You are signed out. Sign in again in another tab.')
    await other.goto(page.url())
    await signInOn(other, person)
    await toast(page, 'The connection is back. Your changes are saved.')
    const { structure } = (await person.get(`/api/v3/surveys/${id}/draft/`)).body
    expect(structure.form[0].children[1].title).toEqual({ en: 'Why not?' })
  }, 90_000)

  it('shows an error of an automatic save next to its field, and removes it after the next save', async () => {
    const page = await chromium.newPage({ viewport: { width: 1280, height: 800 } })
    await openBuilder(page)
    await openCard(page, 'Why?')
    const lines = page.getByLabel('Height in lines')
    await lines.fill('99')
    const error = page.locator('.field', { has: lines }).locator('.error')
    await error.waitFor()
    expect(await error.textContent()).toBe('Height in lines must be a whole number from 1 to 50.')
    expect(await lines.getAttribute('aria-describedby')).toBe('lines-hint lines-error')
    await lines.fill('3')
    await page.getByText('Saved to the draft').waitFor()
    expect(await page.locator('.question-form .error').count()).toBe(0)
  })

  it('shows who has changed the same question, and both versions, and saves the one that the author chooses', async () => {
    const page = await chromium.newPage({ viewport: { width: 1280, height: 800 } })
    const { id, person } = await openBuilder(page)
    const other = await page.context().newPage()
    await other.goto(page.url())
    const conflict = page.getByRole('alert', { name: 'Conflict' })
    const title = page.getByLabel('Question', { exact: true })
    const changeInBoth = async (question: string, theirs: string, mine: string) => {
      await openCard(page, question)
      await openCard(other, question)
      await other.getByLabel('Question', { exact: true }).fill(theirs)
      await other.getByText('Saved to the draft').waitFor()
      await press(other, 'Done')
      await title.fill(mine)
      await conflict.getByText('You changed this part of the survey in another window').waitFor()
    }
    await changeInBoth('Why?', 'Theirs?', 'Mine?')
    expect(await conflict.locator('tbody td').allTextContents()).toEqual(['Theirs?', 'Mine?'])
    await title.pressSequentially('!')
    await press(page, 'Save my version')
    await page.getByText('Saved to the draft').waitFor()
    await press(page, 'Done')
    await page.getByRole('link', { name: 'Mine?!', exact: true }).waitFor()
    await changeInBoth('Milk?', 'Their milk?', 'My milk?')
    await page.getByRole('link', { name: 'Use the saved version' }).click()
    await conflict.waitFor({ state: 'detached' })
    expect(await title.inputValue()).toBe('Their milk?')
    const { structure } = (await person.get(`/api/v3/surveys/${id}/draft/`)).body
    expect(structure.form[0].children[1].title).toEqual({ en: 'Mine?!' })
    expect(structure.form[1].children[0].title).toEqual({ en: 'Their milk?' })
  }, 90_000)
})

onEveryScreen('the builder with scripts', 'has no accessibility violations', async ({ page, expectClean }) => {
  const { id, person } = await openBuilder(page)
  await page.getByRole('button', { name: 'Add question to page 1' }).click()
  await page.getByLabel('Search question types').waitFor()
  await expectClean('builder-palette')
  await page.keyboard.press('Escape')
  await openCard(page, 'Which drink?')
  await page.getByLabel('Choice 1', { exact: true }).press('Enter')
  await page.getByText('Saved to the draft').waitFor()
  await expectClean('builder-in-place')
  const draft = `/api/v3/surveys/${id}/draft/`
  const { structure } = (await person.get(draft)).body
  structure.form[0].children[0].title = { en: 'Which one?' }
  await person.put(draft, { json: { structure } })
  await page.getByLabel('Question', { exact: true }).fill('Which of them?')
  await page.getByRole('alert', { name: 'Conflict' }).waitFor()
  await expectClean('builder-conflict')
})
