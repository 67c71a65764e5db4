import { beforeAll, describe, expect, test } from '@jest/globals'
import { csvRows } from '../../src/lib/csv.ts'
import { unescapeHtml } from '../support/html.ts'
import type { HttpBrowser } from '../support/http-browser.ts'
import { respond } from '../support/respondents.ts'
import { type Person, useWorld } from '../support/world.ts'
import { signInOwner } from './survey-owner.ts'

const world = useWorld()
let browser: HttpBrowser
let person: Person
let id: number
let report: string
let page: string

beforeAll(async () => {
  const owner = await signInOwner(world)
  ;({ browser, person, id } = owner)
  report = `/account/surveys/${id}/reports/all/`
  page = `${report}groups/`
  const counts = [
    [0, true, 30],
    [1, true, 10],
    [0, false, 10],
    [1, false, 30],
  ] as const
  for (const [bread, toast, count] of counts)
    for (let index = 0; index < count; index += 1)
      await respond(world, id, {
        answers: { bread, toast, nps: toast ? 9 + (index % 2) : index % 3 },
        createdAt: `2026-02-${bread === 0 ? '02' : '04'}T12:00:00Z`,
      })
})

const plain = (text: string) => unescapeHtml(text.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' '))

describe('showComparison [spec 10.7]', () => {
  test('is reached from the report, and offers questions, saved filters and the period before', async () => {
    await person.post(`/api/v3/surveys/${id}/filters/`, { json: { name: 'Toasters', query: 'toast=1' } })
    expect((await browser.get(`${report}?bread=0`)).text).toContain(`href="${page}?bread=0">Compare groups</a>`)
    const { text, status } = await browser.get(page)
    expect(status).toBe(200)
    expect(text).toContain('<option value="bread">')
    expect(text).toContain('name="view-group" value="filter=Toasters"> Toasters')
    expect(text).not.toContain('<table')
  })

  test('shows the groups of a question in columns, with their responses and marks', async () => {
    const text = plain((await browser.get(`${page}?view-by=toast`)).text)
    expect(text).toContain('Responses 40 40')
    expect(text).toMatch(/Rye 75% B 30 25% 10 /)
    expect(text).toMatch(/Net promoter score \+100 −100/)
    expect(text).toMatch(/Mean 9\.5 B 0\.98 /)
  })

  test('compares saved filters, and says which groups share responses', async () => {
    const text = plain((await browser.get(`${page}?view-group=filter%3DToasters&view-group=`)).text)
    expect(text).toContain('Toasters A All responses of the report B Responses 40 80')
    expect(text).toContain('Groups that share responses are not compared: A–B.')
  })

  test('compares a period with the one before, and says what a period needs', async () => {
    const base = 'view-base=_created_at%253E%253D2026-02-04%26_created_at%253C%253D2026-02-05'
    const text = plain((await browser.get(`${page}?${base}&view-previous=1`)).text)
    expect(text).toContain('All responses of the report A Period before B Responses 40 40')
    const open = await browser.get(`${page}?view-previous=1`)
    expect(open.status).toBe(422)
    expect(plain(open.text)).toContain('Period before requires filters on `_created_at` with a start and an end.')
  })

  test('downloads the figures as CSV, with a line for each figure of each group', async () => {
    const { text } = await browser.get(`${page}numbers.csv?view-by=toast`)
    const rows: string[][] = []
    for await (const row of csvRows(text)) rows.push(row)
    const [head, ...lines] = rows
    const rye = lines.find((line) => line[0] === 'bread' && line[3] === 'Rye')!
    expect(Object.fromEntries(head!.map((name, at) => [name, rye[at]]))).toMatchObject({
      ...{ letter: 'A', group_n: '40', answered: '40', count: '30', percentage: '75', higher_than: 'B' },
    })
    const nps = lines.find((line) => line[0] === 'nps' && line[3] === '')!
    expect(Object.fromEntries(head!.map((name, at) => [name, nps[at]]))).toMatchObject({
      ...{ mean: '9.5', higher_than: 'B', nps: '100' },
    })
    expect(lines.every((line) => line.length === head!.length)).toBe(true)
  })
})
