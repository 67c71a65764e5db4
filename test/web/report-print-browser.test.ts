import { expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { fakeResponses } from '../../src/domain/response/fake-responses.ts'
import { getSnapshot } from '../../src/domain/survey/snapshot.ts'
import { seededRandom } from '../../src/lib/random.ts'
import { addSurvey, pageOf, single } from '../support/surveys.ts'
import { signInOn, useChromium } from '../support/use-chromium.ts'
import { useWorld } from '../support/world.ts'
import { breakfastSurvey } from './sample-surveys.ts'

const world = useWorld()
const chromium = useChromium()

/** The widths of A4 paper upright and across and of A3 across, less margins of 12 mm, in CSS pixels. */
const PAPER_PX = { A4: 703, across: 1031, A3: 1496 } as const

/** What is wrong with a printed page: controls that are visible, and tables and charts that paper cuts. */
const printFaults = (page: Page): Promise<string[]> =>
  page.evaluate(`[
    ...[...document.querySelectorAll('nav li, button, input, select, summary, .areas a, .downloads a, .on-screen')]
      .filter((element) => element.checkVisibility())
      .map((element) => 'control ' + element.textContent.trim()),
    ...[...document.querySelectorAll('table, svg[role=img]')]
      .filter((element) => element.checkVisibility() && element.getBoundingClientRect().right > innerWidth + 1)
      .map((element) => 'cut ' + (element.getAttribute('aria-label') ?? element.textContent.slice(0, 60))),
    ...[...document.querySelectorAll('.data-table')]
      .filter((element) => element.checkVisibility() && element.scrollWidth > element.clientWidth + 1)
      .map((element) => 'scrolls ' + (element.getAttribute('aria-label') ?? element.textContent.slice(0, 60))),
  ]`)

test('pages of a report print without controls and cut tables [spec 10.4]', async () => {
  const ann = await world.person()
  const regions = Array.from({ length: 16 }, (_, index) => `Region of the north-east ${index + 1}`)
  const shops = Array.from({ length: 48 }, (_, index) => `Supermarket ${index + 1}`)
  const [first] = breakfastSurvey.form
  const form = [first, ...breakfastSurvey.form.slice(1), pageOf(single('region', regions), single('shop', shops))]
  const { survey } = await addSurvey(ann, { ...breakfastSurvey, form })
  await fakeResponses(world.context(), (await getSnapshot(world.em(), survey.id))!, 400, seededRandom(7))
  const targets = [60, 30, 10].map((percentage, choice) => ({ choice, percentage }))
  const api = `/api/v3/surveys/${survey.id}/`
  expect((await ann.put(`${api}weighting/`, { json: { questions: [{ question: 'bread', targets }] } })).status).toBe(
    200,
  )
  const page = await chromium.newPage({ bypassCSP: true, viewport: { width: PAPER_PX.A4, height: 1000 } })
  const root = `${world.base}/account/surveys/${survey.id}/reports/all/`
  await page.goto(root)
  await signInOn(page, ann)
  for (const [name, path, paper] of [
    ['report', '?view-weighted=1', 'A4'],
    ['cross-table', 'cross-table/?view-rows=bread&view-columns=toast&view-weighted=1', 'A4'],
    ['wide', 'cross-table/?view-rows=nps&view-columns=region', 'across'],
    ['widest', 'cross-table/?view-rows=nps&view-columns=shop', 'A3'],
    ['groups', 'groups/?view-by=grid_0&view-group=', 'A4'],
    ['trend', 'trend/?view-question=nps&view-period=week&view-show=nps', 'A4'],
  ] as const) {
    await page.goto(root + path)
    await page.emulateMedia({ media: 'print' })
    await page.setViewportSize({ width: PAPER_PX[paper], height: 1000 })
    const folder = process.env.PDF_FOLDER
    if (folder) await page.pdf({ path: `${folder}/${name}.pdf`, format: 'A4', preferCSSPageSize: true })
    expect([name, await printFaults(page)]).toEqual([name, []])
    await page.emulateMedia({ media: 'screen' })
  }
}, 60_000)
