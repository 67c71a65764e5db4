import { describe, expect, it } from '@jest/globals'
import type { BrowserContextOptions } from 'playwright-core'
import { hashPassword } from '../../../src/domain/account/password.ts'
import { violations } from '../../support/axe.ts'
import { onEveryScreen } from '../../support/screens.ts'
import { addSurvey, storedResponses } from '../../support/surveys.ts'
import { press, useChromium } from '../../support/use-chromium.ts'
import { useWorld } from '../../support/world.ts'
import { breakfastSurvey, oneQuestion } from '../sample-surveys.ts'

const world = useWorld()
const chromium = useChromium()

const newPhonePage = (options: BrowserContextOptions = {}) =>
  chromium.newPage({ viewport: { width: 390, height: 844 }, ...options })

describe.each([
  ['with scripts', true],
  ['without scripts', false],
])('a survey with three pages, %s', (_, javaScriptEnabled) => {
  it('can be completed in English, with an invalid answer, the Back button and a conditional question', async () => {
    const page = await newPhonePage({ javaScriptEnabled })
    const { survey, path } = await addSurvey(await world.person(), breakfastSurvey)
    await page.goto(`${world.base}${path}?source=poster`)
    await page.getByLabel('Your email').fill('invalid')
    await page.getByLabel('Rye', { exact: true }).check()
    if (javaScriptEnabled) await page.getByLabel('Why rye').fill('It keeps.')
    await page.getByLabel('Butter').check()
    await page.getByLabel('Jam').check()
    await press(page, 'Next')
    await expect(page.title()).resolves.toMatch(/^Error: Page 1 of 3/)
    await expect(page.locator('.summary li').count()).resolves.toBe(2)
    await expect(page.evaluate('document.activeElement.className')).resolves.toBe('summary')
    await expect(page.getByLabel('Your email').inputValue()).resolves.toBe('invalid')
    await page.getByLabel('What is your name').fill('Ada')
    await page.getByLabel('Your email').fill('ada@example.org')
    await page.getByLabel('Why rye').fill('It keeps.')
    await press(page, 'Next')
    await expect(page.getByRole('heading', { name: 'Your mornings, Ada' }).isVisible()).resolves.toBe(true)
    await press(page, 'Back')
    await expect(page.getByLabel('What is your name').inputValue()).resolves.toBe('Ada')
    await press(page, 'Next')
    await page
      .getByRole('row', { name: /at home/ })
      .getByRole('radio', { name: 'Often' })
      .check({ force: true })
    await page.getByLabel('on Sundays').selectOption('Somebody else')
    await page.getByLabel('coffee').fill('Around the corner')
    await page.getByLabel('When do you get up').fill('06:30')
    await press(page, 'Next')
    if (javaScriptEnabled) await press(page, 'Move Tea up')
    else
      for (const [name, rank] of [
        ['Tea', '1'],
        ['Coffee', '2'],
        ['Juice', '3'],
      ] as const)
        await page.getByLabel(name).selectOption(rank)
    await page.getByRole('radio', { name: '9', exact: true }).check({ force: true })
    await press(page, 'Submit')
    await page.getByRole('heading', { name: 'Thank you!' }).waitFor()
    expect(await storedResponses(world, survey.id)).toMatchObject([
      {
        completed: 1,
        language: 'en',
        answers: {
          name: 'Ada',
          mail: 'ada@example.org',
          bread: 0,
          whyrye: 'It keeps.',
          with: [0, 2],
          grid_0: 2,
          drops_1: 1,
          texts_1: 'Around the corner',
          when: '06:30',
          source: 'poster',
          rank: [1, 0, 2],
          nps: 9,
        },
      },
    ])
  })

  it('can be completed in French', async () => {
    const page = await newPhonePage({ javaScriptEnabled })
    const { survey, path } = await addSurvey(await world.person(), breakfastSurvey)
    await page.goto(`${world.base}${path}`)
    await page.getByRole('link', { name: 'Français' }).click()
    await page.getByLabel('Comment vous appelez-vous').fill('Édith')
    await page.getByLabel('Veuillez préciser').fill('Brioche')
    await press(page, 'Suivant')
    await page
      .getByRole('row', { name: /à la maison/ })
      .getByRole('radio', { name: 'Toujours' })
      .check({ force: true })
    await press(page, 'Suivant')
    if (javaScriptEnabled) await press(page, 'Garder cet ordre')
    else
      for (const [index, name] of ['Café', 'Thé', 'Jus'].entries())
        await page.getByLabel(name).selectOption(String(index + 1))
    await page.getByRole('radio', { name: /^10/ }).check({ force: true })
    await press(page, 'Envoyer')
    await page.getByRole('heading', { name: 'Merci !' }).waitFor()
    expect(await storedResponses(world, survey.id)).toMatchObject([
      {
        completed: 1,
        language: 'fr',
        answers: { name: 'Édith', bread: 2, 'bread\\other': 'Brioche', grid_0: 3, rank: [0, 1, 2], nps: 10 },
      },
    ])
  })
})

