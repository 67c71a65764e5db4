import { describe, expect, test } from '@jest/globals'
import { respond } from '../support/respondents.ts'
import { makeSurvey } from '../support/responses.ts'
import { signInOn, useChromium } from '../support/use-chromium.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()
const chromium = useChromium()

describe('the pages of the application', () => {
  test('show times in the time zone of the browser, and in UTC without scripts', async () => {
    const ann = await world.person()
    const id = await makeSurvey(ann)
    const { id: response } = await respond(world, id, { createdAt: '2026-01-14T20:05:00Z' })
    const shown: string[] = []
    for (const javaScriptEnabled of [true, false]) {
      const page = await chromium.newPage({ javaScriptEnabled, timezoneId: 'Asia/Kolkata' })
      await page.goto(`${world.base}/account/surveys/${id}/responses/${response}/`)
      await signInOn(page, ann)
      shown.push(await page.locator('time[datetime="2026-01-14T20:05:00.000Z"]').first().innerText())
    }
    expect(shown).toEqual(['15 Jan 2026, 01:35 GMT+5:30', '14 Jan 2026, 20:05 UTC'])
  })

  test('copy the survey link, and show the message of an action with a button that undoes it', async () => {
    const ann = await world.person()
    const id = await makeSurvey(ann)
    const page = await chromium.newPage()
    await page.goto(`${world.base}/account/surveys/${id}/`)
    await signInOn(page, ann)
    await page.getByRole('button', { name: 'Copy survey link' }).click()
    await page.getByRole('status').filter({ hasText: 'Copied' }).waitFor({ state: 'attached' })
    await page.getByRole('button', { name: 'Close survey' }).click()
    const flash = page.locator('.flash')
    await flash.waitFor()
    expect([await flash.locator('p').innerText(), await flash.getAttribute('role')]).toEqual([
      '“Every shape” is now closed.',
      'status',
    ])
    await flash.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('“Every shape” is now live.').waitFor()
    await page.getByRole('button', { name: 'Close survey' }).waitFor()
  })
})
