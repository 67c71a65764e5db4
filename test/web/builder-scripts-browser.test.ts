import { describe, expect, it } from '@jest/globals'
import type { Page } from 'playwright-core'
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
    await page.getByText('Version 2 published.').waitFor()
    const [question] = (await published()).form[0].children
    expect(question.title).toEqual({ en: 'Which vegetables?' })
    expect(question.children[0].choices).toEqual([
      { label: { en: 'Leek' }, uid: 0 },
      { label: { en: 'Pea' }, uid: 2 },
      { label: { en: 'Carrot' }, uid: 1 },
    ])
  }, 90_000)

  it('moves, deletes and restores questions without loading the page, and announces each step', async () => {
    const page = await chromium.newPage({ viewport: { width: 1280, height: 800 } })
    await openBuilder(page)
    await page.evaluate('window.sameDocument = true')
    await page.getByRole('button', { name: 'Move up “Why?”' }).press('Enter')
    await toast(page, '“Why?” moved up.')
    expect((await titles(page)).slice(0, 2)).toEqual(['Why?', 'Which drink?'])
    await page.getByText('More actions for “Why?”').click()
    await page.getByRole('button', { name: 'Delete “Why?”' }).click()
    await toast(page, '“Why?” deleted.')
    await page.keyboard.press('Control+z')
    await toast(page, 'Undone: “Why?” deleted.')
    expect(await titles(page)).toContain('Why?')
    await page.getByText('More actions for “Which drink?”').click()
    await page.getByRole('button', { name: 'Delete “Which drink?”' }).click()
    await toast(page, '“Milk?” depends on a question that would no longer exist.')
    expect(await titles(page)).toContain('Which drink?')
    expect(await page.evaluate('window.sameDocument')).toBe(true)
  }, 90_000)

  it('drags a question to another position', async () => {
    const page = await chromium.newPage({ viewport: { width: 1280, height: 1400 } })
    await openBuilder(page)
    const [grip, target] = await Promise.all([
      page.locator('.question-card .drag').nth(1).boundingBox(),
      page.locator('.question-card').first().boundingBox(),
    ])
    await page.mouse.move(grip!.x + 6, grip!.y + 6)
    await page.mouse.down()
    await page.mouse.move(grip!.x + 6, grip!.y - 10, { steps: 5 })
    await page.mouse.move(target!.x + 60, target!.y + 10, { steps: 10 })
    await page.mouse.up()
    await toast(page, '“Why?” moved to page 1.')
    expect((await titles(page)).slice(0, 2)).toEqual(['Why?', 'Which drink?'])
  }, 90_000)

  it('keeps the typed text while the server cannot be reached, and saves it afterwards', async () => {
    const page = await chromium.newPage({ viewport: { width: 1280, height: 800 } })
    await openBuilder(page)
    await openCard(page, 'Why?')
    await page.route('**/edit/question/**', (route) => route.abort())
    await page.getByLabel('Question', { exact: true }).fill('Why not?')
    await toast(page, 'Not saved: the server could not be reached. Your text stays here.')
    expect(await page.getByLabel('Question', { exact: true }).inputValue()).toBe('Why not?')
    await page.unroute('**/edit/question/**')
    await press(page, 'Done')
    await page.getByRole('link', { name: 'Why not?', exact: true }).waitFor()
  }, 90_000)

  it('shows that another author has changed the question, keeps the entered text, and replaces the other change on the next save', async () => {
    const page = await chromium.newPage({ viewport: { width: 1280, height: 800 } })
    await openBuilder(page)
    const other = await page.context().newPage()
    await other.goto(page.url())
    await openCard(page, 'Why?')
    await openCard(other, 'Why?')
    await other.getByLabel('Question', { exact: true }).fill('Theirs?')
    await other.getByText('Saved to the draft').waitFor()
    await page.getByLabel('Question', { exact: true }).fill('Mine?')
    await page.getByText('Someone else has changed this question since you opened it.').first().waitFor()
    await page.getByLabel('Question', { exact: true }).pressSequentially('!')
    await page.getByText('Saved to the draft').waitFor()
    await press(page, 'Done')
    await page.getByRole('link', { name: 'Mine?!', exact: true }).waitFor()
  }, 90_000)
})

onEveryScreen('the builder with scripts', 'has no accessibility violations', async ({ page, expectClean }) => {
  await openBuilder(page)
  await page.getByRole('button', { name: 'Add question to page 1' }).click()
  await page.getByLabel('Search question types').waitFor()
  await expectClean('builder-palette')
  await page.keyboard.press('Escape')
  await openCard(page, 'Which drink?')
  await page.getByLabel('Choice 1', { exact: true }).press('Enter')
  await page.getByText('Saved to the draft').waitFor()
  await expectClean('builder-in-place')
})