describe('submitting the first page', () => {
  it('creates one response for a double click, and no second response when it is submitted again after Back', async () => {
    const page = await newPhonePage()
    const { survey, path } = await addSurvey(await world.person(), breakfastSurvey)
    await page.goto(`${world.base}${path}`)
    await page.getByLabel('What is your name').fill('Ada')
    await page.getByLabel('Wheat').check()
    await page.getByRole('button', { name: 'Next' }).dblclick()
    await page.waitForURL(/page=2/)
    await page.goBack()
    await page.getByLabel('What is your name').fill('Grace')
    await page.getByLabel('Wheat').check()
    await press(page, 'Next')
    await page.waitForURL(/page=2/)
    expect(await storedResponses(world, survey.id)).toMatchObject([{ answers: { name: 'Grace', bread: 1 } }])
  })
})

describe('axe-core', () => {
  it('finds the accessibility violations of a page that has some', async () => {
    const page = await newPhonePage({ bypassCSP: true })
    await page.setContent('<!doctype html><html><body><input><img src="data:,"></body></html>')
    expect((await violations(page)).map((found) => found.split(':', 1)[0])).toEqual(
      expect.arrayContaining(['image-alt', 'label', 'html-has-lang', 'document-title']),
    )
  })
})

onEveryScreen('the survey pages', 'have no accessibility violations', async ({ page, expectClean, press, signIn }) => {
  const person = await world.person()
  const { path } = await addSurvey(person, breakfastSurvey)
  const closed = await addSurvey(person, oneQuestion, {}, { live: false })
  const locked = await addSurvey(person, oneQuestion, { password_hash: await hashPassword('x') })
  await page.goto(`${world.base}${path}`)
  await expectClean('taking-first-page')
  await page.getByLabel('Rye', { exact: true }).check()
  await press('Next')
  await expectClean('taking-errors')
  await page.getByLabel('What is your name').fill('Ada')
  await press('Next')
  await press('Next')
  await expectClean('taking-grid-errors')
  await page
    .getByRole('row', { name: /at home/ })
    .getByRole('radio', { name: 'Often' })
    .check({ force: true })
  await press('Next')
  await expectClean('taking-ranking-and-scale')
  await press('Save and continue later')
  await expectClean('taking-saved')
  await page.getByRole('link', { name: 'Continue now' }).click()
  await press('Move Tea up')
  await page.getByRole('radio', { name: '9', exact: true }).check({ force: true })
  await press('Submit')
  await expectClean('taking-thank-you')
  await page.goto(`${world.base}${closed.path}`)
  await expectClean('taking-closed')
  await page.goto(`${world.base}${locked.path}`)
  await expectClean('taking-password')
  await page.getByLabel('Password').fill('wrong')
  await press('Go to the survey')
  await expectClean('taking-wrong-password')
  await page.goto(`${world.base}/surveys/no/survey/`)
  await expectClean('taking-not-found')
  await page.goto(`${world.base}/accounts/login/`)
  await signIn(person)
  await page.goto(`${world.base}${closed.path}`)
  await page.getByText('You can see it because you have permission to test it').waitFor()
  await expectClean('taking-closed-for-tester')
})
