import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { fakeResponses } from '../../src/domain/response/fake-responses.ts'
import { getSnapshot } from '../../src/domain/survey/snapshot.ts'
import { seededRandom } from '../../src/lib/random.ts'
import { expectClean, saveScreenshot } from '../support/axe.ts'
import { launchBrowser } from '../support/browser.ts'
import { surveyOf } from '../support/surveys.ts'
import { type Person, useWorld } from '../support/world.ts'
import { everything } from './sample-surveys.ts'

const world = useWorld()
let browser: Browser
let ann: Person
let root: string

beforeAll(async () => {
  browser = await launchBrowser()
  ann = await world.person({ username: 'ann' })
  const { survey } = await surveyOf(world, ann, everything)
  await fakeResponses(world.context(), (await getSnapshot(world.em(), survey.id))!, 150, seededRandom(7))
  root = `${world.base}/account/surveys/${survey.id}/reports/`
})

afterAll(() => browser.close())

async function visit(options: BrowserContextOptions, run: (page: Page) => Promise<void>) {
  const context = await browser.newContext({ bypassCSP: true, ...options })
  context.setDefaultTimeout(15_000)
  try {
    await run(await context.newPage())
  } finally {
    await context.close()
  }
}

async function signIn(page: Page) {
  await page.goto(root)
  await page.getByLabel('Username or email').fill(ann.actor.username)
  await page.getByLabel('Password').fill(ann.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Reports', level: 1 }).waitFor()
}

/** The printed page: background, visible controls, page breaks inside questions, and charts. */
const onPaper = (page: Page) =>
  page.evaluate(`({
    ground: getComputedStyle(document.body).backgroundColor,
    pressed: [...document.querySelectorAll('nav li, button, input, summary, .areas a')].filter((one) => one.checkVisibility()).length,
    cut: getComputedStyle(document.querySelector('.question')).breakInside,
    charts: [...document.querySelectorAll('svg[role=img]')].filter((one) => one.checkVisibility()).length,
  })`)

describe.each(['light', 'dark'] as const)('the pages of reports, %s,', (colorScheme) => {
  it.each([
    ['phone', 360, 780],
    ['desktop', 1280, 800],
  ])(
    'have no accessibility violations on a %s, from the first report to the shared one',
    async (name, width, height) => {
      const screen = { colorScheme, viewport: { width, height } }
      const look = `${name}-${colorScheme}`
      const clean = (page: Page, where: string) => expectClean(page, where, look)
      let link = ''
      await visit(screen, async (page) => {
        const press = (label: string) => page.getByRole('button', { name: label, exact: true }).click()
        await signIn(page)
        await clean(page, 'reports')
        await page.getByRole('link', { name: 'All answers' }).click()
        await page.getByRole('link', { name: 'Include incomplete responses' }).click()
        await page.getByRole('heading', { name: '150 responses' }).waitFor()
        await clean(page, 'report-all')
        await page.locator('.areas:visible a', { hasText: 'Only Rye' }).first().click()
        await page.getByRole('link', { name: 'Remove filter: Which bread do you eat most? is Rye' }).waitFor()
        await page.locator('summary:visible').nth(1).click()
        await clean(page, 'report-filtered')
        await page.getByRole('link', { name: 'Save as report' }).click()
        await press('Create report')
        await page.getByLabel('Title').fill('Those who eat rye')
        await clean(page, 'report-form')
        await press('Create report')
        await page.getByText('Report created.').waitFor()
        await page.emulateMedia({ media: 'print' })
        expect(await onPaper(page)).toEqual({ ground: 'rgb(255, 255, 255)', pressed: 0, cut: 'avoid', charts: 9 })
        await saveScreenshot(page, `report-print-${look}`)
        await page.emulateMedia({ media: 'screen' })
        await page.getByRole('link', { name: /^All \d+ answers to What is your name/ }).click()
        await page.getByRole('link', { name: 'Back to report' }).waitFor()
        await clean(page, 'report-texts')
        await page.goto(root)
        await page.getByLabel('Password').fill('open sesame')
        await page.getByRole('button', { name: /^(Share reports|Change password)$/ }).click()
        await page.getByText('People can now view the reports with this password.').waitFor()
        await clean(page, 'reports-shared')
        link = (await page.locator('a.address').first().getAttribute('href'))!
      })
      await visit(screen, async (page) => {
        await page.goto(link)
        await page.getByLabel('Password').fill('guessed')
        await page.getByRole('button', { name: 'View report' }).click()
        await page.getByText('The password is incorrect.').waitFor()
        await clean(page, 'shared-door')
        await page.getByLabel('Password').fill('open sesame')
        await page.getByRole('button', { name: 'View report' }).click()
        await page.getByRole('heading', { name: 'Those who eat rye' }).waitFor()
        await clean(page, 'shared')
      })
    },
    60_000,
  )
})
