import { beforeEach, describe, expect, it } from '@jest/globals'
import type { Page } from 'playwright-core'
import { addSurvey, pageOf, text } from '../support/surveys.ts'
import { press, signInOn, submitSignIn, useChromium } from '../support/use-chromium.ts'
import { type Person, useWorld } from '../support/world.ts'

const world = useWorld()
const chromium = useChromium()
let ann: Person
let page: Page
let settings: string

const KEPT = 'sessionStorage.length'
const NOTICE = 'Your session had ended.'

beforeEach(async () => {
  ann = await world.person()
  const { survey } = await addSurvey(ann, { title: 'Tea', form: [pageOf(text('q'))] })
  settings = `${world.base}/account/surveys/${survey.id}/edit/settings/`
  page = await chromium.newPage()
  await page.goto(`${world.base}/accounts/login/`)
  await signInOn(page, ann)
})

/** Fills in the settings, and submits them after the session has ended. */
async function submitWithoutSession() {
  await page.goto(settings)
  await page.getByLabel('Thank-you message').fill('See you in spring')
  await page.getByLabel('Progress bar').uncheck()
  await page.context().clearCookies()
  await page.getByRole('button', { name: 'Save', exact: false }).first().click()
  await page.getByLabel('Username or email').waitFor()
}

describe('a form that is submitted after the session has ended', () => {
  it('is shown again with what was typed after the sign-in, also after a wrong password', async () => {
    await submitWithoutSession()
    await submitSignIn(page, { ...ann, password: 'wrong password' })
    await page.getByRole('alert').waitFor()
    await submitSignIn(page, ann)
    await page.getByText(NOTICE).waitFor()
    expect(page.url()).toBe(settings)
    expect(await page.getByLabel('Thank-you message').inputValue()).toBe('See you in spring')
    expect(await page.getByLabel('Progress bar').isChecked()).toBe(false)
    expect(await page.evaluate(KEPT)).toBe(0)
    await page.getByRole('button', { name: 'Save', exact: false }).first().click()
    await page.locator('.flash').waitFor()
    expect(await page.evaluate(KEPT)).toBe(0)
    expect((await ann.get(settings.replace('/account/', '/api/v3/').replace('edit/', ''))).body).toMatchObject({
      thank_you_message: 'See you in spring',
      progress_bar: false,
    })
  })

  it('is not shown to another account, and not after another page', async () => {
    await submitWithoutSession()
    await signInOn(page, await world.person())
    expect(await page.evaluate(KEPT)).toBe(0)
    await page.goto(settings)
    expect(await page.content()).not.toContain('See you in spring')
  })

  it('is shown as it is stored if the session has not ended', async () => {
    await page.goto(settings)
    await page.getByLabel('Thank-you message').fill('Until then')
    await page.getByRole('button', { name: 'Save', exact: false }).first().click()
    await page.locator('.flash').waitFor()
    expect(await page.getByText(NOTICE).count()).toBe(0)
    await press(page, 'Sign out')
    await page.waitForURL(/login/)
    expect(await page.evaluate(KEPT)).toBe(0)
  })
})
