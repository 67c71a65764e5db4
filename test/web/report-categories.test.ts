import { beforeAll, describe, expect, test } from '@jest/globals'
import { unescapeHtml } from '../support/html.ts'
import { HttpBrowser, signInAs } from '../support/http-browser.ts'
import { respond } from '../support/respondents.ts'
import { addSurvey, pageOf, single, text } from '../support/surveys.ts'
import { type Person, useWorld } from '../support/world.ts'

const world = useWorld()
let ann: Person
let browser: HttpBrowser
let survey: number
let uri: string
let report: number
let link: string
const ids: number[] = []
const categories: Record<string, number> = {}

const plain = (page: string) => unescapeHtml(page.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' '))
const code = async (from: number, to: number, json: object, key = 'why') => {
  const answers = ids.slice(from, to).map((id) => ({ response_id: id, key }))
  expect((await ann.post(`${uri}coding/answers/`, { json: { answers, ...json } })).status).toBe(200)
}
const add = async (count: number) => {
  for (let index = 0; index < count; index += 1) {
    const answers = { how: index % 2, why: `Because ${index}`, ...(index === 0 && { how: 1, 'how\\other': 'Slowly' }) }
    ids.push((await respond(world, survey, { answers })).id)
  }
}
const codingOf = async (query = '', person = ann) =>
  (await person.get(`${uri}reports/${report}/${query}`)).body.questions[1].coding

beforeAll(async () => {
  ann = await world.person()
  browser = await signInAs(ann)
  const how = single('how', ['Well'])
  how.children[0]!.choices.push({ label: 'Other', other: true } as never)
  survey = (await addSurvey(ann, { title: 'Texts', form: [pageOf(how, text('why'))] })).survey.id
  uri = `/api/v3/surveys/${survey}/`
  const root = `/account/surveys/${survey}/reports/`
  await browser.post(`${root}sharing/`, { sharing_password: 'open sesame' })
  await browser.post(`${root}new/`, { title: 'R', scope: 'all', query: '' })
  const page = (await browser.get(root)).text
  link = new URL(/<a class="address" href="([^"]*)"/.exec(page)![1]!).pathname
  report = (await ann.get(`${uri}reports/`)).body.results[0].id
  for (const name of ['Staff', 'Price'])
    categories[name] = (await ann.post(`${uri}coding/categories/`, { json: { name } })).body.id
  await add(20)
})

describe('getReport: the categories of text answers [spec 10.2]', () => {
  test('are absent until an answer is coded', async () => {
    expect(await codingOf()).toBeUndefined()
    expect((await browser.get(`/account/surveys/${survey}/reports/${report}/`)).text).not.toContain('are coded')
  })

  test('have counts, shares of the coded answers, and those that no category fits, over the filtered responses', async () => {
    await code(0, 8, { add: [categories.Staff] })
    await code(6, 10, { add: [categories.Price] })
    await code(10, 12, { none: true })
    await code(0, 1, { add: [categories.Price] }, 'how\\other')
    const named = (name: string, count: number, percentage: number) => ({
      id: categories[name],
      name,
      count,
      percentage,
    })
    expect(await codingOf()).toEqual({
      ...{ coded: 12, none: 2 },
      categories: [named('Price', 4, 33.3), named('Staff', 8, 66.7)],
    })
    expect(await codingOf('?how=0')).toEqual({
      ...{ coded: 5, none: 1 },
      categories: [named('Price', 2, 40), named('Staff', 3, 60)],
    })
    const { body } = await ann.get(`${uri}reports/${report}/`)
    expect(body.questions[0].other.coding).toMatchObject({ coded: 1, categories: [{ count: 1 }, { count: 0 }] })
    // An erased response takes its coding along.
    await ann.delete(`${uri}responses/${ids[11]}/`)
    expect(await codingOf()).toMatchObject({ coded: 11, none: 1 })
  })

  test('follow weights', async () => {
    const targets = [
      { choice: 0, percentage: 30 },
      { choice: 1, percentage: 70 },
    ]
    const { status } = await ann.put(`${uri}weighting/`, { json: { questions: [{ question: 'how', targets }] } })
    expect(status).toBe(200)
    const [plainCoding, weighted] = [await codingOf(), await codingOf('?weighted')]
    expect(weighted).toMatchObject({ coded: plainCoding.coded, none: plainCoding.none })
    // 19 responses: 9 with the answer 0 (weight 0.3 × 19 / 9), 10 with 1 (0.7 × 19 / 10).
    const weigh = (zeros: number, ones: number) => (zeros * 0.3 * 19) / 9 + (ones * 0.7 * 19) / 10
    expect(weighted.weighted_n).toBeCloseTo(weigh(5, 6), 3)
    expect(weighted.categories[1]).toMatchObject({ name: 'Staff', count: 8 })
    expect(weighted.categories[1].weighted_count).toBeCloseTo(weigh(3, 5), 3)
    expect(weighted.categories[1].percentage).toBeCloseTo((100 * weigh(3, 5)) / weigh(5, 6), 0)
  })

  test('are a chart under the question, with pictures and CSV', async () => {
    const root = `/account/surveys/${survey}/reports/${report}/`
    const { text: page } = await browser.get(root)
    expect(plain(page)).toContain('11 of 19 answers are coded.')
    expect(plain(page)).toContain('Staff 8 72.7%')
    expect(plain(page)).toContain('No category fits 1 9.1%')
    expect((await browser.get(`${root}charts/why/chart.png`)).headers.get('content-type')).toBe('image/png')
    expect((await browser.get(`${root}charts/why/numbers.csv`)).text).toContain('Staff,8,72.7')
  })

  test('guests see rounded counts, that change with at least as many coded answers as the threshold', async () => {
    const guest = new HttpBrowser(world.base)
    await guest.post(link, { password: 'open sesame' })
    const shown = async () => plain((await guest.get(link)).text)
    expect(await shown()).toContain('10 of 15 answers are coded.')
    expect(await shown()).toContain('Staff 5 50%')
    expect(await shown()).toContain('Price 0 0%')
    expect(await shown()).not.toContain('No category fits')
    // Four more: no step. The fifth: a step.
    await code(12, 16, { add: [categories.Price] })
    expect(await shown()).toContain('Price 0 0%')
    expect(await shown()).toContain('10 of 15 answers are coded.')
    await code(16, 17, { add: [categories.Price] })
    expect(await shown()).toContain('15 of 15 answers are coded.')
    expect(await shown()).toContain('Price 5 33.3%')
    // Answers that have arrived since are counted with the next step of the responses.
    await add(4)
    await code(20, 24, { add: [categories.Staff] })
    expect(await shown()).toContain('Staff 5 33.3%')
    await add(1)
    expect(await shown()).toContain('Staff 10 50%')
  })
})
