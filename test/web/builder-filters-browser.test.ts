import { describe, expect, it } from '@jest/globals'
import { violations } from '../support/axe.ts'
import { cascadeSurvey } from '../support/cascade.ts'
import { makeSurvey } from '../support/responses.ts'
import { press, signInOn, useChromium } from '../support/use-chromium.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()
const chromium = useChromium()

const question = (idname: string, id: string, title: string, ...labels: string[]) => ({
  idname,
  id,
  title,
  children: [{ choices: labels.map((label) => ({ label })) }],
})
const SURVEY = cascadeSurvey([
  [
    question('single-choice', 'country', 'Country', 'Germany', 'Austria'),
    question('dropdown-choice', 'region', 'Region', 'Bavaria', 'Tyrol', 'Somewhere else'),
  ],
])

describe('choices that depend on an earlier answer, in the builder of a browser [spec 6.15]', () => {
  it.each([
    ['with scripts', true],
    ['without scripts', false],
  ])('are set by mouse alone, and shown in the preview, %s', async (_, javaScriptEnabled) => {
    const owner = await world.person()
    const id = await makeSurvey(owner, SURVEY)
    const page = await chromium.newPage({
      viewport: { width: 390, height: 844 },
      javaScriptEnabled,
      bypassCSP: javaScriptEnabled,
    })
    await page.goto(`${world.base}/account/surveys/${id}/edit/`)
    await signInOn(page, owner)
    const card = page.locator('[data-question=region]')
    await card.locator('summary').first().click()
    await card.getByRole('link', { name: 'Show choices if…' }).click()
    await page.getByLabel('Show only choices that match the answer to').selectOption('Country')
    await press(page, 'Add question')
    await page.getByRole('row', { name: 'Bavaria' }).getByLabel('Germany').check()
    await page.getByRole('row', { name: 'Tyrol' }).getByLabel('Austria').check()
    if (javaScriptEnabled) expect(await violations(page)).toEqual([])
    await press(page, 'Save')
    await page.getByText('Choices saved to the draft.').waitFor()
    await expect(card.getByText('Choices depend on “Country”').isVisible()).resolves.toBe(true)
    await page.goto(`${world.base}/account/surveys/${id}/edit/filter/?id=region`)
    await expect(page.getByRole('row', { name: 'Tyrol' }).getByLabel('Austria').isChecked()).resolves.toBe(true)
    await expect(page.evaluate('document.documentElement.scrollWidth <= innerWidth')).resolves.toBe(true)
  })
})
