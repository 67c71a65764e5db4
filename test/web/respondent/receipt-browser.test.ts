import { expect, test } from '@jest/globals'
import { violations } from '../../support/axe.ts'
import { addSurvey, storedResponses } from '../../support/surveys.ts'
import { press, useChromium } from '../../support/use-chromium.ts'
import { useWorld } from '../../support/world.ts'
import { oneQuestion } from '../sample-surveys.ts'

const world = useWorld()
const chromium = useChromium()

test.each([true, false])(
  'a respondent corrects and withdraws the own answers with the code of the receipt (scripts: %p)',
  async (javaScriptEnabled) => {
    const { survey, path } = await addSurvey(await world.person(), oneQuestion, { receipt: true })
    const page = await chromium.newPage({
      viewport: { width: 390, height: 844 },
      javaScriptEnabled,
      bypassCSP: true,
    })
    const check = async () => javaScriptEnabled && expect(await violations(page)).toEqual([])
    await page.goto(world.base + path)
    await page.getByLabel('Yes').check()
    await press(page, 'Submit')
    const code = (await page.locator('code.code').textContent())!
    await check()
    await page.goto(`${world.base}${path}receipt/`)
    await page.getByLabel('Receipt code').fill('ABCDE')
    await press(page, 'Show my answers')
    await page.getByText('There are no answers with this code.').waitFor()
    await check()
    await page.getByLabel('Receipt code').fill(code)
    await press(page, 'Show my answers')
    await page.getByRole('heading', { name: 'Your answers' }).waitFor()
    expect(await page.getByLabel('Yes').isChecked()).toBe(true)
    await check()
    await page.getByLabel('No', { exact: true }).check()
    await press(page, 'Save changes')
    await page.getByText('Your changes have been saved.').waitFor()
    expect(await storedResponses(world, survey.id)).toMatchObject([{ completed: 1, answers: { one: 1 } }])
    expect(page.url()).not.toContain(code)
    await press(page, 'Withdraw my answers')
    await page.getByText('deleted for good').waitFor()
    await check()
    await press(page, 'Withdraw my answers')
    await page.getByText('Your answers have been deleted.').waitFor()
    expect(await storedResponses(world, survey.id)).toEqual([])
  },
)
