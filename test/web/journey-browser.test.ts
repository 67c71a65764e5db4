import { expect } from '@jest/globals'
import { onEveryScreen } from '../support/screens.ts'
import { useWorld } from '../support/world.ts'

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
  'from the developer to the report',
  'an account by the API, its login address, a survey, an answer, its chart',
  async ({ page, clean, openAnother }) => {
    const developer = await world.person({ isDeveloper: true })
    const email = `owner${developer.actor.id}@example.org`
    const made = await developer.post('/api/v2/users/', { form: { email } })
    expect(made.status).toBe(200)
    const { password } = made.body
    const login = await developer.post('/api/v2/accounts/generate-login-url/', {
      form: { key: developer.apiKey, email, password },
    })
    expect(login.body).toMatchObject({ success: true, email })
    await page.goto(login.body['login-url'])
    await page.getByRole('heading', { name: 'Account', level: 1 }).waitFor()
    await clean('journey account')
    await page.getByRole('link', { name: 'Surveys', exact: true }).click()
    await page.getByRole('link', { name: 'New survey' }).click()
    await page.getByLabel('Structure').fill(JSON.stringify(STRUCTURE))
    await page.getByRole('button', { name: 'Create survey' }).click()
    await page.getByRole('heading', { name: 'Structure', level: 1 }).waitFor()
    await page.getByRole('link', { name: 'Overview', exact: true }).click()
    await page.getByRole('heading', { name: 'Details' }).waitFor()
    await clean('journey overview')

    const theirs = await openAnother()
    await theirs.goto((await page.getByRole('link', { name: 'Open survey' }).getAttribute('href'))!)
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
    await clean('journey report')

    const again = await openAnother()
    expect((await again.goto(login.body['login-url']))!.status()).toBe(410)
  },
)
