import { expect } from '@jest/globals'
import { makeSurvey } from '../support/responses.ts'
import { onEveryScreen } from '../support/screens.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()
const LUNCH = {
  title: 'Lunch',
  form: [
    {
      children: [
        { idname: 'single-choice', id: 'dish', title: 'Which dish?', choices: [{ label: 'Soup' }, { label: 'Rice' }] },
        { idname: 'text-response', id: 'why', title: 'Why?', lines: 3 },
        { idname: 'rating', id: 'stars', title: 'How good?' },
      ],
    },
  ],
}

onEveryScreen(
  'paper sheets',
  'are typed in one after the other with the keyboard alone',
  async ({ page, signIn, press, expectClean }) => {
    const owner = await world.person()
    const id = await makeSurvey(owner, LUNCH)
    await page.goto(`${world.base}/account/surveys/${id}/responses/sheets/`)
    await signIn(owner)
    await page.getByLabel('Collector').waitFor()
    await expectClean('paper-sheets-start')
    await press('Start')
    const { keyboard } = page
    const first = page.getByLabel('1. Which dish?')
    await first.waitFor()
    // Without the script, Enter stores nothing.
    expect(await page.locator('form.paper-entry button').first().isDisabled()).toBe(true)
    for (const [dish, why, stars] of [
      ['2', 'Warm', '5'],
      ['1', 'Cheap', '3'],
    ] as const) {
      await page.waitForLoadState()
      await page.locator('input:focus').waitFor()
      await keyboard.type(dish)
      await keyboard.press('Enter')
      await keyboard.type(why)
      await keyboard.press('Shift+Enter')
      await keyboard.type('and good')
      await keyboard.press('Enter')
      await keyboard.type(stars)
      await keyboard.press('Enter')
      await page.getByText(`response ${dish === '2' ? 1 : 2}`, { exact: true }).waitFor()
      expect(await first.inputValue()).toBe('')
    }
    await page.waitForLoadState()
    await expectClean('paper-sheets')
    await keyboard.type('9')
    await keyboard.press('Enter')
    await keyboard.press('Enter')
    await keyboard.press('Enter')
    await page.getByRole('alert').waitFor()
    await expectClean('paper-sheets-rejected')
    const { results } = (await owner.get(`/api/v3/surveys/${id}/responses/`)).body
    expect(results.map(({ dish, why, stars }: Record<string, unknown>) => [dish, why, stars])).toEqual([
      [1, 'Warm\nand good', 5],
      [0, 'Cheap\nand good', 3],
    ])
  },
)
