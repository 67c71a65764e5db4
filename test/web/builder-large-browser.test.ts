import { describe, expect, it } from '@jest/globals'
import { makeSurvey } from '../support/responses.ts'
import { signInOn, useChromium } from '../support/use-chromium.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()
const chromium = useChromium()

const structure = {
  title: 'Large',
  form: Array.from({ length: 60 }, (_, page) => ({
    children: [1, 2, 3].map((index) => ({
      idname: 'text-response',
      id: `q${page + 1}_${index}`,
      title: `Question ${index} of page ${page + 1}`,
    })),
  })),
}

describe('the builder of a large survey', () => {
  it('opens another page in place, and stays there after changes', async () => {
    const owner = await world.person()
    const id = await makeSurvey(owner, structure)
    const page = await chromium.newPage()
    const address = `${world.base}/account/surveys/${id}/edit/`
    await page.goto(address)
    await signInOn(page, owner)
    const card = (name: string) => page.getByRole('link', { name, exact: true })
    await card('Question 1 of page 1').waitFor()
    await page.evaluate('window.isSamePage = true')
    await page.getByRole('link', { name: 'Page 40', exact: true }).click()
    await card('Question 2 of page 40').waitFor()
    expect(await card('Question 1 of page 1').count()).toBe(0)
    await page.getByRole('button', { name: 'Move up “Question 2 of page 40”' }).click()
    await page.getByRole('status').filter({ hasText: 'moved up to position 1 of page 40' }).waitFor()
    await card('Question 2 of page 40').click()
    await page.getByLabel('Question', { exact: true }).fill('Which tea?')
    await page.getByText('Saved to the draft').waitFor()
    await page.keyboard.press('Escape')
    await card('Which tea?').waitFor()
    expect(await page.evaluate('window.isSamePage')).toBe(true)
    expect(page.url()).toContain('page=40')
    await page.reload()
    await card('Which tea?').waitFor()
  }, 90_000)
})
