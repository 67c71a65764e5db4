import { beforeAll, describe, expect, test } from '@jest/globals'
import { csvRows } from '../../src/lib/csv.ts'
import { unescapeHtml } from '../support/html.ts'
import type { HttpBrowser } from '../support/http-browser.ts'
import { respond } from '../support/respondents.ts'
import { useWorld } from '../support/world.ts'
import { signInOwner } from './survey-owner.ts'

const world = useWorld()
let browser: HttpBrowser
let page: string
let report: string
let owner: Awaited<ReturnType<typeof signInOwner>>

beforeAll(async () => {
  owner = await signInOwner(world)
  browser = owner.browser
  report = `/account/surveys/${owner.id}/reports/all/`
  page = `${report}cross-table/`
  const counts = [
    [0, true, 30],
    [1, true, 10],
    [0, false, 10],
    [1, false, 30],
  ] as const
  for (const [bread, toast, count] of counts)
    for (let index = 0; index < count; index += 1)
      await respond(world, owner.id, { answers: { bread, toast, nps: index % 11, with: [0, 1] } })
})

/** Returns the cells of each row of the table, as text. */
const tableIn = (text: string) =>
  [.../<table class="cross-table">(.*?)<\/table>/s.exec(text)![1]!.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row]) =>
    [...row!.matchAll(/<t[dh][^>]*>(.*?)<\/t[dh]>/gs)].map(([, cell]) =>
      unescapeHtml(
        cell!
          .replaceAll(/<[^>]*>/g, ' ')
          .replaceAll(/\s+/g, ' ')
          .trim(),
      ),
    ),
  )

describe('showCrossTable [spec 10.4]', () => {
  test('is reached from the report, and asks for two questions', async () => {
    expect((await browser.get(`${report}?bread=0`)).text).toContain(`href="${page}?bread=0">Cross-table</a>`)
    const { text, status } = await browser.get(page)
    expect(status).toBe(200)
    expect(text).toContain('<option value="bread">Which bread do you eat most?</option>')
    expect(text).not.toContain('<option value="rank">')
    expect(text).not.toContain('<table')
  })

  test('shows shares of columns with bases, marks, means and the test', async () => {
    const { text } = await browser.get(`${page}?view-rows=bread&view-columns=toast`)
    const rows = tableIn(text)
    expect(rows.find(([name]) => name === 'Rye')).toEqual(['Rye', '75% B 30', '25% 10', '40'])
    expect(rows.find(([name]) => name === 'Responses')).toEqual(['Responses', '40', '40', '80'])
    expect(text).toContain('80 responses answer both questions.')
    expect(text).toContain('Chi-square 20, degrees of freedom 1, p &lt; 0.001. Cramér’s V 0.5.')
    const means = tableIn((await browser.get(`${page}?view-rows=nps&view-columns=toast`)).text)
    expect(means.find(([name]) => name === 'Mean')).toEqual(['Mean', '4.58', '4.58', '4.58'])
  })

  test('can show shares of rows, and the filter of the report and of the URL apply', async () => {
    const byRow = await browser.get(`${page}?view-rows=bread&view-columns=toast&view-percent=rows`)
    expect(tableIn(byRow.text).find(([name]) => name === 'Wheat')).toEqual(['Wheat', '25% 10', '75% A 30', '40'])
    const filtered = await browser.get(`${page}?view-base=bread%3D0&view-rows=bread&view-columns=toast`)
    expect(filtered.text).toContain('Filter: Which bread do you eat most? is Rye.')
    expect(filtered.text).toContain('40 responses answer both questions.')
  })

  test('says what is wrong beside the form', async () => {
    const { text, status } = await browser.get(`${page}?view-rows=nothing&view-columns=name`)
    expect(status).toBe(422)
    expect(text).toContain('“nothing” is not a question of this survey.')
    const named = await browser.get(`${page}?view-rows=name&view-columns=bread`)
    expect(named.text).toContain('Rows must be a question with choices or numbers; of a grid, name a row.')
  })

  test('says the base of a multiple choice', async () => {
    const { text } = await browser.get(`${page}?view-rows=with&view-columns=toast`)
    expect(text).toContain('Percentages are shares of responses, so they can add up to more than 100%.')
    expect(text).not.toContain('Chi-square 2')
  })

  test('downloads the table as CSV, with a line for each cell', async () => {
    const { text } = await browser.get(`${page}numbers.csv?view-rows=bread&view-columns=toast`)
    const rows: string[][] = []
    for await (const row of csvRows(text)) rows.push(row)
    expect(rows[0]!.slice(0, 7)).toEqual([
      'row',
      'column',
      'letter',
      'count',
      'row_percentage',
      'column_percentage',
      'higher_than',
    ])
    expect(rows[1]).toEqual([
      'Rye',
      'Yes',
      'A',
      '30',
      '75',
      '75',
      'B',
      '40',
      '40',
      '80',
      expect.any(String),
      expect.any(String),
    ])
  })

  test('offers the collectors of a survey with several', async () => {
    expect((await browser.get(page)).text).not.toContain('value="_collector"')
    const { text: form } = await browser.get(`/account/surveys/${owner.id}/collectors/`)
    expect(form).toContain('name="name"')
    expect((await browser.post(`/account/surveys/${owner.id}/collectors/`, { name: 'Market stall' })).status).toBe(303)
    expect((await browser.get(page)).text).toContain('<option value="_collector">Collector</option>')
    const { text } = await browser.get(`${page}?view-rows=toast&view-columns=_collector`)
    expect(text).toContain('Responses with an answer: 80')
    const rows = tableIn(text)
    expect(rows[1]!.slice(1)).toEqual([expect.stringMatching(/ A$/), 'Market stall B', 'Responses'])
    expect(rows.find(([name]) => name === 'Yes')).toEqual(['Yes', '50% 40', '0% 0', '40'])
    expect((await browser.get(`${page}numbers.csv?view-rows=_collector&view-columns=toast`)).text).toContain(
      'Market stall',
    )
  })
})
