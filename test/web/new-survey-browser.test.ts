import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { onEveryScreen } from '../support/screens.ts'
import { press, signInOn, useChromium } from '../support/use-chromium.ts'
import { makeWorkbook } from '../support/workbook.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()
const chromium = useChromium()
let folder: string
let form: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'canvass-form-'))
  form = join(folder, 'household.xlsx')
  const survey = [
    ['type', 'name', 'label'],
    ['integer', 'members', 'How many people live here?'],
    ['geopoint', 'place', 'Where do you live?'],
  ]
  await writeFile(form, await makeWorkbook({ survey, settings: [['form_title'], ['Household']] }))
})
afterAll(() => rm(folder, { recursive: true }))

describe('a new survey without scripts', () => {
  it('can be created from a template, which is previewed, published unchanged and answered', async () => {
    const page = await chromium.newPage({ viewport: { width: 360, height: 780 }, javaScriptEnabled: false })
    await page.goto(`${world.base}/account/surveys/new/`)
    await signInOn(page, await world.person())
    await page.getByRole('link', { name: 'Website feedback' }).click()
    const preview = page.frameLocator('iframe[title="Survey preview"]')
    await preview.getByText('What was the main reason for your visit today?').waitFor()
    await press(page, 'Create survey')
    await press(page, 'Publish and open')
    await page.getByText('Published. The survey is open: share its link.').waitFor()
    const respondent = await chromium.newPage()
    await respondent.goto((await page.getByRole('link', { name: 'View survey' }).getAttribute('href'))!)
    await respondent.getByLabel('To contact you').check({ force: true })
    await respondent.getByLabel('Partly').check({ force: true })
    await respondent.getByLabel('What stopped you or made it difficult?').fill('The menu')
    await press(respondent, 'Submit')
    await respondent.getByText('Thank you').first().waitFor()
  }, 90_000)

  it('can be created from an XLSForm, after the issues of its conversion are shown', async () => {
    const page = await chromium.newPage({ javaScriptEnabled: false })
    await page.goto(`${world.base}/account/surveys/new/import/`)
    await signInOn(page, await world.person())
    await page.getByLabel('File', { exact: true }).setInputFiles(form)
    await press(page, 'Upload')
    await page.getByRole('cell', { name: 'geopoint' }).waitFor()
    expect(await page.getByLabel('Name').inputValue()).toBe('Household')
    await press(page, 'Create survey')
    await page.getByRole('link', { name: 'How many people live here?', exact: true }).waitFor()
  }, 60_000)
})

onEveryScreen(
  'the pages of a new survey',
  'have no accessibility violations',
  async ({ page, expectClean, press: pressButton }) => {
    await page.goto(`${world.base}/account/surveys/new/`)
    await signInOn(page, await world.person())
    await expectClean('new-survey-gallery')
    await page.getByRole('link', { name: 'Net Promoter Score' }).click()
    await page.frameLocator('iframe').getByText('How likely is it').first().waitFor()
    await expectClean('gallery-template')
    await page.goto(`${world.base}/account/surveys/new/import/`)
    await expectClean('import')
    await page.getByLabel('File', { exact: true }).setInputFiles(form)
    await pressButton('Upload')
    await page.getByRole('cell', { name: 'geopoint' }).waitFor()
    await expectClean('import-issues')
  },
)
