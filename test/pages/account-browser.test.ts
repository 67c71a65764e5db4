import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type { Browser } from 'playwright-core'
import { violations } from '../support/axe.ts'
import { launchBrowser } from '../support/browser.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()
/** Where to leave pictures of the pages, to be looked at; none are made where it is not set. */
const pictures = process.env.SCREENSHOTS
let browser: Browser

beforeAll(async () => {
  browser = await launchBrowser()
})

afterAll(() => browser.close())

describe.each(['light', 'dark'] as const)('the pages of an account, %s,', (colorScheme) => {
  it.each([
    ['phone', 360, 780],
    ['desk', 1280, 800],
  ])(
    'on a %s: axe-core finds nothing, the journey works without scripts of ours',
    async (name, width, height) => {
      const context = await browser.newContext({ colorScheme, viewport: { width, height }, bypassCSP: true })
      context.setDefaultTimeout(15_000)
      try {
        const page = await context.newPage()
        const person = await world.person()
        const clean = async (where: string) => {
          expect([where, await violations(page)]).toEqual([where, []])
          if (pictures)
            await page.screenshot({ path: `${pictures}/${where}-${name}-${colorScheme}.png`, fullPage: true })
        }
        const press = (label: string) => page.getByRole('button', { name: label, exact: true }).click()
        await page.goto(`${world.base}/account/`)
        await page.getByLabel('User name or e-mail').fill(person.actor.username)
        await page.getByLabel('Password').fill('wrong')
        await press('Sign in')
        await clean('sign-in')
        await page.getByLabel('Password').fill(person.password)
        await press('Sign in')
        await page.getByLabel('Name', { exact: true }).fill('Ann Example')
        await press('Save profile')
        await page.getByText('Your profile is saved.').waitFor()
        await clean('account')
        await page.getByLabel('E-mail').fill('other@example.org')
        await press('Save profile')
        await clean('account-refused')
        await page.getByRole('link', { name: 'API keys' }).click()
        await page.getByLabel('What will use it?').fill('Nightly export')
        await press('Make a key')
        await clean('keys')
        await page.getByRole('link', { name: 'Surveys' }).click()
        await clean('surveys-none')
        await page.getByRole('link', { name: 'New survey' }).click()
        await page.getByLabel('Structure (JSON)').fill('{')
        await press('Make the survey')
        await clean('new-survey-refused')
        await page.getByLabel('Structure (JSON)').fill('')
        await page.getByLabel('Name', { exact: true }).fill('How do you take your tea?')
        await press('Make the survey')
        await page.getByRole('heading', { name: 'Structure' }).waitFor()
        await page.getByRole('link', { name: 'Surveys', exact: true }).click()
        await page.getByRole('button', { name: /^Duplicate/ }).click()
        await page.locator('summary').first().click()
        await page.getByLabel('New tag').first().fill('kitchen')
        await page
          .getByRole('button', { name: /^Add a tag/ })
          .first()
          .click()
        await page.getByRole('switch').last().click()
        await page.getByText('is closed.').waitFor()
        await clean('surveys')
        await page.locator('summary').first().click()
        await clean('surveys-tags')
        await page.getByRole('link', { name: 'How do you take your tea?', exact: true }).click()
        await page.getByRole('heading', { name: 'Facts' }).waitFor()
        await clean('survey-overview')
        await page.getByRole('link', { name: 'Surveys', exact: true }).click()
        await page
          .getByRole('link', { name: /^Delete/ })
          .first()
          .click()
        await clean('survey-delete')
        await press('Sign out')
        await page.getByRole('heading', { name: 'Sign in' }).waitFor()
        await page.goto(`${world.base}/accounts/login/?key=used`)
        await clean('used-link')
        await page.goto(`${world.base}/accounts/password/`)
        await clean('forgotten')
        await page.getByLabel('User name or e-mail').fill(person.actor.username)
        await press('Mail me a link')
        await clean('forgotten-sent')
      } finally {
        await context.close()
      }
    },
    90_000,
  )
})
