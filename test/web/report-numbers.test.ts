import { beforeAll, describe, expect, test } from '@jest/globals'
import type { Tables } from '../../src/domain/tables.ts'
import { violations } from '../support/axe.ts'
import { unescapeHtml } from '../support/html.ts'
import { type HttpBrowser, signInAs } from '../support/http-browser.ts'
import { respond } from '../support/respondents.ts'
import { addSurvey, pageOf, text } from '../support/surveys.ts'
import { signInOn, useChromium } from '../support/use-chromium.ts'
import { type Person, useWorld } from '../support/world.ts'

const world = useWorld()
const chromium = useChromium()
let ann: Person
let browser: HttpBrowser
let id: number
let root: string

const structure = {
  title: 'Numbers',
  form: [
    pageOf(
      { ...text('age', { validation: { kind: 'integer' } }), title: 'How old are you?' },
      { ...text('size', { validation: { kind: 'number' } }), title: 'How tall?' },
    ),
  ],
}

beforeAll(async () => {
  ann = await world.person()
  browser = await signInAs(ann)
  id = (await addSurvey(ann, structure)).survey.id
  root = `/account/surveys/${id}/reports/all/`
  for (const age of ['18', '22', '25', '31', '97', 'old', 40, '22'])
    await respond(world, id, { answers: { age, ...(age === '18' && { size: 'very' }) } })
})

describe('the report of a question with numeric answers', () => {
  test('shows a histogram, the mean and the median of the numeric answers', async () => {
    const { text: page } = await browser.get(root)
    expect(page).toContain('8 answers')
    // numpy.percentile([…], [25, 75]) of 18, 22, 22, 25, 31, 40, 97
    expect(page).toContain('7 numeric answers · mean 36.43, median 25, range 18 to 97<span>, quartiles 22 and 35.5')
    expect(page).toContain('Histogram of “How old are you?”. 10–19: 14.3%, 1; 20–29: 42.9%, 3; 30–39: 14.3%, 1; 40–49:')
    expect(page).toContain('None of the answers is a number.')
    expect(page).toContain('<p>old</p>')
    const [, link] = /<a href="([^"]*)" aria-label="Only 20–29"/.exec(page)!
    const filtered = await browser.get(unescapeHtml(link!))
    expect(filtered.text).toContain('>3 responses</h2>')
    expect(filtered.text).toContain('3 numeric answers · mean 23, median 22, range 22 to 25')
  })

  test('offers the histogram as an image and as CSV', async () => {
    expect((await browser.get(`${root}charts/age/chart.png`)).headers.get('content-type')).toBe('image/png')
    const { text: file } = await browser.get(`${root}charts/age/numbers.csv`)
    expect(file.split('\r\n').slice(0, 3)).toEqual(['numbers,count,percentage', '10–19,1,14.3', '20–29,3,42.9'])
    expect((await browser.get(`${root}charts/size/chart.svg`)).status).toBe(404)
    expect((await browser.get(`${root}spread/gone/`)).status).toBe(404)
  })
})

describe('the report of a survey with more than 100,000 responses', () => {
  beforeAll(async () => {
    const feed = world.em().getKysely<Tables>().updateTable('survey_feed')
    await feed.set({ responses: 200_000 }).where('survey_id', '=', id).execute()
  })

  test('links to the pages of its deferred parts', async () => {
    const { text: page } = await browser.get(`${root}?age>=20`)
    expect(page).not.toContain('Line chart of')
    expect(page).toContain(`<a href="${root}days/?age%3E=20">Responses by day</a>`)
    expect(page).toContain(`<a href="${root}spread/age/?age%3E=20">Distribution of values</a>`)
    expect((await browser.get(`${root}days/`)).text).toContain('On <span class="nowrap">15 Jan 2026</span>')
    expect((await browser.get(`${root}spread/age/?age>=20`)).text).toContain('6 numeric answers · mean 39.5')
  })

  test('loads its deferred parts with a script', async () => {
    const page = await chromium.newPage({ bypassCSP: true, viewport: { width: 1280, height: 800 } })
    await page.goto(world.base + root)
    await signInOn(page, ann)
    await page.getByText('On 15 Jan 2026').waitFor()
    await page.getByRole('img', { name: 'Histogram of “How old are you?”' }).waitFor()
    await page.getByText('None of the answers is a number.').waitFor()
    expect(await page.locator('[data-deferred]').count()).toBe(0)
    expect(await violations(page)).toEqual([])
  }, 30_000)
})
