import { expect } from '@jest/globals'
import type { Page } from 'playwright-core'
import { fakeResponses } from '../../src/domain/response/fake-responses.ts'
import { getSnapshot } from '../../src/domain/survey/snapshot.ts'
import { seededRandom } from '../../src/lib/random.ts'
import { onEveryScreen } from '../support/screens.ts'
import { addSurvey } from '../support/surveys.ts'
import { useWorld } from '../support/world.ts'
import { breakfastSurvey } from './sample-surveys.ts'

const world = useWorld()

/** The printed page: background, visible controls, page breaks inside questions, and charts. */
const printLayout = (page: Page) =>
  page.evaluate(`({
    background: getComputedStyle(document.body).backgroundColor,
    controls: [...document.querySelectorAll('nav li, button, input, summary, .areas a')].filter((element) => element.checkVisibility()).length,
    breakInside: getComputedStyle(document.querySelector('.question')).breakInside,
    charts: [...document.querySelectorAll('svg[role=img]')].filter((element) => element.checkVisibility()).length,
  })`)

onEveryScreen(
  'the reports pages',
  'filter, save, print and share a report',
  async ({ page, expectClean, press, signIn }) => {
    const ann = await world.person()
    const { survey } = await addSurvey(ann, breakfastSurvey)
    await fakeResponses(world.context(), (await getSnapshot(world.em(), survey.id))!, 150, seededRandom(7))
    const root = `${world.base}/account/surveys/${survey.id}/reports/`
    await page.goto(root)
    await signIn(ann)
    await page.getByRole('heading', { name: 'Reports', level: 1 }).waitFor()
    await expectClean('reports')
    await page.getByRole('link', { name: 'All answers' }).click()
    await page.getByRole('link', { name: 'Include all responses' }).click()
    await page.getByRole('heading', { name: '150 responses' }).waitFor()
    await expectClean('report-all')
    await page.locator('.areas:visible a', { hasText: 'Only Rye' }).first().click()
    await page.getByRole('link', { name: 'Remove filter: Which bread do you eat most? is Rye' }).waitFor()
    await page.locator('summary:visible').nth(1).click()
    await expectClean('report-filtered')
    await page.getByRole('link', { name: 'Save as report' }).click()
    await press('Create report')
    await page.getByLabel('Title').fill('Rye eaters')
    await expectClean('report-form')
    await press('Create report')
    await page.getByText('Report created.').waitFor()
    await page.emulateMedia({ media: 'print' })
    expect(await printLayout(page)).toEqual({
      background: 'rgb(255, 255, 255)',
      controls: 0,
      breakInside: 'avoid',
      charts: 9,
    })
    await expectClean('report-print')
    await page.emulateMedia({ media: 'screen' })
    await page.getByRole('link', { name: /^All \d+ answers to What is your name/ }).click()
    await page.getByRole('link', { name: 'Rye eaters' }).waitFor()
    await expectClean('report-texts')
    await page.goto(root)
    await page.getByLabel('Password').fill('open sesame')
    await page.getByRole('button', { name: 'Share reports' }).click()
    await page.getByText('People with the link to a report and this password can now view the report.').waitFor()
    await expectClean('reports-shared')
    const sharedUrl = (await page.locator('a.address').first().getAttribute('href'))!

    await page.context().clearCookies()
    await page.goto(sharedUrl)
    await page.getByLabel('Password').fill('wrong')
    await page.getByRole('button', { name: 'View report' }).click()
    await page.getByText('The password is incorrect.').waitFor()
    await expectClean('shared-report-password')
    await page.getByLabel('Password').fill('open sesame')
    await page.getByRole('button', { name: 'View report' }).click()
    await page.getByRole('heading', { name: 'Rye eaters' }).waitFor()
    await expectClean('shared-report')
  },
)
