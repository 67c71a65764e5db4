import { describe, expect, it } from '@jest/globals'
import type { Page } from 'playwright-core'
import { press, signInOn, useChromium } from '../support/use-chromium.ts'
import { type Person, useWorld } from '../support/world.ts'
import { type Driver, keyboardOn, pointerOn } from './builder-drivers.ts'

const world = useWorld()
const chromium = useChromium()

/** Questions of eight types. An owner finds the type by searching for `find`. `texts` has the texts by field label. */
const QUESTIONS = [
  {
    find: 'radio',
    kind: 'Single choice',
    title: 'Do you drink tea?',
    texts: { 'Choice 1': 'Often', 'Choice 2': 'Never' },
  },
  {
    find: 'checkboxes',
    kind: 'Multiple choice',
    title: 'With what?',
    texts: { 'Choice 1': 'Milk', 'Choice 2': 'Sugar' },
  },
  { find: 'select menu', kind: 'Dropdown', title: 'Which size?', texts: { 'Choice 1': 'Cup', 'Choice 2': 'Pot' } },
  { find: 'boolean', kind: 'Yes or no', title: 'Is it hot?', texts: {} },
  { find: 'paragraph', kind: 'Text', title: 'Why that tea?', texts: {} },
  { find: 'nps', kind: 'Net Promoter Score', title: 'Would you recommend us?', texts: {} },
  { find: 'calendar', kind: 'Date or time', title: 'When do you come?', texts: {} },
  {
    find: 'likert',
    kind: 'Grid of choices',
    title: 'How was it?',
    texts: { 'Row 1': 'Taste', 'Column 1': 'Good', 'Column 2': 'Bad' },
  },
] as const

/** Creates, translates and publishes the survey as a new owner does, and answers it in the second language. */
async function makeSurvey(page: Page, owner: Person, driver: Driver, scripts: boolean): Promise<void> {
  const builder = () => page.getByRole('heading', { name: 'Questions', level: 1 }).waitFor()
  await page.goto(`${world.base}/account/surveys/new/`)
  await signInOn(page, owner)
  await driver.fill('Name', 'Tea')
  await driver.press('Create survey')
  await builder()
  for (const { find, kind, title, texts } of QUESTIONS) {
    if (scripts) {
      await driver.press('Add question to page 1')
      await page.getByLabel('Search question types').waitFor()
      await page.keyboard.type(find)
      await page.keyboard.press('Enter')
    } else {
      await driver.choose('Add a question to page 1', kind)
      await driver.press('Add question to page 1')
    }
    await page.getByLabel('Question', { exact: true }).waitFor()
    await driver.fill('Question', title)
    for (const [label, text] of Object.entries(texts)) await driver.fill(label, text)
    await driver.press(scripts ? 'Done' : 'Save')
    await page.getByRole('link', { name: title, exact: true }).waitFor()
  }

  await driver.press('More actions for “Why that tea?”')
  await driver.press('Show if… “Why that tea?”')
  await page.getByRole('heading', { name: 'Show “Why that tea?” if …' }).waitFor()
  await driver.choose('Depending on the answer to', 'Do you drink tea?')
  await driver.press('Add rule')
  await page.getByText('all rules are met').first().waitFor({ state: 'attached' })
  await driver.press('Save')
  await page.getByText('Shown if “Do you drink tea?” is Often').waitFor()

  // On phones, a button opens the list of the pages.
  const pages = (current: string) => page.getByRole('button', { name: `Edit: ${current}`, exact: true })
  if (await pages('Questions').isVisible()) await driver.press('Edit: Questions')
  await driver.press('Languages')
  await page.getByRole('heading', { name: 'Languages', level: 1 }).waitFor()
  await driver.choose('Language', 'Deutsch (de)')
  await driver.press('Add language')
  await page.getByRole('heading', { name: 'Translate into Deutsch' }).waitFor()
  await driver.fill('Title Tea', 'Tee')
  await driver.fill('Title Do you drink tea?', 'Trinken Sie Tee?')
  await driver.fill('Choice Often', 'Oft')
  await driver.press('Save')
  await page.getByText('Translations into Deutsch saved to the draft.').waitFor()
  if (await pages('Languages').isVisible()) await driver.press('Edit: Languages')
  await driver.press('Questions')
  await builder()
  await driver.press('Publish and open')
  await page.getByText('Not translated into Deutsch').waitFor()
  await driver.press('Publish anyway')
  await page.getByText('Published. The survey is open: share its link.').waitFor()
  await answerInGerman(page, owner)
}

async function answerInGerman(page: Page, owner: Person): Promise<void> {
  const respondent = await chromium.newPage({ locale: 'de' })
  await respondent.goto((await page.getByRole('link', { name: 'View survey' }).getAttribute('href'))!)
  await respondent.getByText('Trinken Sie Tee?').waitFor()
  expect(await respondent.getByText('Why that tea?').isVisible()).toBe(false)
  await respondent.getByLabel('Oft', { exact: true }).check({ force: true })
  await respondent.getByLabel('Why that tea?').fill('It is hot.')
  await press(respondent, 'Absenden')
  await respondent.getByText('Vielen Dank').first().waitFor()
  const id = /surveys\/(\d+)/.exec(page.url())![1]
  const { body } = await owner.get(`/api/v3/surveys/${id}/responses/?include_labels=1`)
  expect(Object.values(body.results[0])).toEqual(expect.arrayContaining(['Often', 'It is hot.', 'de']))
}

describe('a new owner makes a survey of eight questions, a condition and two languages, and publishes it', () => {
  it('with the keyboard alone', async () => {
    const page = await chromium.newPage({ viewport: { width: 1280, height: 800 } })
    await makeSurvey(page, await world.person(), keyboardOn(page), true)
  }, 180_000)

  it('by touch', async () => {
    const page = await chromium.newPage({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true })
    await makeSurvey(page, await world.person(), pointerOn(page, 'tap'), true)
  }, 180_000)

  it('without JavaScript', async () => {
    const page = await chromium.newPage({ viewport: { width: 1280, height: 800 }, javaScriptEnabled: false })
    await makeSurvey(page, await world.person(), pointerOn(page, 'click'), false)
  }, 180_000)
})
