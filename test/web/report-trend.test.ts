import { beforeAll, describe, expect, test } from '@jest/globals'
import { csvRows } from '../../src/lib/csv.ts'
import { unescapeHtml } from '../support/html.ts'
import type { HttpBrowser } from '../support/http-browser.ts'
import { respond } from '../support/respondents.ts'
import { useWorld } from '../support/world.ts'
import { signInOwner } from './survey-owner.ts'

const world = useWorld()
let browser: HttpBrowser
let report: string
let page: string

beforeAll(async () => {
  const owner = await signInOwner(world)
  browser = owner.browser
  report = `/account/surveys/${owner.id}/reports/all/`
  page = `${report}trend/`
  for (let index = 0; index < 40; index += 1)
    await respond(world, owner.id, {
      answers: { bread: index % 2, nps: index % 11 },
      createdAt: new Date(Date.UTC(2026, 0, 5 + index)),
    })
})

const plain = (text: string) => unescapeHtml(text.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' '))

describe('showTrend [spec 10.9]', () => {
  test('is reached from the report, and asks for a question', async () => {
    expect((await browser.get(`${report}?bread=0`)).text).toContain(`href="${page}?bread=0">Trend</a>`)
    const { text, status } = await browser.get(page)
    expect(status).toBe(200)
    expect(text).toContain('<option value="nps">')
    expect(text).not.toContain('<svg class="plot')
  })

  test('draws a share, a mean or a score with intervals, and has the figures as a table', async () => {
    const { text } = await browser.get(`${page}?view-question=bread&view-period=week&view-show=0`)
    expect(plain(text)).toContain('– Share of “Rye”')
    expect(plain(text)).toContain('5 Jan 2026 57.1% 25% to 84.2% 7')
    expect(text.match(/<circle [^>]*class="mark"/g)).toHaveLength(2 * 6)
    const scores = plain((await browser.get(`${page}?view-question=nps&view-period=week`)).text)
    expect(scores).toContain('– Net promoter score')
    const filtered = await browser.get(`${page}?view-base=bread%3D1&view-question=bread&view-show=0`)
    expect(plain(filtered.text)).toContain('12 Jan 2026 0% 0% to')
  })

  test('says what is wrong', async () => {
    const { text, status } = await browser.get(`${page}?view-question=name`)
    expect(status).toBe(422)
    expect(text).toContain('must be a question with choices or numbers')
  })

  test('downloads the chart and the figures', async () => {
    const query = '?view-question=bread&view-period=week&view-show=1'
    const svg = await browser.get(`${page}chart.svg${query}`)
    expect(svg.headers.get('content-type')).toBe('image/svg+xml; charset=utf-8')
    expect(svg.text).toContain('Share of “Wheat”')
    expect((await browser.get(`${page}chart.png${query}`)).headers.get('content-type')).toBe('image/png')
    const slide = await browser.get(`${page}slide.svg${query}`)
    expect(slide.text).toContain('width="1600" height="900"')
    expect(slide.text).toMatch(/<g transform="translate\([\d.]+ [\d.]+\) scale\([12]\.\d+\)">/)
    expect((await browser.get(`${page}slide.png${query}`)).headers.get('content-type')).toBe('image/png')
    for (const form of ['chart.gif', 'slide.pdf', 'xslide.svg'])
      expect((await browser.get(`${page}${form}${query}`)).status).toBe(404)
    const rows: string[][] = []
    for await (const row of csvRows((await browser.get(`${page}numbers.csv${query}`)).text)) rows.push(row)
    const [head, ...lines] = rows
    expect(lines.every((line) => line.length === head!.length)).toBe(true)
    const rye = lines.find((line) => line[0] === '2026-01-05' && line.includes('Rye'))!
    expect(Object.fromEntries(head!.map((name, at) => [name, rye[at]]))).toMatchObject({
      ...{ answered: '7', count: '4', percentage: '57.1', percentage_low: '25', percentage_high: '84.2' },
    })
  })
})
