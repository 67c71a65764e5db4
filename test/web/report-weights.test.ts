import { beforeAll, describe, expect, test } from '@jest/globals'
import { unescapeHtml } from '../support/html.ts'
import type { HttpBrowser } from '../support/http-browser.ts'
import { respond } from '../support/respondents.ts'
import { useWorld } from '../support/world.ts'
import { signInOwner } from './survey-owner.ts'

const world = useWorld()
let browser: HttpBrowser
let id: number
let root: string
let page: string

beforeAll(async () => {
  const owner = await signInOwner(world)
  ;({ browser, id } = owner)
  root = `/account/surveys/${id}/reports/`
  page = `${root}weights/`
  for (const [bread, toast, count] of [
    [0, true, 30],
    [1, true, 10],
    [0, false, 5],
    [1, false, 5],
  ] as const)
    for (let index = 0; index < count; index += 1) await respond(world, id, { answers: { bread, toast } })
})

const plain = (text: string) => unescapeHtml(text.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' '))
const targets = { 'target-bread-0': '50', 'target-bread-1': '50', 'target-toast-0': '60', 'target-toast-1': '40' }

describe('the weights of a survey [spec 10.10]', () => {
  test('are computed in two steps: questions, then their target shares', async () => {
    expect((await browser.get(root)).text).toContain(`href="${page}">Weights</a>`)
    const first = await browser.get(page)
    expect(first.text).toContain('name="view-question" value="bread"')
    expect(first.text).not.toContain('value="with"')
    const second = await browser.get(`${page}?view-question=bread&view-question=toast`)
    expect(second.text).toContain('name="target-bread-0"')
    const saved = await browser.post(page, [
      ['question', 'bread'],
      ['question', 'toast'],
      ...Object.entries({ ...targets, min: '0.2', max: '5' }),
    ])
    expect(saved.status).toBe(303)
    const { text } = await browser.get(page)
    expect(plain(text)).toContain('Weights computed.')
    expect(plain(text)).toContain('The weights are up to date')
    expect(plain(text)).toContain('Rye 70% 50% 50%')
    expect(plain(text)).toContain('All targets reached')
    expect((await browser.get(`${page}?view-question=bread`)).text).toMatch(/name="target-bread-0" value="50"/)
  })

  test('are used by cross-tables if they are chosen', async () => {
    const table = `${root}all/cross-table/`
    const query = '?view-rows=bread&view-columns=toast'
    const without = await browser.get(table + query)
    expect(without.text).toContain('name="view-weighted" value="1">')
    expect(plain(without.text)).not.toContain('Effective number')
    const { text } = await browser.get(`${table}${query}&view-weighted=1`)
    expect(plain(text)).toContain('Percentages, means and tests are weighted')
    expect(plain(text)).toMatch(/Effective number \d/)
    expect(text).toMatch(/numbers\.csv\?view-weighted=1[^"]*" download>Download CSV<\/a>/)
    const csv = await browser.get(`${table}numbers.csv${query}&view-weighted=1`)
    expect(csv.text).toContain('weighted_count')
  })

  test('are used by the report and by the comparison of groups if they are chosen', async () => {
    const report = `${root}all/`
    const without = await browser.get(report)
    expect(without.text).toContain(`href="${report}?view-weighted=1">Weighted</a>`)
    expect(plain(without.text)).toContain('Rye 35 70%')
    expect(plain(without.text)).not.toContain('effective number')
    const { text } = await browser.get(`${report}?view-weighted=1`)
    expect(plain(text)).toContain('Percentages, means, medians, ranks and scores are weighted')
    expect(plain(text)).toMatch(/50 answers · weighted, effective number 36\.2/)
    expect(plain(text)).toContain('Rye 35 50%')
    // Links and files of the report stay weighted.
    expect(text).toContain(`href="${report}numbers.csv?view-weighted=1"`)
    expect((await browser.get(`${report}numbers.csv?view-weighted=1`)).text).toContain('Rye,35,50')
    expect(text).toContain('bread=0&amp;view-weighted=1"')
    const groups = `${report}groups/?view-by=toast&view-weighted=1`
    const compared = await browser.get(groups)
    expect(plain(compared.text)).toMatch(/Effective number 36\.1 9\.1/)
    expect(plain(compared.text)).toContain('Rye 60.7% 30 34% 5')
    const [, file] = /href="([^"]*groups\/numbers\.csv[^"]*)"/.exec(compared.text)!
    expect((await browser.get(unescapeHtml(file!))).text).toContain('weighted_count,weighted_n,effective_n')
  })

  test('say that they are not up to date, and can be deleted', async () => {
    await respond(world, id, { answers: { bread: 0, toast: true } })
    const { text } = await browser.get(page)
    expect(plain(text)).toContain('The weights are not up to date.')
    expect(plain(text)).toContain('1 more complete responses than then.')
    expect((await browser.post(`${page}delete/`, {})).status).toBe(303)
    expect(plain((await browser.get(page)).text)).not.toContain('up to date')
  })

  test('say what is wrong, and keep what was entered', async () => {
    const wrong = { question: 'bread', 'target-bread-0': '50', 'target-bread-1': '20', min: '0.2', max: '5' }
    const { status, text } = await browser.post(page, wrong)
    expect(status).toBe(422)
    expect(plain(text)).toContain('add up to 100')
    expect(text).toMatch(/name="target-bread-1" value="20"/)
  })
})
