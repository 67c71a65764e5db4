import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Browser } from 'playwright-core'
import type { Tables } from '../../src/domain/tables.ts'
import { violations } from '../support/axe.ts'
import { launchBrowser } from '../support/browser.ts'
import { Visitor } from '../support/http-browser.ts'
import { respond } from '../support/respondents.ts'
import { pageOf, surveyOf, text } from '../support/surveys.ts'
import { type Person, useWorld } from '../support/world.ts'

const world = useWorld()
let ann: Person
let visitor: Visitor
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
  visitor = new Visitor(world.base)
  await visitor.signIn(ann.actor.username, ann.password)
  id = (await surveyOf(world, ann, structure)).survey.id
  root = `/account/surveys/${id}/reports/all/`
  for (const age of ['18', '22', '25', '31', '97', 'old', 40, '22'])
    await respond(world, id, { answers: { age, ...(age === '18' && { size: 'very' }) } })
})

describe('a question that asks for numbers', () => {
  test('has a histogram, a mean and a median of the answers that are numbers', async () => {
    const { text: page } = await visitor.get(root)
    expect(page).toContain('8 answers')
    expect(page).toContain('7 values · mean 36.43, median 25, range 18 to 97')
    expect(page).toContain(
      'Histogram of “How old are you?”. 10–19: 14.3\u00a0%, 1; 20–29: 42.9\u00a0%, 3; 30–39: 14.3\u00a0%, 1; 40–49:',
    )
    expect(page).toContain('No answers are numbers.')
    expect(page).toContain('<p>old</p>')
    const [, link] = /<a href="([^"]*)" aria-label="Only 20–29"/.exec(page)!
    const narrowed = await visitor.get(link!.replaceAll('&gt;', '>').replaceAll('&lt;', '<').replaceAll('&amp;', '&'))
    expect(narrowed.text).toContain('>3 responses</h2>')
    expect(narrowed.text).toContain('3 values · mean 23, median 22, range 22 to 25')
  })

  test('can be downloaded as an image and as data', async () => {
    expect((await visitor.get(`${root}charts/age/chart.png`)).headers.get('content-type')).toBe('image/png')
    const { text: file } = await visitor.get(`${root}charts/age/numbers.csv`)
    expect(file.split('\r\n').slice(0, 3)).toEqual(['numbers,count,percentage', '10–19,1,14.3', '20–29,3,42.9'])
    expect((await visitor.get(`${root}charts/size/chart.svg`)).status).toBe(404)
    expect((await visitor.get(`${root}spread/gone/`)).status).toBe(404)
  })
})

describe('a report with more than 100,000 responses', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchBrowser()
    const feed = world.em().getKysely<Tables>().updateTable('survey_feed')
    await feed.set({ responses: 200_000 }).where('survey_id', '=', id).execute()
  })
  afterAll(() => browser.close())

  test('links to pages of its deferred parts', async () => {
    const { text: page } = await visitor.get(`${root}?age>=20`)
    expect(page).not.toContain('Line chart of')
    expect(page).toContain(`<a href="${root}days/?age%3E=20">Responses by day</a>`)
    expect(page).toContain(`<a href="${root}spread/age/?age%3E=20">Distribution of values</a>`)
    expect((await visitor.get(`${root}days/`)).text).toContain('Line chart of “Responses by day”')
    expect((await visitor.get(`${root}spread/age/?age>=20`)).text).toContain('6 values · mean 39.5')
  })

  test('loads its deferred parts with a script', async () => {
    const context = await browser.newContext({ bypassCSP: true, viewport: { width: 1280, height: 800 } })
    context.setDefaultTimeout(15_000)
    try {
      const page = await context.newPage()
      await page.goto(world.base + root)
      await page.getByLabel('Username or email').fill(ann.actor.username)
      await page.getByLabel('Password').fill(ann.password)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('img', { name: 'Line chart of “Responses by day”' }).waitFor()
      await page.getByRole('img', { name: 'Histogram of “How old are you?”' }).waitFor()
      await page.getByText('No answers are numbers.').waitFor()
      expect(await page.locator('[data-deferred]').count()).toBe(0)
      expect(await violations(page)).toEqual([])
    } finally {
      await context.close()
    }
  }, 30_000)
})
