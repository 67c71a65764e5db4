import { expect } from '@jest/globals'
import { respond } from '../support/respondents.ts'
import { onEveryScreen } from '../support/screens.ts'
import { addSurvey } from '../support/surveys.ts'
import { useWorld } from '../support/world.ts'
import { breakfastSurvey } from './sample-surveys.ts'

const world = useWorld()

const TEXTS = ['The staff was friendly', 'Too expensive, and the bread was old', 'Friendly people, fair prices']

onEveryScreen('the coding pages', 'code text answers by keyboard and with forms', async (screen) => {
  const { page, expectClean, signIn, newPage } = screen
  const person = await world.person()
  const { survey } = await addSurvey(person, breakfastSurvey)
  for (const name of TEXTS) await respond(world, survey.id, { answers: { name } })
  const root = `${world.base}/account/surveys/${survey.id}/responses/coding/`
  await page.goto(`${world.base}/accounts/login/`)
  await signIn(person)
  await page.goto(root)
  await page.getByText('There are no categories yet.').waitFor()
  await expectClean('coding-empty')
  await page.getByRole('link', { name: 'Create the first category' }).click()
  for (const name of ['People', 'Prices', 'Bread']) {
    await page.getByLabel('Name').last().fill(name)
    await page.getByRole('button', { name: 'Create category' }).click()
    await page.getByText(`Category “${name}” created.`).waitFor()
  }
  await page.getByLabel('Text that the answer contains').fill('friendly')
  await page.getByRole('button', { name: 'Count matching answers' }).click()
  await page.getByText('2 answers match.').waitFor()
  await page.getByRole('button', { name: 'Create rule' }).click()
  await page.getByText('Rule created.').waitFor()
  await expectClean('coding-frame')

  await page.goto(`${root}?text=friendly`)
  await page.getByText('2 text answers found').waitFor()
  await expectClean('coding-search')
  await page.goto(root)
  const pressed = () =>
    page
      .locator('[data-answer]')
      .evaluateAll((items) =>
        items.map((item) =>
          [...item.querySelectorAll('[aria-pressed=true]')].map((each) =>
            each.textContent!.trim().replace(/^\S\s*/, ''),
          ),
        ),
      )
  const stored = async () => {
    const { results } = (await person.get(`/api/v3/surveys/${survey.id}/coding/answers/`)).body
    return results.map(({ categories, none }: never) => (none ? ['none'] : categories).length)
  }
  const replied = (act: () => Promise<unknown>) =>
    Promise.all([page.waitForResponse((reply) => reply.request().method() === 'POST'), act()])
  await page.locator('[data-answer]').first().focus()
  // The categories are in order of their names: 1 Bread, 2 People, 3 Prices.
  await replied(() => page.keyboard.press('2'))
  await replied(() => page.keyboard.press('3'))
  await page.keyboard.press('j')
  await replied(() => page.keyboard.press('1'))
  await page.keyboard.press('j')
  await replied(() => page.keyboard.press('0'))
  expect(await pressed()).toEqual([['People', 'Prices'], ['Bread'], ['No category fits']])
  expect(await stored()).toEqual([2, 1, 1])
  await replied(() => page.keyboard.press('u'))
  await page.keyboard.press('k')
  await replied(() => page.keyboard.press('1'))
  expect(await pressed()).toEqual([['People', 'Prices'], [], []])
  expect(await stored()).toEqual([2, 0, 0])
  await expectClean('coding')

  // Letters that are typed into a field are no keys of the page.
  await page.getByLabel('Text', { exact: true }).fill('1 j k')
  expect(await stored()).toEqual([2, 0, 0])

  // Without scripts, the same buttons are forms.
  const plain = await newPage({ javaScriptEnabled: false })
  await plain.context().addCookies(await page.context().cookies())
  await plain.goto(root)
  await plain.locator('[data-answer]').nth(1).getByRole('button', { name: 'Prices' }).click()
  await plain.getByText('1 answer coded.').waitFor()
  expect(await stored()).toEqual([2, 1, 0])
})
