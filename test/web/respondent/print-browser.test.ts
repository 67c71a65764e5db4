import { expect, test } from '@jest/globals'
import { addSurvey } from '../../support/surveys.ts'
import { useChromium } from '../../support/use-chromium.ts'
import { useWorld } from '../../support/world.ts'
import { breakfastSurvey } from '../sample-surveys.ts'

const world = useWorld()
const chromium = useChromium()

test('a survey page is printed dark on white without its buttons, also from a dark device and with a theme', async () => {
  const owner = await world.person()
  const { survey, path } = await addSurvey(owner, breakfastSurvey)
  const page = await chromium.newPage({ colorScheme: 'dark' })
  for (const theme of [{}, { accent_color: '#f2d16b', background_color: '#102030' }]) {
    await owner.put(`/api/v3/surveys/${survey.id}/theme/`, { json: theme })
    await page.emulateMedia({ media: 'screen' })
    await page.goto(world.base + path)
    const next = page.getByRole('button', { name: 'Next' })
    expect(await next.isVisible()).toBe(true)
    await page.emulateMedia({ media: 'print' })
    const colours = await page.evaluate(`(() => {
      const style = (selector) => getComputedStyle(document.querySelector(selector))
      return [
        style('body').backgroundColor,
        style('.question').backgroundColor,
        style('.question-label').color,
        style('h1').color,
        style('input.box').backgroundColor,
        style('.choice label').color,
      ]
    })()`)
    const [white, black] = ['rgb(255, 255, 255)', 'rgb(0, 0, 0)']
    expect(colours).toEqual([white, white, black, black, white, black])
    expect(await next.isVisible()).toBe(false)
    expect(await page.getByRole('navigation').first().isVisible()).toBe(false)
  }
})
