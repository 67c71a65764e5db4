import { expect } from '@jest/globals'
import { onEveryScreen } from '../support/screens.ts'
import { useWorld } from '../support/world.ts'
import { createLoginUrl } from './login-url.ts'

const world = useWorld()
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

onEveryScreen(
  'a new user',
  'signs in with a one-time login URL, creates a survey, and sees its first answers in a report',
  async ({ page, expectClean, newPage, openSection }) => {
    const loginUrl = await createLoginUrl(world, await world.person({ isDeveloper: true }), await world.person())
    await page.goto(loginUrl)
    await page.getByRole('heading', { name: 'Account', level: 1 }).waitFor()
    await expectClean('journey-account')
    await openSection('Surveys')
    await page.getByRole('link', { name: 'New survey' }).click()
    await page.getByRole('link', { name: 'Import a file' }).click()
    await page.getByLabel('Structure', { exact: true }).fill(JSON.stringify(STRUCTURE))
    await page.getByRole('button', { name: 'Create survey' }).click()
    await page.getByRole('heading', { name: 'Questions', level: 1 }).waitFor()
    await page.getByRole('button', { name: 'Publish and open' }).click()
    await page.getByText('Published. The survey is open: share its link.').waitFor()
    await page.getByRole('heading', { name: 'Details' }).waitFor()
    await expectClean('journey-overview')

    const respondent = await newPage()
    await respondent.goto((await page.getByRole('link', { name: 'View survey' }).getAttribute('href'))!)
    await respondent.getByLabel('Yes', { exact: true }).check({ force: true })
    await respondent.getByLabel('Why?').fill('It cools the tea.')
    await respondent.getByRole('button', { name: 'Submit', exact: true }).click()
    await respondent.getByText('Thank you').first().waitFor()

    await page.getByRole('link', { name: 'Reports', exact: true }).click()
    await page.getByRole('heading', { name: 'Reports', level: 1 }).waitFor()
    await page.getByRole('link', { name: 'All answers' }).first().click()
    await page.getByRole('heading', { name: 'With milk?' }).waitFor()
    await page.getByText('It cools the tea.').waitFor()
    expect(await page.locator('main').textContent()).toMatch(/100(\.0)?%/)
    await expectClean('journey-report')

    const secondVisit = await newPage()
    expect((await secondVisit.goto(loginUrl))!.status()).toBe(410)
  },
)
