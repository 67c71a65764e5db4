import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Browser } from 'playwright-core'
import { hashPassword } from '../../../src/domain/account/password.ts'
import { launchBrowser } from '../../support/browser.ts'
import { respond } from '../../support/respondents.ts'
import { pageOf, responsesTo, single, surveyOf, text } from '../../support/surveys.ts'
import { useWorld } from '../../support/world.ts'

const world = useWorld()
let browser: Browser
beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser.close())

const why = { ...text('why'), condition: { all: [{ question: 'yes', op: 'eq', value: 0 }] } }
const survey = {
  title: 'T',
  form: [
    pageOf(text('name', { required: true }), text('town'), single('yes', ['Yes', 'No']), why),
    pageOf(text('last')),
  ],
}

test.each([true, false])(
  'Back after a refused page shows it again without asking to send it, scripts: %p',
  async (javaScriptEnabled) => {
    const { survey: made, path } = await surveyOf(world, await world.person(), survey)
    const context = await browser.newContext({ viewport: { width: 390, height: 844 }, javaScriptEnabled })
    context.setDefaultTimeout(20_000)
    const page = await context.newPage()
    const next = page.getByRole('button', { name: 'Next', exact: true })
    await page.goto(world.base + path)
    await page.getByLabel('Text town').fill('Dover')
    await next.click()
    await page.getByText('An answer to this question is required.').first().waitFor()
    expect(await page.getByLabel('Text town').inputValue()).toBe('Dover')
    await page.getByLabel('Text name').fill('Kay')
    if (!javaScriptEnabled) {
      await page.getByLabel('Yes', { exact: true }).check({ force: true })
      await next.click()
      await page.getByText('added more questions').waitFor()
    }
    await next.click()
    await page.getByLabel('Text last').waitFor()

    await page.goBack()
    await page.getByLabel('Text name').waitFor()
    expect(await page.getByLabel('Text town').inputValue()).toBe('Dover')
    expect(await page.getByText('is required').count()).toBe(0)
    await page.getByLabel('Text town').fill('Deal')
    await next.click()
    await page.getByLabel('Text last').fill('end')
    await page.getByRole('button', { name: 'Submit', exact: true }).click()
    await page.getByText('Thank you').first().waitFor()
    expect(await responsesTo(world, made.id)).toMatchObject([
      { completed: 1, answers: { name: 'Kay', town: 'Deal', last: 'end' } },
    ])
    await context.close()
  },
)

test.each([true, false])(
  'Back after a wrong password and after a full survey asks for nothing to be sent again, scripts: %p',
  async (javaScriptEnabled) => {
    const settings = { password_hash: await hashPassword('open sesame'), max_responses: 1 }
    const { survey: made, path } = await surveyOf(world, await world.person(), survey, settings)
    const context = await browser.newContext({ viewport: { width: 390, height: 844 }, javaScriptEnabled })
    context.setDefaultTimeout(20_000)
    const page = await context.newPage()
    const enter = page.getByRole('button', { name: 'Go to the survey' })
    await page.goto(world.base + path)
    await page.getByLabel('Password').fill('wrong')
    await enter.click()
    await page.getByText('The password is incorrect.').waitFor()
    const shown = await page.reload()
    expect([shown?.status(), shown?.request().method()]).toEqual([403, 'GET'])
    await page.getByLabel('Password').fill('open sesame')
    await enter.click()
    await page.getByLabel('Text name').fill('Kay')
    await page.goBack()
    await page.getByText('The password is incorrect.').or(page.getByLabel('Text name')).first().waitFor()
    await page.goto(world.base + path)
    await page.getByLabel('Text name').fill('Kay')
    await respond(world, made.id, { answers: { name: 'Lou' } })
    await page.getByRole('button', { name: 'Next', exact: true }).click()
    await page.getByText('has received enough responses').waitFor()
    expect((await page.reload())?.request().method()).toBe('GET')
    await context.close()
  },
)
