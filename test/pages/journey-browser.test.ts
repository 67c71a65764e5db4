import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type { Browser } from 'playwright-core'
import { expectClean } from '../support/axe.ts'
import { launchBrowser } from '../support/browser.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()
let browser: Browser

beforeAll(async () => {
  browser = await launchBrowser()
})

afterAll(() => browser.close())

const STRUCTURE = {
  title: 'How do you take your tea?',
  form: [
    {
      type: 'page',
      children: [
        {
          idname: 'single-choice',
          id: 'milk',
          title: 'With milk?',
          children: [{ type: 'single', required: true, choices: [{ label: 'Yes' }, { label: 'No' }] }],
        },
        { idname: 'text-response', id: 'why', title: 'Why?', children: [{ type: 'string' }] },
      ],
    },
  ],
}

describe.each(['light', 'dark'] as const)('from the developer to the report, %s,', (colorScheme) => {
  it.each([
    ['phone', 360, 780],
    ['desk', 1280, 800],
  ])(
    'on a %s: an account by the API, its login address, a survey, an answer, its chart',
    async (name, width, height) => {
      const developer = await world.person({ isDeveloper: true })
      const email = `${name}-${colorScheme}@example.org`
      const made = await developer.post('/api/v2/users/', { form: { email } })
      expect(made.status).toBe(200)
      const { password } = made.body
      const login = await developer.post('/api/v2/accounts/generate-login-url/', {
        form: { key: developer.apiKey, email, password },
      })
      expect(login.body).toMatchObject({ success: true, email })

      const look = { colorScheme, viewport: { width, height } }
      const owner = await browser.newContext({ ...look, bypassCSP: true })
      const respondent = await browser.newContext(look)
      for (const context of [owner, respondent]) context.setDefaultTimeout(15_000)
      try {
        const page = await owner.newPage()
        const clean = (where: string) => expectClean(page, `journey ${where}`, `${name}-${colorScheme}`)
        await page.goto(login.body['login-url'])
        await page.getByRole('heading', { name: 'Account', level: 1 }).waitFor()
        await clean('account')
        await page.getByRole('link', { name: 'Surveys', exact: true }).click()
        await page.getByRole('link', { name: 'New survey' }).click()
        await page.getByLabel('Structure (JSON)').fill(JSON.stringify(STRUCTURE))
        await page.getByRole('button', { name: 'Make the survey' }).click()
        await page.getByRole('heading', { name: 'Structure', level: 1 }).waitFor()
        await page.getByRole('link', { name: 'Overview', exact: true }).click()
        await page.getByRole('heading', { name: 'Facts' }).waitFor()
        await clean('overview')

        const theirs = await respondent.newPage()
        await theirs.goto((await page.getByRole('link', { name: 'Take it' }).getAttribute('href'))!)
        await theirs.getByLabel('Yes', { exact: true }).check({ force: true })
        await theirs.getByLabel('Why?').fill('It cools the tea.')
        await theirs.getByRole('button', { name: 'Submit', exact: true }).click()
        await theirs.getByText('Thank you').first().waitFor()

        await page.getByRole('link', { name: 'Reports', exact: true }).click()
        await page.getByRole('heading', { name: 'Reports', level: 1 }).waitFor()
        await page.getByRole('link', { name: 'All answers' }).first().click()
        await page.getByRole('heading', { name: 'With milk?' }).waitFor()
        await page.getByText('It cools the tea.').waitFor()
        expect(await page.locator('main').textContent()).toMatch(/100(\.0)?\s%/)
        await clean('report')

        const again = await respondent.newPage()
        expect((await again.goto(login.body['login-url']))!.status()).toBe(410)
      } finally {
        await owner.close()
        await respondent.close()
      }
    },
    90_000,
  )
})
